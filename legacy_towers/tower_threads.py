"""Towers that run on their own: tower 0 in the caller's loop, each of the others in a thread beside it.

    the caller   run  run  run  ...  end       (tower 0)
    a thread       run run run ...  |          (tower 1: starts with tower 0's first run, ends with it)
    a thread       run  run  run ...|          (tower 2)
"""
import contextlib
import sys
import threading
import time
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.session import is_closed
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.run_needs import RunNeeds

# The last entry of a histogram counts what is staler than that.
_STALEST = 64
# How long a run of a tower is waited for when all is over: twice as long as its longest run took, and at least this;
# and this long where none has come to its end yet. What waits for data then is woken by the session as it is closed.
_GRACE_SECONDS = 1.0
_FIRST_GRACE_SECONDS = 5.0
# How long `paused` waits for runs that are under way.
_PAUSE_SECONDS = 60.0
# How often what waits for a thread looks whether something else than that thread has ended the run.
_LOOK_SECONDS = 0.25


class TowerStaleness(NamedTuple):
    """How late the updates of one tower were, so far.

    Attributes:
      tower: its index.
      updates: how many there were.
      mean: how many updates of other towers came between this tower's reading of the variables and its applying, on
        average; 0.0 without updates.
      most: the largest such number.
      histogram: entry i is how many updates had staleness i; the last entry, 64, counts those of 64 and more.
    """

    tower: int
    updates: int
    mean: float
    most: int
    histogram: Tuple[int, ...]

    def __str__(self) -> str:
        return "tower {}: {:,} updates, staleness {:.1f} on average, {:,} at most".format(
            self.tower, self.updates, self.mean, self.most
        )


