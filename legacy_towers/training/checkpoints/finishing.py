"""Finishes a checkpoint in a thread, so that training continues meanwhile."""
import threading
from typing import Callable, Optional


class Finishing(threading.Thread):
    """Runs a function in a thread; its result and its error are those of `result`.

    Args:
      name: the name of the thread.
      function: returns the prefix of the checkpoint.
    """

    def __init__(self, name: str, function: Callable[[], str]) -> None:
        super().__init__(name=name)
        self._function = function
        self._prefix: Optional[str] = None
        self._error: Optional[BaseException] = None
        self.start()

    def run(self) -> None:
        """Runs the function, in the thread."""
        try:
            self._prefix = self._function()
        except BaseException as error:  # raised in the caller's thread
            self._error = error

    def result(self) -> Optional[str]:
        """Waits for the function and returns its result, or raises its error."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._prefix
