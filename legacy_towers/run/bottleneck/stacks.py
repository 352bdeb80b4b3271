"""Samples the lines of the script that Python executes between session runs, every 2 milliseconds."""
import collections
import sys
import threading
from typing import Any, Callable, Counter, Optional, Tuple

PERIOD = 0.002  # seconds

Line = Tuple[str, int, str]  # (path, line, function)


class StackSampler:
    """Samples the stack of the main thread; a context manager.

    Args:
      is_of_interest: returns whether to take a sample now.
      owns: returns whether a file is the script's.

    Attributes:
      lines: line -> number of samples in which it was the innermost line of the script.
    """

    def __init__(self, is_of_interest: Callable[[], bool], owns: Callable[[str], bool]) -> None:
        self.lines: Counter[Line] = collections.Counter()
        self._is_of_interest = is_of_interest
        self._owns = owns
        self._main = threading.main_thread().ident
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="legacy-towers-stacks", daemon=True)

    def __enter__(self) -> "StackSampler":
        self._thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(PERIOD):
            if not self._is_of_interest():
                continue
            line = self._line(sys._current_frames().get(self._main))  # type: ignore[arg-type]
            if line is not None:
                self.lines[line] += 1

    def _line(self, frame: Optional[Any]) -> Optional[Line]:
        while frame is not None:
            if self._owns(frame.f_code.co_filename):
                return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
            frame = frame.f_back
        return None
