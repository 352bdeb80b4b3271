"""Threads that run towers next to the caller's loop: they start together, pause, and end with the session."""
import sys
import threading
import time
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import is_closed
from legacy_towers.errors import InputError
from legacy_towers.tensor_types import Coordinator, Operation, Session, Tensor
from legacy_towers.text.documented_fields import documented_fields

# How long to wait for a tower's current run when training ends: twice its longest run so far, and at least the first
# figure; the second where it has not completed a run. A run that waits for data after that ends as the session closes.
_GRACE_SECONDS = 1.0
_FIRST_GRACE_SECONDS = 5.0
# How long a pause waits for current runs.
_PAUSE_SECONDS = 60.0
# While waiting for a thread: how often to check whether training has ended for another reason.
_POLL_SECONDS = 0.25


@documented_fields
class CurrentRun(NamedTuple):
    """A tower's run that has not ended.

    Attributes:
      tower: its index.
      number: which run of this tower it is; 0 is the first.
      seconds: how long it has taken.
      thread: the identifier of the tower's thread.
    """

    tower: int
    number: int
    seconds: float
    thread: Optional[int]


class TowerThreads:
    """The threads of one session; before each run they ask whether they may start it."""

    def __init__(self, session: Session, coordinator: Coordinator) -> None:
        self._session = session
        self._coordinator = coordinator
        self._loops: List[_Loop] = []
        self._changed = threading.Condition()
        self._pauses = 0
        self._runs_left: Optional[int] = None  # including the caller's; None: no limit
        self._stopping = False
        self._over_since: Optional[float] = None
        self._started = False

    def add(
        self,
        tower: int,
        train_op: Operation,
        staleness: Tensor,
        note: Callable[[int], None],
        ids: Sequence[Tensor] = (),
        count: Optional[Callable[[Sequence[Any]], None]] = None,
    ) -> None:
        """Adds a tower's thread.

        Args:
          note: called with the staleness of each update.
          ids: further tensors that the tower's runs fetch.
          count: called with their values after each run, before a pause can begin.
        """
        self._loops.append(_Loop(self, self._session, tower, [train_op, staleness] + list(ids), note, count))

    def start(self) -> None:
        """Starts all threads, unless they are started."""
        if not self._started:
            self._started = True
            for loop in self._loops:
                loop.start(self._coordinator)

    @property
    def is_paused(self) -> bool:
        """Whether no thread can be in a run."""
        return not self._started or not self._loops or self._pauses > 0

    @property
    def is_limited(self) -> bool:
        """Whether the number of runs is limited."""
        return self._runs_left is not None

    def limit(self, runs: int) -> None:
        """Limits the threads and the caller to `runs` runs together."""
        self._runs_left = runs

    def take_callers_run(self) -> None:
        """Counts a run of the caller; before the last run of all it waits for the threads' runs."""
        with self._changed:
            if self._runs_left is None:
                return
            while self._runs_left <= 1 and not self.is_over() and self._running():
                self._changed.wait(_POLL_SECONDS)
            self._runs_left -= 1

    def pause(self) -> None:
        """Stops towers from starting runs, and waits until no run is going on."""
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
                        "tower {} has not completed its current update within {:.0f} s, so it can't be paused: does "
                        "it wait for data?".format(running[0], _PAUSE_SECONDS)
                    )
                self._changed.wait(_POLL_SECONDS)

    def resume(self) -> None:
        """Ends one pause."""
        with self._changed:
            self._resume()

    def enter(self, loop: "_Loop") -> bool:
        """Waits while towers are paused; returns whether the tower may start another run."""
        with self._changed:
            # The last run of all is left to the caller, whose hooks then see the last global step.
            while (self._pauses or self._has_only_the_last()) and not self.is_over():
                self._changed.wait(_POLL_SECONDS)
            loop.in_run = not self.is_over()
            if loop.in_run and self._runs_left is not None:
                self._runs_left -= 1
            return loop.in_run

    def leave(self, loop: "_Loop", did_run: bool) -> None:
        """Ends a tower's run; one that failed does not count."""
        with self._changed:
            loop.in_run = False
            if not did_run and self._runs_left is not None:
                self._runs_left += 1
            self._changed.notify_all()

    def is_over(self) -> bool:
        """Returns whether training has ended: no tower may start another run."""
        return self._stopping or self._coordinator.should_stop() or is_closed(self._session)

    def seconds_over(self) -> float:
        """Returns the seconds since the end of training was first noticed; 0.0 before it."""
        if self._over_since is None and self.is_over():
            self._over_since = time.monotonic()
        return 0.0 if self._over_since is None else time.monotonic() - self._over_since

    def wait_for_the_end_of_data(self) -> None:
        """Waits until each tower has reached the end of its data, or training ends for another reason."""
        for loop in self._loops:
            loop.join()

    def stop(self) -> None:
        """Ends training: waits for each tower's current run to complete, but not for a run that waits for data."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for loop in self._loops:
            loop.join()

    def current_runs(self) -> List[CurrentRun]:
        """Returns the runs of the towers that have not ended; none once training has ended."""
        if self.is_over():
            return []
        found = [loop.current_run() for loop in self._loops]
        return [each for each in found if each is not None]

    def fail(self, error_info: Any) -> None:
        """Ends training with an error, which the coordinator raises in the caller's thread."""
        self._coordinator.request_stop(error_info)

    def _running(self) -> List[int]:
        return [loop.tower for loop in self._loops if loop.in_run and loop.is_alive()]

    def _has_only_the_last(self) -> bool:
        return self._runs_left is not None and self._runs_left <= 1

    def _resume(self) -> None:
        self._pauses -= 1
        self._changed.notify_all()


