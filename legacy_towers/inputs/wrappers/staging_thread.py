"""The thread that stages batches while steps run, and the list of staged slots.

    thread      stage the batches of a step, append its slot      (in its own runs; waits while `ahead` are staged)
    train run   wait for a slot, take it                          (waits in Python, never inside TensorFlow)
"""
import collections
import sys
import threading
import time
import warnings
from typing import Any, Deque, Optional

import six

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import is_closed
from legacy_towers.tensor_types import Coordinator, Session

# Seconds between two checks of a waiting thread for the end of the session, which may come without an event.
_POLL_SECONDS = 0.05
# Seconds that the thread may take to end, which it does between two steps: inside TensorFlow, where waiting ends when
# the queue or the session is closed, and in Python, which may be code of the caller that never returns.
_GRACE_IN_SESSION_SECONDS = 1.0
_GRACE_SECONDS = 5.0


class Stager:
    """What the thread calls: `__call__` stages the batches of a step and returns their slot.

    Attributes:
      in_session: whether a call is currently inside `session.run`.
      stopped: whether the thread has been stopped, so that the result of a call is not needed any more.
    """

    in_session = False
    stopped = False

    def __call__(self) -> int:
        raise NotImplementedError


class StagingThread:
    """Calls `stage` while fewer than `ahead` steps are staged. It works for one session and one run at a time.

    An error of `stage` is raised after the steps that were staged before it. Then nothing is staged until a run asks
    for the next step: some data continues after an error, and the end of the data is raised again.
    """

    name = "legacy_towers staging"

    def __init__(self, stage: Stager, ahead: int, session: Session, coordinator: Optional[Coordinator]) -> None:
        """
        Args:
          ahead: the largest number of staged steps.
        """
        self._stage = stage
        self._ahead = ahead
        self._session = session
        self._coordinator = coordinator
        self._changed = threading.Condition()
        self._staged: Deque[int] = collections.deque()
        self._failure: Any = None  # sys.exc_info() of `stage`
        self._paused = False  # after an error, until a run asks for the next step
        self._stop_time: Optional[float] = None
        self._thread = threading.Thread(target=self._run, name=self.name)
        self._thread.daemon = True

    def start_if_new(self) -> None:
        """Starts the thread unless it is started already."""
        if self._thread.ident is None:
            self._thread.start()
            if self._coordinator is not None:
                self._coordinator.register_thread(self)

    def take(self) -> int:
        """Waits for the slot of the next step, and returns and consumes it.

        Raises:
          tf.errors.OutOfRangeError: the data has ended; or a stop is requested, and no step is staged.
          tf.errors.CancelledError: the session has ended, and no step is staged.
          Exception: the error of staging this step, with its traceback.
        """
        with self._changed:
            if not self._staged and self._failure is None:
                self._paused = False
                self._changed.notify_all()
            while not self._staged and self._failure is None and self._thread.is_alive():
                self._changed.wait(_POLL_SECONDS)
            if self._staged:
                self._changed.notify_all()
                return self._staged.popleft()
            failure, self._failure = self._failure, None
        try:
            if self._coordinator is not None:
                self._coordinator.raise_requested_exception()  # the cause, instead of the error of a closed queue
            if failure is None and self._coordinator is not None and self._coordinator.should_stop():
                raise tf.errors.OutOfRangeError(None, None, "no further batch is staged: a stop was requested")
            if failure is None:
                raise tf.errors.CancelledError(None, None, "no further batch is staged: the session has ended")
            six.reraise(*failure)
        finally:
            del failure  # its traceback holds this frame

    def next_staged(self, wait: bool) -> Optional[int]:
        """Returns the slot of the next step without consuming it, or None; with `wait` it waits for one."""
        with self._changed:
            while wait and not self._staged and not self._paused and self._thread.is_alive():
                self._changed.wait(_POLL_SECONDS)
            return self._staged[0] if self._staged else None

    def stop(self, session_continues: bool = False) -> bool:
        """Stops the thread and waits some seconds for it.

        Args:
          session_continues: whether another thread will stage in the same session. If so, the step that is being staged
            inside the session is waited for without a limit, since it would get between the batches of the other.

        Returns:
          Whether the Python code of `stage` has ended. If not, a warning is issued.
        """
        with self._changed:
            self._note_stop()
            self._changed.notify_all()
        self.join()
        while session_continues and self._thread.is_alive() and self._stage.in_session and not self._session_is_over():
            self._thread.join(_POLL_SECONDS)
        self._failure = None
        if not self._thread.is_alive() or self._stage.in_session:
            return True
        warnings.warn(
            "the thread that stages batches has not ended within {:.0f} s, because the code that makes them is still "
            "waiting or computing; the thread ends with the process".format(_GRACE_SECONDS),
            stacklevel=2,
        )
        return False

    @property
    def has_ended(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        """Whether a coordinator should wait for the thread: it runs, and its time to end is not over."""
        if self._stop_time is None and self._session_is_over():
            self._note_stop()
        grace = _GRACE_IN_SESSION_SECONDS if self._stage.in_session else _GRACE_SECONDS
        time_is_over = self._stop_time is not None and time.monotonic() - self._stop_time > grace
        return self._thread.is_alive() and not time_is_over

    def join(self) -> None:
        """Waits for the thread as long as `is_alive`; a coordinator calls it too."""
        while self.is_alive():
            self._thread.join(_POLL_SECONDS)

    def _run(self) -> None:
        with self._session.graph.as_default():
            while self._wait_for_free_slot():
                try:
                    slot = self._stage()
                except BaseException:
                    with self._changed:
                        self._failure = sys.exc_info()
                        self._paused = True
                        self._changed.notify_all()
                else:
                    with self._changed:
                        self._staged.append(slot)
                        self._changed.notify_all()

    def _wait_for_free_slot(self) -> bool:
        """Waits until fewer than `ahead` steps are staged; returns False if the thread has to end."""
        with self._changed:
            while self._stop_time is None and not self._session_is_over():
                if len(self._staged) < self._ahead and not self._paused:
                    return True
                self._changed.wait(_POLL_SECONDS)
            return False

    def _session_is_over(self) -> bool:
        if self._coordinator is not None and self._coordinator.should_stop():
            return True
        return is_closed(self._session)

    def _note_stop(self) -> None:
        self._stage.stopped = True
        if self._stop_time is None:
            self._stop_time = time.monotonic()
