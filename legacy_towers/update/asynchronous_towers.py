"""Towers that run on their own: tower 0 in the caller's loop, each of the others in a thread beside it.

    the caller   run  run  run  ...  end       (tower 0)
    a thread       run run run ...  |          (tower 1: starts with tower 0's first run, ends with it)
    a thread       run  run  run ...|          (tower 2)
"""
import contextlib
import sys
from typing import Any, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.run_needs import RunNeeds
from legacy_towers.tower_threads import TowerThreads
from legacy_towers.update.staleness import StalenessCounts, TowerStaleness


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
    - `stop_at(step)` was called: all towers together make no update beyond that global step, and the last one is tower
      0's, so that a StopAtStepHook of the same step ends the loop just then.
    - A tower's run fails: all stop, and the caller gets that error at his next run, or as the session ends. Its message
      begins with the tower.

    A checkpoint that is taken while towers write can hold some variables of before an update, and others of after it.
    To save all of one moment, save inside `paused()`, or give `pausing_listener()` to a CheckpointSaverHook.

    In a session without this hook tower 0 would train alone: an operation of `needing_towers` fails there.

    Attributes:
      towers: the towers' indices; the first one's is run by the caller.
    """

    def __init__(
        self,
        train_ops: Sequence[Any],
        staleness: Sequence[Any],
        towers: Optional[Sequence[int]] = None,
        global_step: Optional[Any] = None,
    ) -> None:
        """
        Args:
          train_ops: per tower, the operation of one update of its own.
          staleness: per tower, an int64 scalar tensor of the same run: how many updates of others came between.
          towers: their indices; None: 0, 1, ...
          global_step: the global step variable, for `stop_at`.
        """
        self._global_step = global_step
        self._last_step: Optional[int] = None
        self.towers = list(range(len(train_ops))) if towers is None else list(towers)
        self._train_ops = list(train_ops)
        self._staleness = list(staleness)
        self._counts = [StalenessCounts() for _ in self.towers]
        self._updates = RunNeeds([train_ops[0]])
        self._threads: Optional[TowerThreads] = None
        self._coordinator: Any = None
        self._in_run = False  # tower 0's run has not ended yet, or has raised
        self._present: Optional[Any] = None  # a variable that has a value while a session has this hook
        self._leave: Optional[Any] = None

    @property
    def staleness(self) -> List[TowerStaleness]:
        """The staleness of the updates of each tower, since the hook was made; print one for a sentence."""
        return [counts.summary(tower) for tower, counts in zip(self.towers, self._counts)]

    def stop_at(self, last_step: int) -> None:
        """Lets all towers together make no update beyond global step `last_step`; call it before a session is made.

        Raises:
          ArgumentError: the hook does not know the global step.
        """
        if self._global_step is None:
            raise ArgumentError("stop_at({}): this hook was made without the global step".format(last_step))
        self._last_step = last_step

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

    def needing_towers(self, train_op: Any) -> Any:
        """Returns an operation that does what `train_op` does, and fails in a session where no other tower runs.

        Of the default graph; call it before a session is made. With one tower it is `train_op` itself.
        """
        others = self.towers[1:]
        if not others:
            return train_op
        with tf.device("/cpu:0"), tf.name_scope("asynchronous/other_towers"):
            # In no collection: no initializer but this hook gives it a value.
            self._present = tf.Variable(True, trainable=False, collections=[], name="present", use_resource=True)
            self._leave = tf.raw_ops.DestroyResourceOp(resource=self._present.handle)
            they_run = tf.Assert(tf.is_variable_initialized(self._present), [
                "the other towers ({}) run in threads that the step's hooks start, and this session has no such hooks: "
                "give it hooks=step.hooks, as to tf.train.MonitoredTrainingSession, or run the step by "
                "`with step.running(session) as run: run()`".format(", ".join(map(str, others)))
            ])
            return tf.group(they_run, train_op, name="train_op")

    def after_create_session(self, session: Any, coord: Any) -> None:
        if coord is None:
            raise ArgumentError(
                "towers that train asynchronously need the session's tf.train.Coordinator: run them in a "
                "MonitoredSession, or by `with step.running(session) as run: run()`"
            )
        if self._threads is not None:  # of a session that was lost
            self._threads.stop()
        if self._present is not None:
            session.run(self._present.initializer)
        self._coordinator = coord
        self._in_run = False
        self._threads = TowerThreads(session, coord)
        for tower, train_op, staleness, counts in list(
            zip(self.towers, self._train_ops, self._staleness, self._counts)
        )[1:]:
            self._threads.add(tower, train_op, staleness, counts.note)

    def before_run(self, run_context: Any) -> Any:
        """Starts the threads, and asks for the staleness of tower 0's update, in a run that makes one."""
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
        if self._leave is not None:
            session.run(self._leave)


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
