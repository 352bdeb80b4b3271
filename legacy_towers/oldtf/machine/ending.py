"""The end of a script whose threads are still in session runs."""
import threading
import time
from typing import Any, Callable, Set

# Seconds to wait for threads that are in runs: a step's time; who is longer in there waits for a queue.
_PATIENCE = 0.5


class Ending:
    """Keeps threads that come out of a session run at the end of the script where they are.

    Python ends a daemon thread where it next comes back to Python. From TensorFlow 2.x's C++ it can't be ended: the
    process would be aborted, with exit code 134, after a script that has done all it should.
    """

    def __init__(self) -> None:
        self._inside: Set[object] = set()
        self._is_over = False

    def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Returns `call(*arguments)`, a run of a session; at the end no thread comes back from it but the main one."""
        self._stay_if_over()
        token = object()
        self._inside.add(token)
        try:
            return call(*arguments)
        finally:
            self._inside.discard(token)
            self._stay_if_over()

    def wait(self) -> None:
        """Waits a moment for threads to come out of their runs; called when only daemon threads are left."""
        self._is_over = True
        until = time.time() + _PATIENCE
        while self._inside and time.time() < until:
            time.sleep(0.005)

    def _stay_if_over(self) -> None:
        if self._is_over and threading.current_thread() is not threading.main_thread():
            forever = threading.Lock()
            forever.acquire()
            forever.acquire()
