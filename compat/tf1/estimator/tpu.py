"""tf.estimator.tpu and tf.contrib.tpu without TPUs: with use_tpu=False, scripts train on CPUs and GPUs."""
import copy
from typing import Any, Callable, Dict, NamedTuple, Optional

from legacy_towers.compat.tf1.estimator import arguments
from legacy_towers.compat.tf1.estimator import run_config as plain_run_config
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.tf1.private import event_summaries
from legacy_towers.compat.versions import tf

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"]

_NO_TPU = "TPUs are not supported: use_tpu=False trains the same model on CPUs and GPUs"
_RESERVED = ("batch_size", "context")


class InputPipelineConfig:
    """The hosts that input functions run on; has no effect without a TPU."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class TPUConfig(NamedTuple):
    """The settings of a TPU, which have no effect here; scripts read `iterations_per_loop` themselves."""

    iterations_per_loop: Any = 2
    num_shards: Optional[int] = None
    num_cores_per_replica: Optional[int] = None
    per_host_input_for_training: Any = True
    tpu_job_name: Optional[str] = None
    initial_infeed_sleep_secs: Optional[float] = None
    input_partition_dims: Any = None
    eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1


class RunConfig(plain_run_config.RunConfig):
    """A tf.estimator.RunConfig with `tpu_config`.

    Raises:
      ValueError: both `master` and `cluster` are given, or `cluster` is that of a TPU.
    """

    def __init__(
        self,
        tpu_config: Optional[TPUConfig] = None,
        evaluation_master: Optional[str] = None,
        master: Optional[str] = None,
        cluster: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if master is not None and cluster is not None:
            raise ValueError("Both master and cluster are set.")
        # An empty master is this machine: scripts pass it if they use no TPU.
        if type(cluster).__name__.startswith("TPU") and cluster.master():
            raise ValueError(_NO_TPU)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if master is not None:
            self._master = master
        elif cluster is not None:
            self._master = cluster.master()
            self._cluster_spec = cluster.cluster_spec() or self._cluster_spec
        self._evaluation_master = evaluation_master or self._evaluation_master or self._master

    tpu_config = property(lambda self: self._tpu_config)
    cluster = property(lambda self: self._cluster)


class TPUEstimatorSpec(NamedTuple):
    """An EstimatorSpec with metrics as (function, tensors) and a function that makes the scaffold."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Optional[Callable[[], Any]] = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None

    def as_estimator_spec(self) -> EstimatorSpec:
        """Returns the EstimatorSpec for CPUs and GPUs."""
        hooks = (_HostCall(_called(self.host_call)),) if self.host_call is not None else ()
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=_called(self.eval_metrics) if self.eval_metrics is not None else None,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=tuple(self.training_hooks or ()) + hooks,
            evaluation_hooks=tuple(self.evaluation_hooks or ()) + hooks,
            prediction_hooks=tuple(self.prediction_hooks or ()) + hooks,
        )


def _called(call: Any) -> Any:
    """Calls the function of (function, tensors) with the list or dict of tensors."""
    function, tensors = call
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class _HostCall(tf.train.SessionRunHook):
    """Runs the operations of a host call in each step; opens and flushes the event files of its tf.contrib.summary."""

    def __init__(self, operations: Any) -> None:
        self._operations = operations
        self._open: Any = []
        self._flush: Any = []

    def begin(self) -> None:
        self._open = event_summaries.summary_writer_initializer_op()
        self._flush = [event_summaries.flush(writer=operation.inputs[0]) for operation in self._open]

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._open)

    def end(self, session: Any) -> None:
        session.run(self._flush)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._operations) if self._operations is not None else None


class TPUEstimator(Estimator):
    """An Estimator that passes the batch size to its functions as params["batch_size"].

    Raises:
      ValueError: `use_tpu` is True, `config` is missing, or `params` has one of the keys "batch_size" and "context".
    """

    def __init__(
        self,
        model_fn: Optional[Callable[..., Any]] = None,
        model_dir: Optional[str] = None,
        config: Any = None,
        params: Optional[Dict[str, Any]] = None,
        use_tpu: bool = True,
        train_batch_size: Optional[int] = None,
        eval_batch_size: Optional[int] = None,
        predict_batch_size: Optional[int] = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        if use_tpu:
            raise ValueError(_NO_TPU)
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if embedding_config_spec is not None or batch_axis is not None:
            raise ValueError("embedding_config_spec and batch_axis are for TPUs only: remove them")
        if model_fn is None:
            raise ValueError("`model_fn` must be provided.")
        reserved = [name for name in _RESERVED if name in (params or {})]
        if reserved:
            raise ValueError("{} are reserved keys but existed in params {}.".format(reserved, params))
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        if "params" not in arguments.names(model_fn):
            raise ValueError(
                "model_fn ({}) does not include params argument, required by TPUEstimator to pass batch size as "
                "params['batch_size']".format(model_fn)
            )
        super().__init__(model_fn, model_dir, config, {} if params is None else params, warm_start_from)

    def _with_batch_size(self, mode: str) -> Any:
        params = copy.deepcopy(self._params)
        size = self._batch_sizes.get(mode)
        if size is not None:
            params["batch_size"] = size
        return params

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, input_context: Any = None) -> Any:
        offered = {"mode": mode, "params": self._with_batch_size(mode), "config": self.config}
        with tf.device("/cpu:0"):
            return input_fn(**arguments.wanted(input_fn, offered))

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        params = self._with_batch_size(mode)
        params["use_tpu"] = False
        offered = {"labels": labels, "mode": mode, "params": params, "config": config}
        given = arguments.wanted(self._model_fn, offered)
        if labels is not None and "labels" not in given:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        spec = self._model_fn(features=features, **given)
        if isinstance(spec, TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return a TPUEstimatorSpec or an EstimatorSpec.")
        return spec
