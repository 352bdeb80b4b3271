"""Modes, model functions' results, metrics and run configurations of tf.contrib.learn."""
from typing import Any, Callable, Dict, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import run_config
from legacy_towers.oldtf.estimator.cluster import TaskType

__all__ = ["MetricSpec", "ModeKeys", "ModelFnOps", "RunConfig", "TaskType"]

_NOT_GIVEN = object()


class ModeKeys:
    """The modes of tf.contrib.learn, whose prediction is called INFER."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError where `key` is no mode."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError("Invalid mode {}.".format(key))


class ModelFnOps(NamedTuple):
    """What a model function of tf.contrib.learn returns."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Optional[Dict[str, Any]] = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None


class MetricSpec:
    """A metric of some of the predictions and labels.

    Args:
      metric_fn: (predictions, labels, weights) -> (value, update op), by those of these names that it has.
      prediction_key, label_key, weight_key: which of a dict; None for a tensor, or a dict of one.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Optional[str] = None,
        label_key: Optional[str] = None,
        weight_key: Optional[str] = None,
    ) -> None:
        self._metric_fn = metric_fn
        self._keys = {"prediction": prediction_key, "label": label_key, "weight": weight_key}

    metric_fn = property(lambda self: self._metric_fn)
    prediction_key = property(lambda self: self._keys["prediction"])
    label_key = property(lambda self: self._keys["label"])
    weight_key = property(lambda self: self._keys["weight"])

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Returns what the metric's function makes of the chosen tensors."""
        chosen_labels, chosen_predictions = self._chosen("label", labels), self._chosen("prediction", predictions)
        weights = inputs[self.weight_key] if self.weight_key else None
        if weights is None:
            return self._metric_fn(predictions=chosen_predictions, labels=chosen_labels)
        return self._metric_fn(predictions=chosen_predictions, labels=chosen_labels, weights=weights)

    def _chosen(self, name: str, given: Any) -> Any:
        key = self._keys[name]
        if not isinstance(given, dict):
            if key:
                raise ValueError(
                    "MetricSpec with {}_key specified requires {}s dict, got {}.".format(name, name, given)
                )
            return given
        if key:
            return given[key]
        if len(given) != 1:
            raise ValueError(
                "MetricSpec without specified {}_key requires {}s tensor or single element dict, got {}".format(
                    name, name, sorted(given)
                )
            )
        return next(iter(given.values()))


class RunConfig(run_config.RunConfig):
    """The RunConfig of tf.contrib.learn: session options are its own arguments."""

    def __init__(
        self,
        master: Optional[str] = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: Optional[int] = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: Any = _NOT_GIVEN,
        save_checkpoints_steps: Optional[int] = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Optional[int] = 100,
        protocol: Optional[str] = None,
        evaluation_master: str = "",
        model_dir: Optional[str] = None,
        session_config: Any = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        if save_checkpoints_secs is _NOT_GIVEN:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        if session_config is None:
            session_config = tf.ConfigProto(
                log_device_placement=log_device_placement,
                inter_op_parallelism_threads=num_cores,
                intra_op_parallelism_threads=num_cores,
                allow_soft_placement=True,
            )
            session_config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            save_checkpoints_steps=save_checkpoints_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        if master is not None:
            self._master = master
        if evaluation_master:
            self._evaluation_master = evaluation_master

    tf_config = property(lambda self: self._session_config)
