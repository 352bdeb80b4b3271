"""train_and_evaluate: training with evaluation of its checkpoints, in one process or in the processes of TF_CONFIG."""
import os
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.estimator import over_workers
from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.export.exporters import Exporter
from legacy_towers.compat.versions import tf

# Worker i starts 5 * (i + 1) s late, so that not all workers compute gradients of the initial variables.
_DELAY_OF_A_WORKER = 5
_LONGEST_DELAY = 60


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: Optional[int]
    hooks: Tuple[Any, ...]


class TrainSpec(_TrainFields):
    """The input function, the last step and the hooks of a training.

    Raises:
      TypeError: `input_fn` can't be called, or a hook is not a tf.train.SessionRunHook.
      ValueError: `max_steps` is not positive.
    """

    __slots__ = ()

    def __new__(
        cls, input_fn: Callable[..., Any], max_steps: Optional[int] = None, hooks: Optional[Sequence[Any]] = None
    ) -> "TrainSpec":
        _check_function(input_fn)
        _check_positive("max_steps", max_steps)
        return super().__new__(cls, input_fn, max_steps, _checked_hooks(hooks))


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: Optional[int]
    name: Optional[str]
    hooks: Tuple[Any, ...]
    exporters: Tuple[Exporter, ...]
    start_delay_secs: float
    throttle_secs: float


class EvalSpec(_EvalFields):
    """The input function, number of batches, hooks and exporters of evaluations, and when they run.

    Args:
      input_fn: see `Estimator.train`.
      steps: the number of batches; None for all data.
      name: see `Estimator.evaluate`.
      hooks: tf.train.SessionRunHooks.
      exporters: an Exporter or several, called after each evaluation.
      start_delay_secs: before the first evaluation, in an evaluator process.
      throttle_secs: the minimum time between evaluations.

    Raises:
      TypeError: an argument has the wrong type.
      ValueError: a number is out of range, or names of exporters are missing or not unique.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: Optional[int] = 100,
        name: Optional[str] = None,
        hooks: Optional[Sequence[Any]] = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> "EvalSpec":
        _check_function(input_fn)
        _check_positive("steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError("`name` must be string, given: {}".format(name))
        if start_delay_secs < 0:
            raise ValueError("Must specify start_delay_secs >= 0, given: {}".format(start_delay_secs))
        if throttle_secs < 0:
            raise ValueError("Must specify throttle_secs >= 0, given: {}".format(throttle_secs))
        chosen = _checked_exporters(exporters)
        return super().__new__(
            cls, input_fn, steps, name, _checked_hooks(hooks), chosen, start_delay_secs, throttle_secs
        )


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains up to `train_spec.max_steps` and evaluates checkpoints.

    If TF_CONFIG has a cluster, this process runs its task: it trains, evaluates new checkpoints, or is a parameter
    server.

    Returns:
      (metrics of the last evaluation, results of the exporters) without a cluster, None with one.

    Raises:
      TypeError: an argument has the wrong type.
      ValueError: the cluster has more than one evaluator.
    """
    for name, value, kind in (
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(value, kind):
            raise TypeError("`{}` must have type `tf.estimator.{}`, given {}".format(name, kind.__name__, type(value)))
    config = estimator.config
    if config._distribute_coordinator_mode is not None:
        return over_workers.train_and_evaluate(
            estimator,
            lambda local: _train(local, train_spec, []),
            lambda local: _evaluate_new_checkpoints(local, train_spec, eval_spec),
        )
    if config.task_type == TaskType.EVALUATOR:
        if config.task_id > 0:
            raise ValueError("For distributed training, there can only be one `evaluator` task (with task id 0).")
        return _evaluate_new_checkpoints(estimator, train_spec, eval_spec)
    if not config.cluster_spec:
        return _train_alone(estimator, train_spec, eval_spec)
    if config.task_type == TaskType.PS:
        server = _start_server(config)
        return server.join() if server is not None else None
    listeners: List[Any] = []
    if config.task_type == TaskType.MASTER:
        listeners.append(_EvaluateAtCheckpoints(_Evaluator(estimator, train_spec, eval_spec), eval_spec.throttle_secs))
    _start_server(config)
    _wait_for_turn(config)
    return _train(estimator, train_spec, listeners)


def _train(estimator: Estimator, train_spec: TrainSpec, listeners: List[Any]) -> None:
    estimator.train(train_spec.input_fn, list(train_spec.hooks), None, train_spec.max_steps, listeners)


def _train_alone(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    tf.logging.info("Running training and evaluation locally (non-distributed).")
    listener = _EvaluateAtCheckpoints(_Evaluator(estimator, train_spec, eval_spec), eval_spec.throttle_secs)
    estimator.train(train_spec.input_fn, list(train_spec.hooks), None, train_spec.max_steps, [listener])
    return listener.metrics, listener.exports


class _Evaluator:
    """Evaluates the latest checkpoint, each only once."""

    def __init__(self, estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
        self._estimator = estimator
        self._spec = eval_spec
        self._last_step = train_spec.max_steps
        self._evaluated: Optional[str] = None

    def evaluate(self) -> Optional[Tuple[Dict[str, Any], List[Any]]]:
        """Returns (metrics, results of the exporters), None if there is no new checkpoint."""
        path = self._estimator.latest_checkpoint()
        if not path or path == self._evaluated:
            tf.logging.warning(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation results are "
                "expected to be same for the same checkpoint."
                if path
                else "Estimator is not trained yet. Will start an evaluation when a checkpoint is ready."
            )
            return None
        spec = self._spec
        metrics = self._estimator.evaluate(spec.input_fn, spec.steps, list(spec.hooks), path, spec.name)
        is_last = bool(self._last_step) and metrics[tf.GraphKeys.GLOBAL_STEP] >= self._last_step
        folder = os.path.join(self._estimator.model_dir, "export")
        exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(folder, exporter.name),
                checkpoint_path=path,
                eval_result=metrics,
                is_the_final_export=is_last,
            )
            for exporter in spec.exporters
        ]
        self._evaluated = path
        return metrics, exports


class _EvaluateAtCheckpoints(tf.train.CheckpointSaverListener):
    """Evaluates in the training process after a checkpoint is saved, and at the end of training."""

    def __init__(self, evaluator: _Evaluator, throttle_secs: float) -> None:
        self.metrics: Any = None
        self.exports: Any = None
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self._timer: Any = None
        self._is_first_save = True

    def begin(self) -> None:
        self._timer = tf.train.SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first_save = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._is_first_save:  # the checkpoint of the initial variables
            self._is_first_save = False
            return
        if self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            tf.logging.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle_secs)

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        evaluated = self._evaluator.evaluate()
        if evaluated is None:
            raise RuntimeError("There was no new checkpoint after the training.")
        self.metrics, self.exports = evaluated


