"""Daemon threads that are inside a session run when the script ends."""
import threading
import time
from typing import Any, Callable, Set

# Seconds to wait for session runs to finish: a step's time. A longer run is assumed to wait for a queue.
_TIMEOUT = 0.5


class DaemonThreads:
    """Blocks threads that return from a session run after the script has ended.

    At exit Python ends a daemon thread when the thread next runs Python code. Inside TensorFlow 2.x's C++ code that
    aborts the process with exit code 134, although the script succeeded.
    """

    def __init__(self) -> None:
        self._inside: Set[object] = set()
        self._has_ended = False

    def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Returns `call(*arguments)`, a session run; after the end of the script only the main thread returns."""
        self._block_after_end()
        token = object()
        self._inside.add(token)
        try:
            return call(*arguments)
        finally:
            self._inside.discard(token)
            self._block_after_end()

    def wait(self) -> None:
        """Waits briefly for threads to finish their session runs; called when only daemon threads are left."""
        self._has_ended = True
        until = time.time() + _TIMEOUT
        while self._inside and time.time() < until:
            time.sleep(0.005)

    def _block_after_end(self) -> None:
        if self._has_ended and threading.current_thread() is not threading.main_thread():
            lock = threading.Lock()
            lock.acquire()
            lock.acquire()
