"""Hooks that stop training early, by the metrics in the event files of evaluations."""
import os
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.versions import tf

_STOP = "signal_early_stopping/STOP"


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> Any:
    """Returns a hook that calls `should_stop_fn` periodically and stops all workers once it returns True.

    The chief calls it and sets the variable signal_early_stopping/STOP, which all workers read and checkpoints contain.

    Args:
      estimator: an Estimator.
      should_stop_fn: returns whether to stop.
      run_every_secs: the interval in seconds, or None.
      run_every_steps: the interval in steps, or None.

    Raises:
      ValueError: both or none of the intervals are given, or this process does not train.
    """
    if (run_every_secs is None) == (run_every_steps is None):
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    config = estimator.config
    if config.cluster_spec and config.task_type in (TaskType.PS, TaskType.EVALUATOR):
        raise ValueError("a task of type {} does not train: use the hook in the chief and workers only".format(
            config.task_type))
    return _StopHook(should_stop_fn if config.is_chief else None, run_every_secs, run_every_steps)


class _StopHook(tf.train.SessionRunHook):
    def __init__(
        self, should_stop: Optional[Callable[[], bool]], seconds: Optional[float], steps: Optional[int]
    ) -> None:
        self._should_stop = should_stop
        self._timer = tf.train.SecondOrStepTimer(every_secs=seconds, every_steps=steps)
        self._step: Any = None
        self._stop: Any = None
        self._set: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_or_create_global_step()
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            self._stop = tf.get_variable(
                _STOP,
                shape=[],
                dtype=tf.bool,
                initializer=tf.constant_initializer(False),
                collections=[tf.GraphKeys.GLOBAL_VARIABLES],
                trainable=False,
            )
        self._set = tf.assign(self._stop, True)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs({"step": self._step, "stop": self._stop})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results["step"]
        if self._should_stop is not None and self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                tf.logging.info("Requesting early stopping at global step %d", step)
                run_context.session.run(self._set)
                run_context.request_stop()
        elif run_values.results["stop"]:
            run_context.request_stop()


def read_eval_metrics(eval_dir: str) -> Dict[int, Dict[str, float]]:
    """Returns step -> name -> value of the metrics in the event files of `eval_dir`, in the order of steps."""
    found: Dict[int, Dict[str, float]] = {}
    for path in tf.gfile.Glob(os.path.join(eval_dir, "*tfevents*")):
        for event in tf.train.summary_iterator(path):
            values = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
            if values:
                found[event.step] = values
    return {step: found[step] for step in sorted(found)}


def stop_if_higher_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: Optional[str] = None,
    min_steps: int = 0,
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> Any:
    """Returns a hook that stops training once a metric was above `threshold` at a step from `min_steps` on."""

    def crossed() -> bool:
        steps = read_eval_metrics(eval_dir or estimator.eval_dir()).items()
        return any(values[metric_name] > threshold for step, values in steps if step >= min_steps)

    return make_early_stopping_hook(estimator, crossed, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: Optional[str] = None,
    min_steps: int = 0,
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> Any:
    """Returns a hook that stops training once a metric was below `threshold` at a step from `min_steps` on."""

    def crossed() -> bool:
        steps = read_eval_metrics(eval_dir or estimator.eval_dir()).items()
        return any(values[metric_name] < threshold for step, values in steps if step >= min_steps)

    return make_early_stopping_hook(estimator, crossed, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: Optional[str] = None,
    min_steps: int = 0,
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> Any:
    """Returns a hook that stops training once a metric has not increased for `max_steps_without_increase` steps."""

    def stalled() -> bool:
        values = read_eval_metrics(eval_dir or estimator.eval_dir())
        return _has_stalled(values, metric_name, max_steps_without_increase, min_steps, 1)

    return make_early_stopping_hook(estimator, stalled, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: Optional[str] = None,
    min_steps: int = 0,
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> Any:
    """Returns a hook that stops training once a metric has not decreased for `max_steps_without_decrease` steps."""

    def stalled() -> bool:
        values = read_eval_metrics(eval_dir or estimator.eval_dir())
        return _has_stalled(values, metric_name, max_steps_without_decrease, min_steps, -1)

    return make_early_stopping_hook(estimator, stalled, run_every_secs, run_every_steps)


def _has_stalled(metrics: Dict[int, Dict[str, float]], name: str, patience: int, min_steps: int, better: int) -> bool:
    """Returns whether `better` * metric had no new maximum for `patience` steps."""
    best, best_step = None, None
    for step, values in metrics.items():
        if step < min_steps:
            continue
        if best is None or better * values[name] > best:
            best, best_step = better * values[name], step
        if best_step is not None and step - best_step >= patience:
            return True
    return False


class StopAtCheckpointStep(tf.train.SessionRunHook):
    """Stops training once a checkpoint of `last_step` exists; checks every `wait_after_file_check_secs`."""

    def __init__(self, model_dir: str, last_step: int, wait_after_file_check_secs: float = 30) -> None:
        if last_step is None or model_dir is None:
            raise ValueError("last_step and model_dir must be specified.")
        self._model_dir = model_dir
        self._last_step = last_step
        self._timer = tf.train.SecondOrStepTimer(every_secs=wait_after_file_check_secs)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self._timer.should_trigger_for_step(1):
            return
        self._timer.update_last_triggered_step(1)
        path = tf.train.latest_checkpoint(self._model_dir)
        if path and int(tf.train.load_variable(path, "global_step")) >= self._last_step:
            run_context.request_stop()


def make_stop_at_checkpoint_step_hook(estimator: Any, last_step: int, wait_after_file_check_secs: float = 30) -> Any:
    """Returns a hook that stops workers when the chief has saved a checkpoint of `last_step`."""
    if estimator.config.is_chief:
        return tf.train.StopAtStepHook(last_step=last_step)
    return StopAtCheckpointStep(estimator.model_dir, last_step, wait_after_file_check_secs)
