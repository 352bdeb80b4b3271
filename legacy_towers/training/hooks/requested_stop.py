"""Ends training when an evaluator, another process, requests it."""
import time
from typing import Any, Callable, Optional

from legacy_towers.compat import tf
from legacy_towers.training.evaluation.options import Stopped

_POLL_SECONDS = 1.0


class RequestedStopHook(tf.train.SessionRunHook):
    """Requests a stop after a step if an evaluator has requested early stopping.

    Args:
      read: returns why training is to stop; None while it can go on. It is called once a second.

    Attributes:
      stopped: why it stops; None before.
    """

    def __init__(self, read: Callable[[], Optional[Stopped]]) -> None:
        self.stopped: Optional[Stopped] = None
        self._read = read
        self._read_at = -_POLL_SECONDS

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Reads whether a stop is requested, and requests it from the session."""
        now = time.monotonic()
        if self.stopped is None and now - self._read_at >= _POLL_SECONDS:
            self._read_at, self.stopped = now, self._read()
        if self.stopped is not None:
            run_context.request_stop()
