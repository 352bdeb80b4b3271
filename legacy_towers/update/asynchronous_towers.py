"""Runs asynchronous towers: tower 0 in the caller's loop, each of the others in its own thread.

    the caller   run  run  run  ...  end       (tower 0)
    a thread       run run run ...  |          (tower 1: starts with tower 0's first run, ends with its last)
    a thread       run  run  run ...|          (tower 2)
"""
import contextlib
import sys
import threading
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.walk import RunNeeds
from legacy_towers.tensor_types import Coordinator, Operation, Session, Tensor, Variable
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.update.tower_threads import CurrentRun, TowerThreads

# The last entry of a histogram counts this staleness and all above it.
_STALEST = 64


@documented_fields
class TowerStaleness(NamedTuple):
    """The staleness of one tower's updates so far.

    Attributes:
      tower: its index.
      updates: how many there were.
      mean: how many updates of other towers were applied between this tower's reading of the variables and its own
        update, on average; 0.0 without updates.
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


class StalenessCounts:
    """The staleness of one tower's updates, in a fixed amount of memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histogram = [0] * (_STALEST + 1)
        self._total = 0
        self._most = 0

    def note(self, staleness: int) -> None:
        """Counts one update."""
        with self._lock:
            self._histogram[min(staleness, _STALEST)] += 1
            self._total += staleness
            self._most = max(self._most, staleness)

    def summary(self, tower: int) -> TowerStaleness:
        """Returns the counts so far, as those of tower `tower`."""
        with self._lock:
            updates = sum(self._histogram)
            mean = float(self._total) / updates if updates else 0.0
            return TowerStaleness(tower, updates, mean, self._most, tuple(self._histogram))


