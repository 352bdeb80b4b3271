"""Ctrl-C or a SIGTERM ends training after the running step, with a checkpoint; a second one ends it at once."""
import signal
import threading
from typing import Any, Dict, Optional

from legacy_towers.compat import tf

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class InterruptHook(tf.train.SessionRunHook):
    """Turns the first signal into a request to stop, so that the other hooks end as they do after the last step.

    Attributes:
      signal: the number of the signal that came, None without one.
    """

    def __init__(self) -> None:
        self.signal: Optional[int] = None
        self._previous: Dict[int, Any] = {}

    def begin(self) -> None:
        # Python delivers signals to the main thread only, and only there may a handler be set.
        if threading.current_thread() is threading.main_thread():
            self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self.signal is not None:
            run_context.request_stop()

    def restore(self) -> None:
        """Puts the handlers back that were there before."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous = {}

    def _handle(self, number: int, frame: Any) -> None:
        self.signal = number
        self.restore()
