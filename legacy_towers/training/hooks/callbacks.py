"""Calls callbacks after each step, and notes the step at the end."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.step import TrainStep
from legacy_towers.training.callbacks import CallbackGroup
from legacy_towers.training.hooks.watched_losses import WatchedLosses, trained_in, watched_losses


class CallbackHook(tf.train.SessionRunHook):
    """Calls `on_step_end` of callbacks after each run that trains, and requests a stop where one asks for it.

    Args:
      step: the train step, of the default graph.
      callbacks: the callbacks; the other methods are called by those who save and evaluate.

    Attributes:
      last_step: the global step at the end of the session; None before.
    """

    def __init__(self, step: TrainStep, callbacks: CallbackGroup) -> None:
        self.last_step: Optional[int] = None
        self._train_step = step
        self._callbacks = callbacks
        self._watched = watched_losses(step) if callbacks.wants_steps else []
        self._running: List[WatchedLosses] = []
        self._step = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._step = int(session.run(self._train_step.global_step))

    def before_run(self, run_context: Any) -> Any:
        self._running = trained_in(self._watched, run_context) if self._watched else []
        if not self._running:
            return None
        fetches = [self._running[0].loss]
        if self._train_step.asynchronous is not None:
            fetches.append(self._train_step.global_step)
        return tf.train.SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._running:
            # A run may read the global step before or after it increments it: it is counted, unless others do too.
            self._step = self._step + 1 if len(run_values.results) == 1 else int(run_values.results[1])
            self._callbacks.step_end(self._step, float(run_values.results[0]))
        if self._callbacks.wants_stop:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        self.last_step = int(session.run(self._train_step.global_step))
