"""Ctrl-C and SIGTERM of a launcher, which first ends its tasks."""
import signal
import threading
from typing import Any, Dict, Optional


class Signals:
    """Notes SIGINT and SIGTERM instead of ending this process; a context manager of the main thread.

    Attributes:
      received: the number of the last one; None before.
    """

    def __init__(self) -> None:
        self.received: Optional[int] = None
        self._event = threading.Event()
        self._earlier: Dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._earlier[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *error: Any) -> None:
        for number, earlier in self._earlier.items():
            signal.signal(number, earlier)

    def wait(self, seconds: float) -> None:
        """Returns after `seconds`, or when a signal arrives."""
        self._event.wait(seconds)

    def _receive(self, number: int, frame: Any) -> None:
        self.received = number
        self._event.set()
