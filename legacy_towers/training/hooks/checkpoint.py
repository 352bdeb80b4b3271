"""Saves checkpoints by steps, by seconds, at the start and at the end."""
import contextlib
import functools
import os
import re
import threading
import time
import warnings
import zlib
from typing import Any, Callable, Iterator, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import JobError, SaveError
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.update.asynchronous_towers import PausedWhileSaving

_GRAPH_FILE = "graph.pbtxt"
_RANDOM_NAME = re.compile(br"_temp_[0-9a-f]{32}/part")


class CheckpointHook(tf.train.SessionRunHook):
    """Saves a session's checkpoints in a `CheckpointStore`, at the intervals of its options.

    It takes the place of `tf.train.CheckpointSaverHook`: give a MonitoredTrainingSession no `checkpoint_dir`, and
    `scaffold=store.scaffold()`, which restores. Put it after the step's hooks, so that the last checkpoint has what
    they do at the end.

    A checkpoint is written between two steps and finished in a thread, so that it takes no more time from training than
    `tf.train.Saver.save`. At the end of the session the hook waits until the last one is visible.

    Args:
      store: the checkpoints; opened when the session begins, unless it is open.
      listeners: as for `tf.train.CheckpointSaverHook`: asynchronous towers need `[towers.pausing_listener()]`. With any
        other listener each save waits until its checkpoint is visible, before `after_save`.
      writer: a `tf.summary.FileWriter` that gets the graph, unless the directory had it already, and is flushed before
        each checkpoint; None for none.
      on_saved: called with the global step and the prefix of each checkpoint that this hook has made visible, in the
        thread of the session; None for nothing.
      step_multiple: during training only steps of these numbers are saved: a checkpoint that is due waits for one.

    Raises (in the session):
      JobError: the session starts before the newest checkpoint of the directory, so it did not restore it.
      SaveError: a checkpoint can't be written, and the store's `on_full_disk` is "stop", or it is the last one. With
        "continue", a warning says so.
    """

    def __init__(
        self,
        store: CheckpointStore,
        listeners: Sequence[Any] = (),
        writer: Optional[Any] = None,
        on_saved: Optional[Callable[[int, str], None]] = None,
        step_multiple: int = 1,
    ) -> None:
        self.store = store
        self._listeners = list(listeners)
        self._writer = writer
        self._on_saved = on_saved
        self._step_multiple = step_multiple
        self._global_step: Optional[Any] = None
        self._saved_step: Optional[int] = None  # of the last checkpoint, also if it could not be written
        self._prefix: Optional[str] = None  # of the last one that is complete
        self._saved_at = 0.0
        self._failed: Optional[SaveError] = None
        self._lock = threading.RLock()  # another thread may save while a run of this one waits

    def begin(self) -> None:
        """Prepares the saver; nothing is added to the graph later."""
        self._global_step = tf.train.get_or_create_global_step()
        self.store.prepare_saver()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Saves the start of a run that does not resume."""
        step = int(session.run(self._global_step))
        self.store.open()
        newest = self.store.restored or self.store.newest()
        if newest.step is not None and step < newest.step:
            raise JobError(
                "the session starts at step {}, but {} is of step {}: restore it, by scaffold=store.scaffold() in a "
                "MonitoredTrainingSession or by store.restore(session), or use an empty directory".format(
                    step, newest.checkpoint, newest.step
                )
            )
        self._saved_step, self._prefix, self._saved_at = newest.step, newest.checkpoint, time.monotonic()
        self._write_graph(session)
        if step != newest.step:
            self._save(session, step)

    def before_run(self, run_context: Any) -> Any:
        """Fetches the global step, if checkpoints are saved by steps."""
        return None if self.store.options.save_steps is None else tf.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Saves a checkpoint if one is due."""
        with self._lock:
            self._save_if_due(run_context, run_values)

    def _save_if_due(self, run_context: Any, run_values: Any) -> None:
        if not self.store.is_finishing():
            self._finish()
        # The run may have read the global step before it incremented it.
        if not self._is_due(None if run_values.results is None else int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._global_step))
        if step == self._saved_step or step % self._step_multiple or not self._is_due(step):
            return
        if self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves the last step, and waits until its checkpoint is visible."""
        try:
            self.save(session)
        finally:
            step = int(session.run(self._global_step))
            for listener in self._listeners:
                listener.end(session, step)

    def save(self, session: Any, confirm: Optional[Callable[[], bool]] = None) -> Optional[str]:
        """Saves the current step, unless that is done, and waits until it is visible; returns its prefix.

        Args:
          confirm: for a save beside a run: called when the values are written, returns whether no step has changed
            them meanwhile.

        Raises:
          SaveError: it can't be written, whatever `on_full_disk` is; or `confirm` does not confirm it.
        """
        with self._lock:
            step = int(session.run(self._global_step))
            self._finish()
            if step != self._saved_step or self._failed is not None:
                self._save(session, step, confirm and functools.partial(self._confirm, session, step, confirm))
                self._finish()
            if self._failed is not None:
                raise self._failed
            return self._prefix

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Returns a context manager inside which towers that train asynchronously make no update."""
        with contextlib.ExitStack() as stack:
            for each in self._listeners:
                if isinstance(each, PausedWhileSaving):
                    stack.enter_context(each.paused())
            yield

    def _is_due(self, step: Optional[int]) -> bool:
        options = self.store.options
        if options.save_seconds is not None and time.monotonic() - self._saved_at >= options.save_seconds:
            return True
        if step is None or options.save_steps is None:
            return False
        # By multiples of the interval, so that a resumed run saves at the same steps.
        return step // options.save_steps > (self._saved_step or 0) // options.save_steps

    def _confirm(self, session: Any, step: int, confirm: Callable[[], bool]) -> bool:
        return confirm() and int(session.run(self._global_step)) == step

    def _save(self, session: Any, step: int, confirm: Optional[Callable[[], bool]] = None) -> bool:
        """Writes the checkpoint of a step; returns whether a listener asks to stop."""
        self._finish()
        self._saved_step, self._saved_at = step, time.monotonic()
        pausing = [each for each in self._listeners if isinstance(each, PausedWhileSaving)]
        others = [each for each in self._listeners if not isinstance(each, PausedWhileSaving)]
        for listener in self._listeners:
            listener.before_save(session, step)
        try:
            self._flush_summaries()
            self.store.write(session, step, **({} if confirm is None else {"confirm": confirm}))
        except SaveError as error:
            self._fail(error)
        finally:
            for listener in pausing:
                listener.after_save(session, step)
        if others:
            self._finish()
        if self._failed is not None:
            return False
        return any([listener.after_save(session, step) for listener in others])

    def _flush_summaries(self) -> None:
        """Flushes the writer: a run that resumes here writes later summaries again, but no earlier ones."""
        if self._writer is None:
            return
        try:
            self._writer.flush()
        except (OSError, tf.errors.OpError) as error:
            warnings.warn("summaries can't be written: {}; training continues".format(error), stacklevel=2)

    def _finish(self) -> None:
        try:
            prefix = self.store.wait()
            if prefix is not None:
                self._prefix, self._failed = prefix, None
        except SaveError as error:
            self._fail(error)
            return
        if prefix is not None and self._on_saved is not None:
            self._on_saved(int(self._saved_step or 0), prefix)

    def _fail(self, error: SaveError) -> None:
        self._failed = error
        if self.store.options.on_full_disk == "stop":
            raise error
        warnings.warn("{}; training continues".format(error), stacklevel=2)

    def _write_graph(self, session: Any) -> None:
        """Writes the graph, unless the directory has it: a run that is started again and again writes it once."""
        graph = session.graph.as_graph_def(add_shapes=True)
        # The text of the same graph can have the attributes of a node in another order, and savers of TensorFlow 1.15
        # have a random name in it.
        same = _RANDOM_NAME.sub(b"", graph.SerializeToString(deterministic=True))
        header = "# crc32 of the graph: {:08x}\n".format(zlib.crc32(same))
        path = os.path.join(self.store.directory, _GRAPH_FILE)
        if files.exists(path) and files.read(path).startswith(header.encode("ascii")):
            return
        try:
            self.store.write_text(_GRAPH_FILE, header + str(graph))
        except SaveError as error:
            self._fail(error)
            return
        if self._writer is not None:
            self._writer.add_graph(session.graph)
