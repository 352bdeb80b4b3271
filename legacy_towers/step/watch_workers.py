"""Ends a step that waits for a worker that does not answer any more, with an error that names it."""
import atexit
import os
import sys
import threading
import time
from typing import Any, Callable, List, Optional, Sequence

from legacy_towers.cluster.value import PARAMETER_SERVER, Cluster, Task
from legacy_towers.cluster.watch import MISSING_SECONDS, Silent, Watch
from legacy_towers.compat import tf
from legacy_towers.compat.versions.collectives import is_step_ended_by_another
from legacy_towers.errors import MissingTaskError
from legacy_towers.tensor_types import Coordinator, Session
from legacy_towers.tensorflow_logs import end_held_logs
from legacy_towers.text.names import listed

_POLL_SECONDS = 0.25
# A session whose coordinator stops, and that runs nothing for so many polls, has ended by an error, without `end`.
_OVER_POLLS = 20
# How long the session's thread may take to raise the error, before the process ends.
_LEAVING_SECONDS = 3.0
# What TensorFlow 2 raises for a connection that is lost, and for a run that ends therefore; and how long the watch may
# take to find the task.
_LOST = (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError)
_EXPLAINING_SECONDS = 8.0
_REPLACEMENTS = 2
# Frames of these files show that the session's thread waits, in a run or for the end of the session.
_WAITING_FILES = (
    os.path.join("python", "client", "session.py"), os.path.join("python", "training", "monitored_session.py"),
    os.path.join("python", "training", "coordinator.py"), os.path.join("legacy_towers", "step", "running.py"),
)