class AsynchronousTowers(tf.train.SessionRunHook):
    """Runs all towers but tower 0, each in its own thread, while tower 0 runs in the caller's loop.

    The threads start with the first run that updates tower 0, so that a session can be restored or evaluated before.
    From then on they continue on their own, also between two runs of the caller.

    When training ends:

    - The caller's loop ends, or a hook requests a stop: each tower completes its current update and starts no other.
    - The data of a tower other than 0 ends: this tower ends, and the others continue.
    - The data of tower 0 ends: its run raises tf.errors.OutOfRangeError. When that error leaves the `with` block of the
      session, the hook waits for the other towers until their data has ended too. (Where the caller catches the error
      and leaves the block, they stop at once. Hooks of a MonitoredSession that come before this one, such as
      its own CheckpointSaverHook, end before that wait: for a last checkpoint with every update, create a
      `tf.train.CheckpointSaverHook` and put it after the step's hooks.)
    - `stop_at(step)` was called: all towers together make no update beyond that global step, and the last update is
      tower 0's, so that a StopAtStepHook of the same step ends the loop at that moment.
    - A tower's run fails: all towers stop, and the caller gets the error at the next run, or when the session ends. Its
      message begins with the tower.

    A checkpoint that is saved while towers write can have some variables from before an update and others from after
    it. For a consistent one, save inside `paused()`, or pass `pausing_listener()` to a CheckpointSaverHook.

    In a session without this hook tower 0 would train alone: an operation from `needing_towers` fails there.

    Attributes:
      towers: the towers' indices; the caller runs the first.
    """

    def __init__(
        self,
        train_ops: Sequence[Operation],
        staleness: Sequence[Tensor],
        towers: Optional[Sequence[int]] = None,
        global_step: Optional[Variable] = None,
    ) -> None:
        """
        Args:
          train_ops: per tower, the operation of one update.
          staleness: per tower, an int64 scalar tensor of the same run: how many updates of other towers it missed.
        """
        self._global_step = global_step
        self._last_step: Optional[int] = None
        self.towers = list(range(len(train_ops))) if towers is None else list(towers)
        self._train_ops = list(train_ops)
        self._staleness = list(staleness)
        self._counts = [StalenessCounts() for _ in self.towers]
        self._updates = RunNeeds([train_ops[0]])
        self._threads: Optional[TowerThreads] = None
        self._coordinator: Coordinator = None
        self._in_run = False  # tower 0's run has not ended yet, or has raised an error
        self._has_hook: Optional[Variable] = None  # initialized while a session has this hook
        self._clear_presence: Optional[Operation] = None
        self._ids: Sequence[Tensor] = ()
        self._count: Optional[Callable[[Sequence[Any]], None]] = None

    @property
    def staleness(self) -> List[TowerStaleness]:
        """The staleness of each tower's updates since the hook was created; each prints as a sentence."""
        return [counts.summary(tower) for tower, counts in zip(self.towers, self._counts)]

    def count_examples(self, count: Callable[[Sequence[Any]], None], ids: Sequence[Tensor] = ()) -> None:
        """Lets `count` know of each run of the towers that run in threads, before a pause of them can begin.

        Args:
          count: called in the tower's thread, with the values of its ids in a list.
          ids: per tower, a tensor with the ids of its examples; (): `count` gets an empty list.
        """
        self._count, self._ids = count, list(ids)

    def current_runs(self) -> List[CurrentRun]:
        """Returns the runs of the towers in threads that have not ended; none before they start and after they end."""
        threads = self._threads
        return [] if threads is None else threads.current_runs()

    def stop_at(self, last_step: int) -> None:
        """Ends all towers' updates at global step `last_step`; to be called before a session is created.

        Raises:
          ArgumentError: the hook was created without the global step.
        """
        if self._global_step is None:
            raise ArgumentError(
                "stop_at({}): this hook was created without the global step: pass AsynchronousTowers its "
                "global_step".format(last_step)
            )
        self._last_step = last_step

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Returns a context manager inside which no other tower updates the variables.

            with hook.paused():
                saver.save(session, path, step.global_step)      # between two runs of the loop

        On entry it waits for each tower's current update.

        Raises:
          InputError: an update takes longer than a minute, for example because it waits for data.
        """
        threads = self._threads
        if threads is not None:
            threads.pause()
        try:
            yield
        finally:
            if threads is not None:
                threads.resume()

    def is_paused(self) -> bool:
        """Returns whether no other tower updates the variables: inside `paused()`, and before and after training."""
        return self._threads is None or self._threads.is_paused

    def pausing_listener(self) -> "PausedWhileSaving":
        """Returns a listener for `tf.train.CheckpointSaverHook(..., listeners=[...])`: towers pause while it saves."""
        return PausedWhileSaving(self)

    def needing_towers(self, train_op: Operation) -> Operation:
        """Returns an operation that runs `train_op`, and fails in a session in which the other towers do not run.

        It is added to the default graph; to be called before a session is created. With one tower it is `train_op`.
        """
        others = self.towers[1:]
        if not others:
            return train_op
        with tf.device("/cpu:0"), tf.name_scope("asynchronous/other_towers"):
            # In no collection, so that nothing but this hook initializes it.
            self._has_hook = tf.Variable(True, trainable=False, collections=[], name="present", use_resource=True)
            self._clear_presence = tf.raw_ops.DestroyResourceOp(resource=self._has_hook.handle)
            they_run = tf.Assert(tf.is_variable_initialized(self._has_hook), [
                "the other towers ({}) run in threads that the step's hooks start, and this session has no such hooks: "
                "give it hooks=step.hooks, as to tf.train.MonitoredTrainingSession, or run the step by "
                "`with step.running(session) as run: run()`".format(", ".join(map(str, others)))
            ])
            return tf.group(they_run, train_op, name="train_op")

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Prepares the threads of a new session."""
        if coord is None:
            raise ArgumentError(
                "towers that train asynchronously need the session's tf.train.Coordinator: run them in a "
                "MonitoredSession, or by `with step.running(session) as run: run()`"
            )
        if self._threads is not None:  # of an earlier session, which was lost
            self._threads.stop()
        if self._has_hook is not None:
            session.run(self._has_hook.initializer)
        self._coordinator = coord
        self._in_run = False
        self._threads = TowerThreads(session, coord)
        for tower, train_op, staleness, counts in list(
            zip(self.towers, self._train_ops, self._staleness, self._counts)
        )[1:]:
            ids = [self._ids[self.towers.index(tower)]] if self._ids else []
            self._threads.add(tower, train_op, staleness, counts.note, ids, self._count)

    def before_run(self, run_context: Any) -> Any:
        """Starts the threads, and fetches the staleness of tower 0's update, in a run that makes one."""
        if self._threads is None:
            return None
        self._coordinator.raise_requested_exception()
        self._in_run = self._updates(run_context)
        if not self._in_run:
            return None
        if self._last_step is not None and not self._threads.is_limited:
            self._threads.limit(self._last_step - int(run_context.session.run(self._global_step)))
        self._threads.take_callers_run()
        self._threads.start()
        return tf.train.SessionRunArgs(self._staleness[0])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Counts the staleness of tower 0's update."""
        if self._in_run:
            self._in_run = False
            self._counts[0].note(int(run_values.results))

    def end(self, session: Session) -> None:
        """Stops the threads; at the end of the data waits until the other towers' data has ended too."""
        threads, self._threads = self._threads, None
        if threads is None:
            return
        # A session calls `end` in the same way whether or not the data has ended; but at the end of the data it does so
        # while that error is handled.
        if self._in_run and isinstance(sys.exc_info()[1], tf.errors.OutOfRangeError):
            threads.wait_for_the_end_of_data()
        threads.stop()
        if self._clear_presence is not None:
            session.run(self._clear_presence)


class PausedWhileSaving(tf.train.CheckpointSaverListener):
    """Pauses the other towers while a CheckpointSaverHook saves; see `AsynchronousTowers.pausing_listener`."""

    def __init__(self, towers: AsynchronousTowers) -> None:
        self._towers = towers
        self._pause: Any = None

    def paused(self) -> Any:
        """Returns a context manager inside which no other tower updates the variables."""
        return self._towers.paused()

    def before_save(self, session: Session, global_step_value: int) -> None:
        """Pauses the towers."""
        self._pause = self._towers.paused()
        self._pause.__enter__()

    def after_save(self, session: Session, global_step_value: int) -> None:
        """Resumes the towers."""
        pause, self._pause = self._pause, None
        pause.__exit__(None, None, None)