class _Loop:
    """One tower's thread. A coordinator joins it like a thread, but does not wait for a run that waits for data."""

    def __init__(
        self,
        threads: TowerThreads,
        session: Session,
        tower: int,
        fetches: Sequence[Any],
        note: Callable[[int], None],
        count: Optional[Callable[[Sequence[Any]], None]],
    ) -> None:
        self.tower = tower
        self.in_run = False
        self.name = "legacy_towers tower {}".format(tower)
        self._threads = threads
        self._session = session
        self._fetches = fetches
        self._note = note
        self._count = count
        self._longest: Optional[float] = None  # of the runs so far, in seconds
        self._started: Optional[Tuple[int, float]] = None  # the number and the start of the current run
        self._thread = threading.Thread(target=self._run, name=self.name)
        self._thread.daemon = True

    def start(self, coordinator: Coordinator) -> None:
        """Starts the thread, and lets the coordinator join it."""
        self._thread.start()
        coordinator.register_thread(self)

    def is_alive(self) -> bool:
        """Returns whether to wait for the thread: it runs, and its time to complete the current run is not over."""
        grace = _FIRST_GRACE_SECONDS if self._longest is None else max(_GRACE_SECONDS, 2 * self._longest)
        return self._thread.is_alive() and self._threads.seconds_over() <= grace

    def join(self) -> None:
        """Waits for the thread as long as `is_alive`."""
        while self.is_alive():
            self._thread.join(_POLL_SECONDS)

    def current_run(self) -> Optional[CurrentRun]:
        """Returns the run that has not ended; None between two."""
        started = self._started
        if started is None:
            return None
        return CurrentRun(self.tower, started[0], time.monotonic() - started[1], self._thread.ident)

    def _run(self) -> None:
        number = 0
        try:
            # Without feeds, a callable takes a third of the time of session.run.
            make_callable = getattr(self._session, "make_callable", None)
            call = make_callable(self._fetches) if make_callable else lambda: self._session.run(self._fetches)
            while self._threads.enter(self):
                started = time.monotonic()
                staleness, self._started = None, (number, started)
                try:
                    _, staleness, *ids = call()
                    if self._count is not None:
                        self._count(ids)
                finally:
                    self._started, number = None, number + 1
                    self._threads.leave(self, did_run=staleness is not None)
                self._longest = max(self._longest or 0.0, time.monotonic() - started)
                self._note(int(staleness))
        except tf.errors.OutOfRangeError:
            pass  # the end of this tower's data; or a queue runner failed, whose error the coordinator has
        except (tf.errors.CancelledError, RuntimeError):
            if not self._threads.is_over():  # else the session was closed
                self._threads.fail(_with_tower(self.tower, sys.exc_info()))
        except BaseException:
            self._threads.fail(_with_tower(self.tower, sys.exc_info()))


def _with_tower(tower: int, error_info: Any) -> Any:
    """Returns the result of `sys.exc_info()` with an error of the same class whose message begins with the tower."""
    kind, error, traceback = error_info
    if isinstance(error, tf.errors.OpError) and kind is not tf.errors.OpError:
        message = "tower {}, which trains asynchronously: {}".format(tower, error.message)
        return kind, kind(error.node_def, error.op, message), traceback
    message = "tower {}, which trains asynchronously: {}: {}".format(tower, kind.__name__, error)
    return RuntimeError, RuntimeError(message), traceback
