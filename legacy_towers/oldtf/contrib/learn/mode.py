"""Modes, model functions' results and metrics of tf.contrib.learn."""
from typing import Any, Callable, Dict, NamedTuple, Optional

__all__ = ["MetricSpec", "ModeKeys", "ModelFnOps"]


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
