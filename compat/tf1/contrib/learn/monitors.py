"""tf.contrib.learn.monitors: session hooks under their former names, and ValidationMonitor."""
from typing import Any, Dict, Optional

from legacy_towers.compat.versions import tf

NanLossDuringTrainingError = tf.train.NanLossDuringTrainingError

__all__ = [
    "CheckpointSaver",
    "NanLossDuringTrainingError",
    "PrintTensor",
    "StepCounter",
    "StopAtStep",
    "SummarySaver",
    "ValidationMonitor",
]


def PrintTensor(tensor_names: Any, every_n: int = 100, first_n: int = 1) -> Any:  # pylint: disable=invalid-name
    """Returns a LoggingTensorHook that logs the named tensors in the first `first_n` steps, then every `every_n`."""
    hook = tf.train.LoggingTensorHook(tensor_names, every_n_iter=every_n)
    hook._timer = _FirstStepsTimer(every_n, first_n)
    return hook


def StopAtStep(num_steps: Optional[int] = None, last_step: Optional[int] = None) -> Any:  # pylint: disable=invalid-name
    """Returns a StopAtStepHook that stops after `num_steps` steps or at global step `last_step`."""
    return tf.train.StopAtStepHook(num_steps, last_step)


def StepCounter(every_n_steps: int = 100, output_dir: Any = None, summary_writer: Any = None) -> Any:  # pylint: disable=invalid-name
    """Returns a StepCounterHook that logs steps per second."""
    return tf.train.StepCounterHook(every_n_steps, None, output_dir, summary_writer)


def SummarySaver(  # pylint: disable=invalid-name
    summary_op: Any, save_steps: int = 100, output_dir: Any = None, summary_writer: Any = None, scaffold: Any = None
) -> Any:
    """Returns a SummarySaverHook that writes summaries every `save_steps` steps."""
    return tf.train.SummarySaverHook(save_steps, None, output_dir, summary_writer, scaffold, summary_op)


def CheckpointSaver(  # pylint: disable=invalid-name
    checkpoint_dir: str,
    save_secs: Any = None,
    save_steps: Any = None,
    saver: Any = None,
    checkpoint_basename: str = "model.ckpt",
    scaffold: Any = None,
) -> Any:
    """Returns a CheckpointSaverHook that saves every `save_steps` steps or `save_secs` seconds."""
    return tf.train.CheckpointSaverHook(checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold)


class ValidationMonitor:
    """Evaluates new checkpoints during training, at most every `every_n_steps` steps, and stops training early.

    Args:
      early_stopping_rounds: training stops after this many steps without a better `early_stopping_metric`; None: never.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        batch_size: Optional[int] = None,
        eval_steps: Optional[int] = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: Optional[int] = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: Optional[str] = None,
        check_interval_secs: float = 5,
    ) -> None:
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self._data: Dict[str, Any] = dict(x=x, y=y, input_fn=input_fn, batch_size=batch_size)
        self._options: Dict[str, Any] = dict(steps=eval_steps, metrics=metrics, hooks=hooks, name=name)
        self._every = every_n_steps
        self._rounds = early_stopping_rounds
        self._metric = early_stopping_metric
        self._sign = 1 if early_stopping_metric_minimize else -1
        self.best_value: Any = None
        self.best_step: Optional[int] = None
        self.early_stopped = False

    def bind(self, estimator: Any) -> Any:
        """Returns the session hook that evaluates `estimator`."""
        return _Validation(self, estimator)

    def evaluate(self, estimator: Any, step: int) -> bool:
        """Evaluates the latest checkpoint and returns whether training should stop."""
        results = estimator.evaluate(**dict(self._data, **self._options))
        if self._rounds is None:
            return False
        value = self._sign * results[self._metric]
        if self.best_value is None or value < self._sign * self.best_value:
            self.best_value, self.best_step = results[self._metric], step
        self.early_stopped = step - (self.best_step or 0) >= self._rounds
        return self.early_stopped


class _FirstStepsTimer(tf.train.SecondOrStepTimer):
    """Triggers in the first `first_n` steps, then every `every_n` steps."""

    def __init__(self, every_n: int, first_n: int) -> None:
        super().__init__(every_steps=every_n)
        self._first_n = first_n

    def should_trigger_for_step(self, step: int) -> bool:
        return step < self._first_n or bool(super().should_trigger_for_step(step))


class _Validation(tf.train.SessionRunHook):
    def __init__(self, monitor: ValidationMonitor, estimator: Any) -> None:
        self._monitor = monitor
        self._estimator = estimator
        self._timer = tf.train.SecondOrStepTimer(every_steps=monitor._every)
        self._seen: Optional[str] = None
        self._step: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_global_step()

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        latest = tf.train.latest_checkpoint(self._estimator.model_dir)
        if latest and latest != self._seen:
            self._seen = latest
            if self._monitor.evaluate(self._estimator, step):
                run_context.request_stop()