class _Counts:
    """The staleness of one tower's updates, in a fixed amount of memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histogram = [0] * (_STALEST + 1)
        self._total = 0
        self._most = 0

    def note(self, staleness: int) -> None:
        with self._lock:
            self._histogram[min(staleness, _STALEST)] += 1
            self._total += staleness
            self._most = max(self._most, staleness)

    def summary(self, tower: int) -> TowerStaleness:
        with self._lock:
            updates = sum(self._histogram)
            mean = float(self._total) / updates if updates else 0.0
            return TowerStaleness(tower, updates, mean, self._most, tuple(self._histogram))


class AsynchronousTowers(tf.train.SessionRunHook):
    """Runs all towers but tower 0, each in a thread of its own, while tower 0 runs in the caller's loop.

    The threads start with the first run that updates tower 0, not before: a session may be restored, or evaluated,
    after it was made. From then on they go on by themselves, also while the caller does something else between two
    runs.

    How it ends:

    - The caller's loop ends, or a hook asks to stop: each tower completes the update that it is at, and no other.
    - The data of a tower other than 0 ends: this tower ends, and the rest go on.
    - The data of tower 0 ends: its run raises tf.errors.OutOfRangeError, and as that error leaves the `with` block of
      the session, the others are waited for, until their data has ended too. (Where the caller catches it, and leaves
      the block by himself, they stop at once. Hooks of a MonitoredSession that come before this one, such as its own
      CheckpointSaverHook, end before that wait: for a last checkpoint with every update, make a
      `tf.train.CheckpointSaverHook` and put it behind the step's hooks.)
    - A tower's run fails: all stop, and the caller gets that error at his next run, or as the session ends. Its message
      begins with the tower.

    A checkpoint that is taken while towers write can hold some variables of before an update, and others of after it.
    To save all of one moment, save inside `paused()`, or give `pausing_listener()` to a CheckpointSaverHook.

    Attributes:
      towers: the towers' indices; the first one's is run by the caller.
    """

    def __init__(
        self, train_ops: Sequence[Any], staleness: Sequence[Any], towers: Optional[Sequence[int]] = None
    ) -> None:
        """
        Args:
          train_ops: per tower, the operation of one update of its own.
          staleness: per tower, an int64 scalar tensor of the same run: how many updates of others came between.
          towers: their indices; None: 0, 1, ...
        """
        self.towers = list(range(len(train_ops))) if towers is None else list(towers)
        self._train_ops = list(train_ops)
        self._staleness = list(staleness)
        self._counts = [_Counts() for _ in self.towers]
        self._updates = RunNeeds([train_ops[0]])
        self._threads: Optional[_Threads] = None
        self._coordinator: Any = None
        self._in_run = False  # tower 0's run has not ended yet, or has raised

    @property
    def staleness(self) -> List[TowerStaleness]:
        """The staleness of the updates of each tower, since the hook was made; print one for a sentence."""
        return [counts.summary(tower) for tower, counts in zip(self.towers, self._counts)]

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Returns a context manager inside of which no other tower updates the variables.

            with hook.paused():
                saver.save(session, path, step.global_step)      # between two runs of the loop

        Each tower's update that is under way is waited for.

        Raises:
          InputError: one takes longer than a minute, such as one that waits for data that never comes.
        """
        threads = self._threads
        if threads is not None:
            threads.pause()
        try:
            yield
        finally:
            if threads is not None:
                threads.resume()

    def pausing_listener(self) -> "PausedWhileSaving":
        """Returns a listener for `tf.train.CheckpointSaverHook(..., listeners=[...])`: towers pause while it saves."""
        return PausedWhileSaving(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if coord is None:
            raise ArgumentError(
                "towers that train asynchronously need the session's tf.train.Coordinator: run them in a "
                "MonitoredSession, or by `with step.running(session) as run: run()`"
            )
        if self._threads is not None:  # of a session that was lost
            self._threads.stop()
        self._coordinator = coord
        self._in_run = False
        self._threads = _Threads(session, coord)
        for tower, train_op, staleness, counts in list(
            zip(self.towers, self._train_ops, self._staleness, self._counts)
        )[1:]:
            self._threads.add(tower, train_op, staleness, counts)

    def before_run(self, run_context: Any) -> Any:
        """Starts the threads, and asks for the staleness of tower 0's update, in a run that makes one."""
        if self._threads is None:
            return None
        self._coordinator.raise_requested_exception()
        self._in_run = self._updates(run_context)
        if not self._in_run:
            return None
        self._threads.start()
        return tf.train.SessionRunArgs(self._staleness[0])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._in_run:
            self._in_run = False
            self._counts[0].note(int(run_values.results))

    def end(self, session: Any) -> None:
        threads, self._threads = self._threads, None
        if threads is None:
            return
        # A session that ends by the end of data tells its hooks no more than one that ends otherwise. But it does so
        # while that error is handled.
        if self._in_run and isinstance(sys.exc_info()[1], tf.errors.OutOfRangeError):
            threads.wait_for_the_end_of_data()
        threads.stop()


class PausedWhileSaving(tf.train.CheckpointSaverListener):
    """Pauses the other towers while a CheckpointSaverHook saves; see `AsynchronousTowers.pausing_listener`."""

    def __init__(self, towers: AsynchronousTowers) -> None:
        self._towers = towers
        self._pause: Any = None

    def before_save(self, session: Any, global_step_value: Any) -> None:
        self._pause = self._towers.paused()
        self._pause.__enter__()

    def after_save(self, session: Any, global_step_value: Any) -> None:
        pause, self._pause = self._pause, None
        pause.__exit__(None, None, None)


class _Threads:
    """The threads of one session, and the gate that they pass before each run."""

    def __init__(self, session: Any, coordinator: Any) -> None:
        self._session = session
        self._coordinator = coordinator
        self._loops: List[_Loop] = []
        self._changed = threading.Condition()
        self._pauses = 0
        self._stopping = False
        self._started = False

    def add(self, tower: int, train_op: Any, staleness: Any, counts: _Counts) -> None:
        self._loops.append(_Loop(self, self._session, tower, train_op, staleness, counts))

    def start(self) -> None:
        if not self._started:
            self._started = True
            for loop in self._loops:
                loop.start(self._coordinator)

    def pause(self) -> None:
        """Lets no tower begin a run, and waits until none is in one."""
        with self._changed:
            self._pauses += 1
            until = time.monotonic() + _PAUSE_SECONDS
            while any(loop.in_run for loop in self._loops) and not self.is_over():
                if time.monotonic() > until:
                    self._resume()
                    raise InputError(
                        "tower {} has not completed the update that it is at within {:.0f} s: does it wait for data? "
                        "It can't be paused".format(
                            [loop.tower for loop in self._loops if loop.in_run][0], _PAUSE_SECONDS
                        )
                    )
                self._changed.wait(_LOOK_SECONDS)

    def resume(self) -> None:
        with self._changed:
            self._resume()

    def enter(self, loop: "_Loop") -> bool:
        """Waits while there is a pause; returns whether the tower is to run once more."""
        with self._changed:
            while self._pauses and not self.is_over():
                self._changed.wait(_LOOK_SECONDS)
            loop.in_run = not self.is_over()
            return loop.in_run

    def leave(self, loop: "_Loop") -> None:
        with self._changed:
            loop.in_run = False
            self._changed.notify_all()

    def is_over(self) -> bool:
        """Returns whether no tower is to begin another run."""
        return self._stopping or self._coordinator.should_stop() or is_closed(self._session)

    def wait_for_the_end_of_data(self) -> None:
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
        self._coordinator.request_stop(error_info)

    def _resume(self) -> None:
        self._pauses -= 1
        self._changed.notify_all()


class _Loop:
    """One tower's thread; a coordinator waits for it as for a thread, but gives up one that can't be woken."""

    def __init__(
        self, threads: _Threads, session: Any, tower: int, train_op: Any, staleness: Any, counts: _Counts
    ) -> None:
        self.tower = tower
        self.in_run = False
        self.name = "legacy_towers tower {}".format(tower)
        self._threads = threads
        self._session = session
        self._fetches = [train_op, staleness]
        self._counts = counts
        self._longest: Optional[float] = None  # seconds that a run took
        self._over_since: Optional[float] = None
        self._thread = threading.Thread(target=self._run, name=self.name)
        self._thread.daemon = True

    def start(self, coordinator: Any) -> None:
        self._thread.start()
        coordinator.register_thread(self)

    def is_alive(self) -> bool:
        """Returns whether the thread is to be waited for: it runs, and has not been given up."""
        if not self._thread.is_alive():
            return False
        if self._over_since is None:
            if not self._threads.is_over():
                return True
            self._over_since = time.monotonic()
        grace = _FIRST_GRACE_SECONDS if self._longest is None else max(_GRACE_SECONDS, 2 * self._longest)
        return time.monotonic() - self._over_since < grace

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
                try:
                    staleness = call()[1]
                finally:
                    self._threads.leave(self)
                self._longest = max(self._longest or 0.0, time.monotonic() - started)
                self._counts.note(int(staleness))
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
