"""Threads that run towers beside the caller's loop, start together, pause, and end with the session."""
import sys
import threading
import time
from typing import Any, Callable, List, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.session import is_closed
from legacy_towers.errors import InputError

# How long a run of a tower is waited for when all is over: twice as long as its longest run took, and at least this;
# and this long where none has come to its end yet. What waits for data then is woken by the session as it is closed.
_GRACE_SECONDS = 1.0
_FIRST_GRACE_SECONDS = 5.0
# How long a pause waits for runs that are under way.
_PAUSE_SECONDS = 60.0
# How often what waits for a thread looks whether something else than that thread has ended the run.
_LOOK_SECONDS = 0.25


class TowerThreads:
    """The threads of one session, and the gate that they pass before each run."""

    def __init__(self, session: Any, coordinator: Any) -> None:
        self._session = session
        self._coordinator = coordinator
        self._loops: List[_Loop] = []
        self._changed = threading.Condition()
        self._pauses = 0
        self._runs_left: Optional[int] = None  # the caller's included; None: without end
        self._stopping = False
        self._over_since: Optional[float] = None
        self._started = False

    def add(self, tower: int, train_op: Any, staleness: Any, note: Callable[[int], None]) -> None:
        self._loops.append(_Loop(self, self._session, tower, train_op, staleness, note))

    def start(self) -> None:
        if not self._started:
            self._started = True
            for loop in self._loops:
                loop.start(self._coordinator)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit to the runs."""
        return self._runs_left is not None

    def limit(self, runs: int) -> None:
        """Lets the threads and the caller make no more than `runs` runs together."""
        self._runs_left = runs

    def take_callers_run(self) -> None:
        """Counts a run of the caller; before the last one of all it waits for the threads' to end."""
        with self._changed:
            if self._runs_left is None:
                return
            while self._runs_left <= 1 and not self.is_over() and self._running():
                self._changed.wait(_LOOK_SECONDS)
            self._runs_left -= 1

    def pause(self) -> None:
        """Lets no tower begin a run, and waits until none is in one."""
        with self._changed:
            self._pauses += 1
            until = time.monotonic() + _PAUSE_SECONDS
            while True:
                running = self._running()
                if not running:
                    return
                if time.monotonic() > until:
                    self._resume()
                    raise InputError(
                        "tower {} has not completed the update that it is at within {:.0f} s, so it can't be paused: "
                        "does it wait for data?".format(running[0], _PAUSE_SECONDS)
                    )
                self._changed.wait(_LOOK_SECONDS)

    def resume(self) -> None:
        with self._changed:
            self._resume()

    def enter(self, loop: "_Loop") -> bool:
        """Waits while there is a pause; returns whether the tower is to run once more."""
        with self._changed:
            # The last run of all is the caller's, who then knows that it was.
            while (self._pauses or self._has_only_the_last()) and not self.is_over():
                self._changed.wait(_LOOK_SECONDS)
            loop.in_run = not self.is_over()
            if loop.in_run and self._runs_left is not None:
                self._runs_left -= 1
            return loop.in_run

    def leave(self, loop: "_Loop", did_run: bool) -> None:
        with self._changed:
            loop.in_run = False
            if not did_run and self._runs_left is not None:
                self._runs_left += 1
            self._changed.notify_all()

    def is_over(self) -> bool:
        """Returns whether no tower is to begin another run."""
        return self._stopping or self._coordinator.should_stop() or is_closed(self._session)

    def seconds_over(self) -> float:
        """Returns how long ago it was first noticed that no tower is to begin another run; 0.0 where one may."""
        if self._over_since is None and self.is_over():
            self._over_since = time.monotonic()
        return 0.0 if self._over_since is None else time.monotonic() - self._over_since

    def wait_for_the_end_of_data(self) -> None:
        """Waits until each tower has ended by itself, or the run is over for another reason."""
        for loop in self._loops:
            loop.join()

    def stop(self) -> None:
        """Lets each tower complete the run that it is at, and waits for that; not for one that waits itself."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for loop in self._loops:
            loop.join()

    def fail(self, error_info: Any) -> None:
        """Ends the run by an error, which the caller gets."""
        self._coordinator.request_stop(error_info)

    def _running(self) -> List[int]:
        return [loop.tower for loop in self._loops if loop.in_run and loop.is_alive()]

    def _has_only_the_last(self) -> bool:
        return self._runs_left is not None and self._runs_left <= 1

    def _resume(self) -> None:
        self._pauses -= 1
        self._changed.notify_all()


class _Loop:
    """One tower's thread; a coordinator waits for it as for a thread, but gives up one that can't be woken."""

    def __init__(
        self,
        threads: TowerThreads,
        session: Any,
        tower: int,
        train_op: Any,
        staleness: Any,
        note: Callable[[int], None],
    ) -> None:
        self.tower = tower
        self.in_run = False
        self.name = "legacy_towers tower {}".format(tower)
        self._threads = threads
        self._session = session
        self._fetches = [train_op, staleness]
        self._note = note
        self._longest: Optional[float] = None  # seconds that a run took
        self._thread = threading.Thread(target=self._run, name=self.name)
        self._thread.daemon = True

    def start(self, coordinator: Any) -> None:
        self._thread.start()
        coordinator.register_thread(self)

    def is_alive(self) -> bool:
        """Returns whether the thread is to be waited for: it runs, and has not been given up."""
        grace = _FIRST_GRACE_SECONDS if self._longest is None else max(_GRACE_SECONDS, 2 * self._longest)
        return self._thread.is_alive() and self._threads.seconds_over() <= grace

    def join(self) -> None:
        """Waits for the thread, unless it is given up."""
        while self.is_alive():
            self._thread.join(_LOOK_SECONDS)

    def _run(self) -> None:
        try:
            # Without feeds a callable costs a third of session.run.
            make_callable = getattr(self._session, "make_callable", None)
            call = make_callable(self._fetches) if make_callable else lambda: self._session.run(self._fetches)
            while self._threads.enter(self):
                started = time.monotonic()
                staleness = None
                try:
                    staleness = call()[1]
                finally:
                    self._threads.leave(self, did_run=staleness is not None)
                self._longest = max(self._longest or 0.0, time.monotonic() - started)
                self._note(int(staleness))
        except tf.errors.OutOfRangeError:
            pass  # the end of this tower's data; or a queue runner failed, and the coordinator has its error
        except (tf.errors.CancelledError, RuntimeError):
            if not self._threads.is_over():  # otherwise the session was closed
                self._threads.fail(_named(self.tower, sys.exc_info()))
        except BaseException:
            self._threads.fail(_named(self.tower, sys.exc_info()))


def _named(tower: int, error_info: Any) -> Any:
    """Returns what `sys.exc_info()` gave, with an error of the same kind whose message begins with the tower."""
    kind, error, traceback = error_info
    if isinstance(error, tf.errors.OpError) and kind is not tf.errors.OpError:
        message = "tower {}, which trains asynchronously: {}".format(tower, error.message)
        return kind, kind(error.node_def, error.op, message), traceback
    message = "tower {}, which trains asynchronously: {}: {}".format(tower, kind.__name__, error)
    return RuntimeError, RuntimeError(message), traceback
