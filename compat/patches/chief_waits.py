"""How workers wait until the chief has initialized the variables."""
import contextlib
import functools
import time
from typing import Any, Callable, Iterator, Optional, Tuple

# After this time a worker reports that it waits.
_REPORT_SECONDS = 30.0
_LONGEST = 300  # characters of the names of variables


@contextlib.contextmanager
def short_waits_for_the_chief(report: Callable[[str], None], seconds: float = 1.0) -> Iterator[None]:
    """Lets a worker look at least every `seconds` whether the chief has initialized the variables.

    TensorFlow lets it sleep for 30 seconds after the first look. The chief of a short job has ended by then, and the
    worker waits for it without end. It does so too for a variable that is on the worker itself; TensorFlow reports it
    to those alone who have set the verbosity of its log.

    Args:
      report: gets one sentence if a worker has waited for 30 seconds.
    """
    # Private: Supervisor and MonitoredTrainingSession pass no `recovery_wait_secs` on, and both checks are methods
    # whose results are logged only. Tried on 1.15 and 2.21.
    from tensorflow.python.training.session_manager import SessionManager

    before = SessionManager.__init__

    @functools.wraps(before)
    def init(self: Any, *arguments: Any, **keywords: Any) -> None:
        before(self, *arguments, **keywords)
        self._recovery_wait_secs = min(self._recovery_wait_secs, seconds)
        waiting = _Waiting(report)
        self._model_ready = functools.partial(waiting.checked, self._model_ready)
        self._try_run_local_init_op = functools.partial(waiting.checked, self._try_run_local_init_op)

    SessionManager.__init__ = init
    try:
        yield
    finally:
        SessionManager.__init__ = before


class _Waiting:
    """Reports once that the variables of a session have not been initialized for a while."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report: Optional[Callable[[str], None]] = report
        self._since: Optional[float] = None

    def checked(self, check: Callable[[Any], Tuple[bool, Optional[str]]], session: Any) -> Tuple[bool, Optional[str]]:
        """Returns what `check` finds for a session: whether it is ready, and if not, why."""
        is_ready, reason = check(session)
        if not is_ready and self._report is not None:
            now = time.monotonic()
            self._since = now if self._since is None else self._since
            if now - self._since >= _REPORT_SECONDS:
                self._report(
                    "this task has waited for {:g} seconds for the chief to initialize the variables. {}. Does the "
                    "chief run, and does it make the same variables on the same tasks?".format(
                        _REPORT_SECONDS, _shortened(str(reason).strip().rstrip(".")))
                )
                self._report = None
        return is_ready, reason


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
