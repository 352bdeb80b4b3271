"""`CheckpointStore`: saves, keeps and restores the checkpoints of a directory."""
import functools
import os
import warnings
import weakref
from typing import Any, Callable, List, Mapping, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, SaveError
from legacy_towers.inputs.position import Resumed
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.best import Best, is_better, read_best, update_best, write_best
from legacy_towers.training.checkpoints.finishing import Finishing
from legacy_towers.training.checkpoints.fits import by_checkpoint_name, check_fits
from legacy_towers.training.checkpoints.input_position import position_file, resume_input
from legacy_towers.training.checkpoints.keep import remove_others
from legacy_towers.training.checkpoints.lock import DirectoryLock
from legacy_towers.training.checkpoints.manifest import read_manifest
from legacy_towers.training.checkpoints.marks import remove_litter, replace_file
from legacy_towers.training.checkpoints.newest import BASENAME, Newest, find_newest, list_checkpoints
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.savers import graph_savers
from legacy_towers.training.checkpoints.state_file import STATE_FILE
from legacy_towers.training.checkpoints.write import Staged, discard, publish, reason, stage


class CheckpointStore:
    """The checkpoints of a directory: saved completely or not at all, checked, and restored from the newest valid one.

        with lt.training.CheckpointStore("run") as store:
            hook = lt.training.CheckpointHook(store)
            with tf.train.MonitoredTrainingSession(
                hooks=list(step.hooks) + [hook], scaffold=store.scaffold()     # no checkpoint_dir
            ) as session:
                while not session.should_stop():
                    session.run(step.train_op)

    The checkpoints are those of `tf.train.Saver`: it restores them, and `tf.train.latest_checkpoint` finds them.

    Inside `with`, the directory is locked: a second run there is refused. Leaving it waits for a checkpoint that is
    being finished, and removes the lock.

    Args:
      directory: the directory; created if it does not exist.
      options: how many checkpoints are kept, and whether training goes on where one can't be written; the intervals are
        the hook's.
      saver: the `tf.train.Saver`; None: that of the collection SAVERS of the graph, or one of all global variables.

    Attributes:
      restored: what `restore` restored last; None before.
      resumed: where the input continues after that; None before, and for a graph whose input has no position.

    Raises:
      ArgumentError: an option is out of range.
    """

    def __init__(
        self, directory: str, options: Optional[CheckpointOptions] = None, saver: Optional[Any] = None
    ) -> None:
        self.directory = directory
        self.options = (CheckpointOptions() if options is None else options).checked()
        self.restored: Optional[Newest] = None
        self.resumed: Optional[Resumed] = None
        self._saver = saver
        self._lock: Optional[DirectoryLock] = None
        self._release: Optional[Any] = None
        self._finishing: Optional[Finishing] = None
        self._newest: Optional[Newest] = None  # what was verified; nobody else writes while the directory is locked
        self._damaged: List[str] = []
        self._last_size: Optional[int] = None
        self._read_evaluations: Optional[Callable[[int], Sequence[Any]]] = None

    def open(self) -> "CheckpointStore":
        """Locks the directory, and removes what killed runs left in it; nothing if it is open.

        Raises:
          JobError: another run has the lock.
        """
        if self._lock is None:
            files.make_directory(self.directory)
            self._lock = DirectoryLock(self.directory)
            # Also when the process ends, or nobody has the store any more: a session that failed calls no hook.
            self._release = weakref.finalize(self, self._lock.release)
            remove_litter(self.directory, BASENAME)
        return self

    def close(self) -> None:
        """Waits for a checkpoint that is being finished, and removes the lock.

        Raises:
          SaveError: that checkpoint can't be written.
        """
        try:
            self.wait()
        finally:
            if self._release is not None:
                self._release()
            self._lock = self._release = self._newest = None

    def unlock(self) -> None:
        """Removes the lock, and waits for nothing: for a process that is about to end."""
        if self._release is not None:
            self._release()

    def __enter__(self) -> "CheckpointStore":
        return self.open()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if error is None:
            self.close()
            return
        try:
            self.close()
        except SaveError:  # the error that ends the block says more
            pass

    def newest(self) -> Newest:
        """Returns the newest valid checkpoint; see `find_newest`.

        While the store is open, the directory is locked, and a checkpoint is read and verified once: a resumed run asks
        several times. One that this store saved was verified when it was saved.

        Raises:
          JobError: there are checkpoints, but none is valid.
        """
        if self._newest is not None:
            return self._newest
        newest = find_newest(self.directory)
        self._damaged = [os.path.basename(prefix) for prefix in newest.damaged]
        if self._lock is not None:
            self._newest = newest
        return newest

    def restore(self, session: Any) -> Newest:
        """Restores the newest valid checkpoint, if there is one, and returns it.

        The input of the graph's train step continues where it was when the checkpoint was saved. If it can't, a warning
        says why.

        Raises:
          JobError: there are checkpoints, but none is valid, or the newest does not fit the graph.
        """
        newest = self.newest()
        if newest.checkpoint is not None:
            with session.graph.as_default():
                if self._saver is None:
                    check_fits(newest.checkpoint, by_checkpoint_name(tf.global_variables()))
                self.saver().restore(session, newest.checkpoint)
            before, self.resumed = self.resumed, resume_input(session.graph, newest.checkpoint)
            if self.resumed is not None and self.resumed.note and self.resumed != before:
                warnings.warn(self.resumed.note, stacklevel=2)
        self.restored = newest
        return newest

    def restore_variables(self, session: Any) -> Newest:
        """Restores the variables of the newest valid checkpoint during a session, if there is one, and returns it.

        All else goes on where it is, such as the input.

        Raises:
          JobError: there are checkpoints, but none is valid.
          SaveError: a checkpoint that was being finished can't be written.
        """
        self.wait()
        newest = self.newest()
        if newest.checkpoint is not None:
            with session.graph.as_default():
                self.saver().restore(session, newest.checkpoint)
        return newest

    def scaffold(self, **options: Any) -> Any:
        """Returns a `tf.train.Scaffold` that restores the newest valid checkpoint into a new session.

        Args:
          options: of `tf.train.Scaffold`, except `init_fn`.
        """
        return tf.train.Scaffold(init_fn=lambda scaffold, session: self.restore(session) and None, **options)

    def saver(self) -> Any:
        """Returns the saver of the default graph, which is created and built if necessary."""
        saver = self._saver or self.prepare_saver()
        if saver.saver_def is None:
            saver.build()
        return saver

    def prepare_saver(self) -> Any:
        """Returns the saver, and creates it if necessary; see `graph_savers`."""
        if self._saver is not None:
            return self._saver
        savers = graph_savers()
        if len(savers) > 1:
            raise ArgumentError(
                "the graph has {} savers in its collection SAVERS: give CheckpointStore(saver=...)".format(len(savers))
            )
        return savers[0]

    def write(self, session: Any, step: int, confirm: Optional[Callable[[], bool]] = None) -> None:
        """Writes the checkpoint of a step, and finishes it in a thread: `wait` returns once it is visible.

        What takes time in the caller's thread is what `tf.train.Saver.save` does. Variables can change afterwards.

        Args:
          confirm: called in that thread before the checkpoint becomes visible; if it returns False, it is discarded.

        Raises:
          SaveError: it can't be written, or the one before could not be finished.
        """
        self.wait()
        self.open()
        with session.graph.as_default():
            saver = self.saver()
            needed = self._last_size or _size_of_variables()
        name = "{}-{}".format(BASENAME, step)
        staged = stage(self.directory, name, int(step), session, saver, needed, position_file(session.graph))
        self._finishing = Finishing("checkpoint of step {}".format(step), functools.partial(
            self._finish, staged, confirm
        ))

    def save(self, session: Any, step: int) -> str:
        """Writes the checkpoint of a step and waits until it is visible; returns its prefix.

        Raises:
          SaveError: it can't be written.
        """
        self.write(session, step)
        return str(self.wait())

    def wait(self) -> Optional[str]:
        """Waits until a checkpoint that is being finished is visible, and returns its prefix; None without one.

        Raises:
          SaveError: it can't be written.
        """
        finishing, self._finishing = self._finishing, None
        return None if finishing is None else finishing.result()

    def write_text(self, name: str, text: str) -> None:
        """Writes a text file into the directory atomically.

        Raises:
          SaveError: it can't be written; nothing of it is left.
        """
        self.open()
        self.wait()
        path, content = os.path.join(self.directory, name), text.encode("utf-8")
        try:
            replace_file(self.directory, name, content)
        except (OSError, tf.errors.OpError) as error:
            raise SaveError("{} can't be written: {} (it needs {:,} bytes)".format(
                path, reason(error), len(content)
            )) from error

    def is_finishing(self) -> bool:
        """Returns whether a checkpoint is being finished at this moment."""
        return self._finishing is not None and self._finishing.is_alive()

    def is_better(self, metrics: Mapping[str, float]) -> bool:
        """Returns whether metrics are better than those of the best checkpoint; False without `keep_best`.

        Raises:
          ArgumentError: the metric of `keep_best` is not among them.
        """
        by = self.options.keep_best
        return by is not None and is_better(by, metrics, self.best())

    def best(self) -> Optional[Best]:
        """Returns the best checkpoint so far by `keep_best`; None if there is none."""
        by = self.options.keep_best
        return None if by is None else read_best(self.directory, by)

    def evaluated(self, step: int, metrics: Mapping[str, float]) -> bool:
        """Takes the metrics of an evaluation of a step: its checkpoint is kept if it is the best so far.

        Args:
          step: the global step; if it is the best, it must have a checkpoint.
          metrics: name -> value.

        Returns:
          Whether it is the best so far; False without `keep_best`.

        Raises:
          ArgumentError: the metric of `keep_best` is not among them, or there is no checkpoint of the step.
        """
        self.wait()
        by = self.options.keep_best
        if by is None or not self.is_better(metrics):
            return False
        names = [each.name for each in list_checkpoints(self.directory) if each.step == step]
        if not names:
            raise ArgumentError("{} has no checkpoint of step {}: save one before its evaluation".format(
                self.directory, step
            ))
        self.open()
        write_best(self.directory, Best(by, float(metrics[by.partition(":")[2]]), int(step), names[0]))
        remove_others(self.directory, self.options, self._damaged)
        return True

    def follow_evaluations(self, read: Callable[[int], Sequence[Any]]) -> None:
        """Keeps the best checkpoint by evaluations that another process makes, beside those of `evaluated`.

        Args:
          read: returns the evaluations so far, up to a global step; each has the attributes `step` and `metrics`. It is
            called before checkpoints are removed.
        """
        self._read_evaluations = read

    def _finish(self, staged: Staged, confirm: Optional[Callable[[], bool]]) -> str:
        """Makes a written checkpoint visible, in a thread of its own; returns its prefix."""
        if confirm is not None and not confirm():
            discard(staged)
            raise SaveError("a step went on while its checkpoint, of step {}, was written: it is discarded".format(
                staged.step
            ))
        name = publish(staged)
        prefix = os.path.join(self.directory, name)
        self._last_size = read_manifest(prefix).size
        if self._newest is not None and staged.step >= (self._newest.step or 0):
            self._newest = Newest(prefix, staged.step, [], [])
        self._damaged = [each for each in self._damaged if each != name]
        try:
            if self.options.keep_best is not None and self._read_evaluations is not None:
                update_best(self.directory, self.options.keep_best, self._read_evaluations(staged.step))
            remove_others(self.directory, self.options, self._damaged)
        except OSError as error:
            raise SaveError("{} is saved, but {} can't be updated: {}".format(
                prefix, os.path.join(self.directory, STATE_FILE), reason(error)
            )) from error
        return prefix


def _size_of_variables() -> int:
    """Returns the bytes of the global variables of the default graph, as far as their shapes are known."""
    return sum(
        variable.dtype.base_dtype.size * (variable.shape.num_elements() or 0) for variable in tf.global_variables()
    )
