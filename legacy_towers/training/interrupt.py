"""Ctrl-C ends training after the running step, with a checkpoint; a second one ends it at once."""
import signal
import threading
from typing import Any

from legacy_towers.compat import tf


class InterruptHook(tf.train.SessionRunHook):
    """Turns the first SIGINT into a request to stop, so that the other hooks end as they do after the last step.

    Attributes:
      interrupted: whether it was.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._previous: Any = None

    def begin(self) -> None:
        # Python delivers signals to the main thread only, and only there may a handler be set.
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._handle)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self.interrupted:
            run_context.request_stop()

    def restore(self) -> None:
        """Puts the handler back that was there before."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None

    def _handle(self, number: int, frame: Any) -> None:
        self.interrupted = True
        self.restore()