class WatchWorkersHook(tf.train.SessionRunHook):
    """Raises `MissingTaskError` in a step that waits for a task that does not answer.

    Runs first, since the start of a session waits for the other workers too. On TensorFlow 1.15 nothing can wake an
    all-reduce that waits for a worker: the process ends then, with exit code 1. While this task saves or evaluates it
    waits for no other worker: one that does not answer then ends the next step. For a parameter server it always waits.

    Attributes:
      seconds: how long a task may not answer before this one ends; one that has ended is noticed within 10 seconds.
      before_exit: called before the process ends while the session's thread still waits.
      at_end: called with the session at its end, while the tasks are still watched: for what all workers run together.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.seconds = MISSING_SECONDS
        self.before_exit: Callable[[], None] = lambda: None
        self.at_end: Callable[[Session], Any] = lambda session: None
        self._cluster = cluster
        self._thread: Optional[int] = None
        self._session: Optional[Session] = None
        self._coordinator: Optional[Coordinator] = None
        self._is_waiting = False
        self._ended = threading.Event()
        self._watching: Optional[threading.Thread] = None
        self._reported: List[Task] = []
        self._silent: Sequence[Silent] = []  # the tasks that do not answer at the moment
        self._missing = ""
        self._is_explaining = False
        self._replacements = 0  # sessions that TensorFlow has made in place of lost ones, since the last step

    @property
    def others(self) -> List[str]:
        """The names of the other workers."""
        return [str(task) for task in self._cluster.training_tasks if task != self._cluster.task]

    def begin(self) -> None:
        """Begins to watch."""
        self._thread = threading.get_ident()
        self._session = self._coordinator = None
        self._replacements = 0
        self._silent = []
        self._is_waiting = True
        self._ended.set()  # ends the thread of an earlier session
        self._ended = threading.Event()
        self._watching = threading.Thread(
            target=self._watch, args=(self._ended,), name="legacy_towers workers", daemon=True
        )
        self._watching.start()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Takes a new session.

        TensorFlow makes another one in place of a session that has lost its connection to a task.

        Raises:
          MissingTaskError: the task has ended; or the connection was lost again before a step.
        """
        self._replacements += self._session is not None
        self._session, self._coordinator = session, coord
        self._thread = threading.get_ident()
        self._is_waiting = True
        # Without this, TensorFlow would make one session after the other.
        if self._replacements and self._wait_for_missing():
            raise MissingTaskError(self._missing)
        if self._replacements >= _REPLACEMENTS:
            raise MissingTaskError("{} has lost its connection to another task {} times, though all answer: all tasks "
                                   "have to start again".format(self._cluster.task, self._replacements))

    def before_run(self, run_context: Any) -> None:
        """Notes that a run waits for the other workers from now on."""
        self._is_waiting = True

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Notes that it does not."""
        self._is_waiting = False
        self._replacements = 0

    def end(self, session: Session) -> None:
        """Ends the watch; that of parameter servers at `stop`, since a checkpoint may be saved yet."""
        self._is_waiting = True
        self.at_end(session)
        self._is_waiting = False
        if not self._cluster.parameter_servers:
            self.stop()

    def stop(self) -> None:
        """Ends the watch."""
        self._ended.set()
        if self._watching is not None:
            self._watching.join(_LEAVING_SECONDS)

    def explain(self, error: BaseException) -> Optional[MissingTaskError]:
        """Returns an error that names the tasks that have ended, for one that says that a connection was lost."""
        is_ended = is_step_ended_by_another(error)
        if isinstance(error, _LOST) or is_ended:
            self._wait_for_missing()
        # Any other error of TensorFlow may follow from the end of the run, such as "Session is closed".
        if self._missing and isinstance(error, tf.errors.OpError):
            return MissingTaskError(self._missing)
        if not is_ended:
            return None
        if self._silent:
            return MissingTaskError(self._waits_for(self._silent))
        return MissingTaskError("another task has ended the step that {} was running, with an error of its own: the "
                                "output of {} says which".format(self._cluster.task, listed(self.others)))

    def _waits_for(self, silent: Sequence[Silent]) -> str:
        return "{} waits for {}".format(self._cluster.task, " and for ".join(map(str, silent)))

    def _wait_for_missing(self) -> bool:
        """Waits until the watch has found the tasks that have ended, for a few seconds; returns whether it has."""
        self._is_explaining = True
        until = time.monotonic() + _EXPLAINING_SECONDS
        while not self._missing and not self._ended.is_set() and time.monotonic() < until:
            time.sleep(0.05)
        self._is_explaining = False
        return bool(self._missing)

    def _watch(self, ended: threading.Event) -> None:
        watch = Watch(self._cluster, self.seconds)
        watch.start()
        over = 0
        try:
            while not ended.wait(_POLL_SECONDS):
                if self._waits_for_own_variables():
                    self._end_process(
                        "{} waits for the initial values of variables that it has for itself: give tf.train."
                        "MonitoredTrainingSession is_chief=True on every worker, and checkpoint_dir on the chief "
                        "alone".format(self._cluster.task)
                    )
                silent = watch.silent()
                if not self._is_in_tensorflow() and not self._is_explaining:
                    over = over + 1 if self._coordinator is not None and self._coordinator.should_stop() else 0
                    if over >= _OVER_POLLS:
                        return
                    continue
                over = 0
                silent = [each for each in silent if self._is_waiting or each.task.type == PARAMETER_SERVER]
                self._silent = silent
                if any(each.is_missing for each in silent):
                    self._end_run(silent)
                    return
                if self._is_waiting:
                    self._report(silent)
        finally:
            watch.stop()

    def _report(self, silent: Sequence[Silent]) -> None:
        """Prints which tasks do not answer, and which do again, once each."""
        for each in silent:
            if each.task not in self._reported:
                self._reported.append(each.task)
                _print("{} waits for {}; it ends after {:.0f} seconds without an answer".format(
                    self._cluster.task, each, self.seconds
                ))
        tasks = [each.task for each in silent]
        for task in [each for each in self._reported if each not in tasks]:
            self._reported.remove(task)
            _print("{} answers again".format(task))

    def _end_run(self, silent: Sequence[Silent]) -> None:
        text = self._waits_for(silent)
        is_raised = self._is_explaining
        self._missing = text
        if is_raised:
            return
        # That of an earlier session has been joined, where TensorFlow tries to create the session again.
        if self._coordinator is not None and not self._coordinator.joined:
            self._coordinator.request_stop(_raised(MissingTaskError(text)))
            # Cancels the run, on TensorFlow 2.
            closing = threading.Thread(target=self._close, name="legacy_towers close", daemon=True)
            closing.start()
            # A thread that is inside TensorFlow when the interpreter ends would abort the process.
            atexit.register(closing.join, _LEAVING_SECONDS)
        until = time.monotonic() + _LEAVING_SECONDS
        while time.monotonic() < until:
            if not self._is_in_tensorflow():
                return
            time.sleep(0.05)
        # Where the error is raised, that prints the tasks.
        self._end_process("{}; the process ends, since nothing can end its step".format(text))

    def _end_process(self, text: str) -> None:
        self.before_exit()
        try:
            _print(text)
            end_held_logs()
            sys.stdout.flush()
        finally:
            os._exit(1)

    def _waits_for_own_variables(self) -> bool:
        """Returns whether the session's thread waits until somebody else initializes what only this worker can."""
        frame = None if self._thread is None else sys._current_frames().get(self._thread)
        is_waiting = frame is not None and frame.f_code.co_name == "wait_for_session"
        return is_waiting and not self._cluster.parameter_servers

    def _close(self) -> None:
        assert self._session is not None
        try:
            self._session.close()
        except (tf.errors.OpError, RuntimeError):  # the process ends if the run does not
            pass

    def _is_in_tensorflow(self) -> bool:
        frame = None if self._thread is None else sys._current_frames().get(self._thread)
        while frame is not None:
            if frame.f_code.co_filename.endswith(_WAITING_FILES):
                return True
            frame = frame.f_back
        return False


def _print(text: str) -> None:
    sys.stderr.write("legacy_towers: {}\n".format(text))
    sys.stderr.flush()


def _raised(error: MissingTaskError) -> Any:
    """Returns the type, the error and its traceback, as a coordinator raises them in the session's thread."""
    try:
        raise error
    except MissingTaskError:
        return sys.exc_info()
