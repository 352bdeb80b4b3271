"""The thread that stages batches while steps run, and the count of what is staged.

    thread    pull a step's batches, count one more       (in runs of its own; waits while there is no room)
    a run     wait for one, take it                       (waits here, in Python, never inside TensorFlow)
"""
import collections
import sys
import threading
import time
import warnings
from typing import Any, Deque, Optional

import six

from legacy_towers.compat import tf
from legacy_towers.compat.session import is_closed

# How often a waiting thread looks whether the session is over, which nothing else may tell it.
_LOOK_SECONDS = 0.05
# How long the thread may take to end, which it does between two pulls: where TensorFlow waits for data, which ends as
# the queue or the session is closed, and where Python does, which may be code of the caller's that never comes back.
_GRACE_IN_SESSION_SECONDS = 1.0
_GRACE_SECONDS = 5.0


class Puller:
    """What the thread calls: `__call__` stages a step's batches and returns the number of their slot.

    Attributes:
      in_session: whether a call is inside `session.run` just now.
      stopped: set when nobody wants what a call still does.
    """

    in_session = False
    stopped = False

    def __call__(self) -> int:
        raise NotImplementedError


class StagingThread:
    """Runs `pull` while fewer than `ahead` steps are staged; serves one session, one run at a time.

    An error of a pull comes after the steps that were staged before it. Then nothing is pulled until a run asks for
    the next step, as if nothing were staged: after an error some data goes on, and the end of the data stays the end.
    """

    name = "legacy_towers staging"

    def __init__(self, pull: Puller, ahead: int, session: Any, coordinator: Optional[Any]) -> None:
        """
        Args:
          pull: stages a step's batches.
          ahead: how many steps are staged at most.
          session: the session that `pull` runs in.
          coordinator: the session's; None if it has none.
        """
        self._pull = pull
        self._ahead = ahead
        self._session = session
        self._coordinator = coordinator
        self._changed = threading.Condition()
        self._staged: Deque[int] = collections.deque()
        self._failure: Any = None  # sys.exc_info() of a pull
        self._resting = False  # since a pull failed, until a run asks again
        self._stop_time: Optional[float] = None
        self._thread = threading.Thread(target=self._run, name=self.name)
        self._thread.daemon = True

    def start_if_new(self) -> None:
        """Starts the thread, if that has not been done."""
        if self._thread.ident is None:
            self._thread.start()
            if self._coordinator is not None:
                self._coordinator.register_thread(self)

    def take(self) -> int:
        """Returns the slot of the next step, which is used up with that; waits for it.

        Raises:
          tf.errors.OutOfRangeError: the data ended.
          tf.errors.CancelledError: the session is over, or a stop was requested, and nothing is left.
          Exception: what the pull of this step raised, with its traceback.
        """
        with self._changed:
            if not self._staged and self._failure is None:
                self._resting = False
                self._changed.notify_all()
            while not self._staged and self._failure is None and self._thread.is_alive():
                self._changed.wait(_LOOK_SECONDS)
            if self._staged:
                self._changed.notify_all()
                return self._staged.popleft()
            failure, self._failure = self._failure, None
        try:
            if self._coordinator is not None:
                self._coordinator.raise_requested_exception()  # what closed a queue, rather than the closed queue
            if failure is None:
                raise tf.errors.CancelledError(None, None, "no further batch is staged: the run was asked to stop")
            six.reraise(*failure)
        finally:
            del failure  # its traceback holds this frame

    def next_staged(self, wait: bool) -> Optional[int]:
        """Returns the slot of the next step without using it up, None if there is none; `wait` waits for one."""
        with self._changed:
            while wait and not self._staged and not self._resting and self._thread.is_alive():
                self._changed.wait(_LOOK_SECONDS)
            return self._staged[0] if self._staged else None

    def stop(self, session_goes_on: bool = False) -> bool:
        """Ends the thread and waits for it, some seconds at most.

        Args:
          session_goes_on: whether another thread will stage in the same session. Then what is being pulled inside the
            session is waited for as long as it takes: it would come among the batches of the other.

        Returns:
          Whether the pull's own code has ended; if not, that is warned of.
        """
        with self._changed:
            self._note_stop()
            self._changed.notify_all()
        self.join()
        while session_goes_on and self._thread.is_alive() and self._pull.in_session and not self._session_is_over():
            self._thread.join(_LOOK_SECONDS)
        self._failure = None
        if not self._thread.is_alive() or self._pull.in_session:
            return True
        warnings.warn(
            "the thread that stages batches has not ended within {:.0f} s: your batches' code is still waiting or "
            "computing; it is left behind, and ends with the process".format(_GRACE_SECONDS),
            stacklevel=2,
        )
        return False

    @property
    def has_ended(self) -> bool:
        """Whether nothing is pulled any more."""
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        """Whether a coordinator should wait for the thread: it runs, and has not been given up."""
        if self._stop_time is None and self._session_is_over():
            self._note_stop()
        grace = _GRACE_IN_SESSION_SECONDS if self._pull.in_session else _GRACE_SECONDS
        given_up = self._stop_time is not None and time.monotonic() - self._stop_time > grace
        return self._thread.is_alive() and not given_up

    def join(self) -> None:
        """Waits for the thread, unless it has been given up; a coordinator calls it too."""
        while self.is_alive():
            self._thread.join(_LOOK_SECONDS)

    def _run(self) -> None:
        with self._session.graph.as_default():
            while self._has_room():
                try:
                    slot = self._pull()
                except BaseException:
                    with self._changed:
                        self._failure = sys.exc_info()
                        self._resting = True
                        self._changed.notify_all()
                else:
                    with self._changed:
                        self._staged.append(slot)
                        self._changed.notify_all()

    def _has_room(self) -> bool:
        """Waits for room; returns False when it is time to end."""
        with self._changed:
            while self._stop_time is None and not self._session_is_over():
                if len(self._staged) < self._ahead and not self._resting:
                    return True
                self._changed.wait(_LOOK_SECONDS)
            return False

    def _session_is_over(self) -> bool:
        if self._coordinator is not None and self._coordinator.should_stop():
            return True
        return is_closed(self._session)

    def _note_stop(self) -> None:
        self._pull.stopped = True
        if self._stop_time is None:
            self._stop_time = time.monotonic()