def _evaluate_new_checkpoints(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    time.sleep(eval_spec.start_delay_secs)
    evaluator = _Evaluator(estimator, train_spec, eval_spec)
    while True:
        begin = time.time()
        evaluated = evaluator.evaluate()
        step = evaluated[0].get(tf.GraphKeys.GLOBAL_STEP) if evaluated is not None else None
        if step and train_spec.max_steps and step >= train_spec.max_steps:
            tf.logging.info("Exiting evaluation, global_step=%s >= train max_steps=%s", step, train_spec.max_steps)
            return
        time.sleep(max(0.0, eval_spec.throttle_secs - (time.time() - begin)))


def _start_server(config: Any) -> Any:
    if not config.master:  # a single process
        return None
    options = tf.ConfigProto()
    if config.session_config is not None:
        options.gpu_options.CopyFrom(config.session_config.gpu_options)
    return tf.train.Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=options,
        protocol=config.protocol,
    )


def _wait_for_turn(config: Any) -> None:
    if config.task_type != TaskType.WORKER:
        return
    longest = config.experimental_max_worker_delay_secs
    delay = min(_LONGEST_DELAY if longest is None else int(longest), (config.task_id + 1) * _DELAY_OF_A_WORKER)
    if delay > 0:
        tf.logging.info("Waiting %d secs before starting training.", delay)
        time.sleep(delay)


def _check_function(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError("`input_fn` must be callable, given: {}".format(input_fn))


def _check_positive(name: str, number: Optional[int]) -> None:
    if number is not None and number <= 0:
        raise ValueError("Must specify {} > 0, given: {}".format(name, number))


def _checked_hooks(hooks: Optional[Sequence[Any]]) -> Tuple[Any, ...]:
    for hook in hooks or ():
        if not isinstance(hook, tf.train.SessionRunHook):
            raise TypeError("All hooks must be `SessionRunHook` instances, given: {}".format(hook))
    return tuple(hooks or ())


def _checked_exporters(exporters: Any) -> Tuple[Exporter, ...]:
    chosen = (exporters,) if isinstance(exporters, Exporter) else tuple(exporters or ())
    names = []
    for exporter in chosen:
        if not isinstance(exporter, Exporter):
            raise TypeError("`exporters` must be an Exporter, or an iterable of them, given: {}".format(exporter))
        if not exporter.name:
            raise ValueError("An Exporter cannot have a name that is `None` or empty. Found {}".format(exporter))
        if exporter.name in names:
            raise ValueError("`exporters` must have unique names. Got {} twice.".format(exporter.name))
        names.append(exporter.name)
    return chosen
