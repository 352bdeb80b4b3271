"""Reports a step that takes too long, with what everybody waits for, and can end the run then."""
import sys
import threading
import time
from typing import Any, Callable, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import SaveError, StallError
from legacy_towers.training.hooks.blocked_run import BlockedRun
from legacy_towers.training.hooks.signal_watch import end_process
from legacy_towers.training.hooks.stall_report import StallReport
from legacy_towers.training.stall_policy import ON_STALL, check_stall

# The first step of a session compiles and fills queues: it may take this many times longer.
_FIRST_STEP = 10
# How long the session's thread may take to raise the error, before the process ends.
_LEAVING_SECONDS = 10.0


class StallHook(tf.train.SessionRunHook):
    """Reports a run of the session that takes longer than `seconds`, once per run, with what it waits for.

        stall = lt.training.StallHook(step, seconds=300, on_stall="abort", saving=checkpoint_hook)
        with tf.train.MonitoredTrainingSession(hooks=[stall] + step.hooks + [checkpoint_hook], ...) as session:

    The report names the queues with their sizes, the staging areas, the iterators, the towers that read them, and the
    line of the user's code where each thread is. Put the hook first, so that the waiting of other hooks is seen, and
    their saves and evaluations after a step are not counted. `step.running(session, hooks=[stall])` puts it first
    itself. Where towers train asynchronously, the updates of all towers are timed, and the report begins with the
    tower.

    With "abort" a checkpoint of the last complete step is saved, and the session raises `StallError`. Where nothing can
    wake the run (a staging area, a generator of tf.data, a py_func), the process ends with exit code 1. If an
    asynchronous tower other than 0 waits, nothing is saved: its update could be partly in the checkpoint.

    Attributes:
      runs_first: True: `step.running` calls it before the step's own hooks.

    Args:
      step: the `TrainStep`; None: towers are not named.
      seconds: how long a run may take; the first one of a session ten times as long, since it compiles.
      on_stall: "wait": the report is all; "abort": the run is ended.
      saving: the `CheckpointHook` of the session, for a checkpoint before an abort; None: none is saved.
      report: called with the report, a text of several lines, in a thread; None: it is printed to standard error.

    Raises:
      ArgumentError: `seconds` is not above 0, or `on_stall` is unknown.
      StallError, in the session: the run was ended.
    """

    runs_first = True

    def __init__(
        self,
        step: Optional[Any] = None,
        seconds: float = 600.0,
        on_stall: str = "wait",
        saving: Optional[Any] = None,
        report: Optional[Callable[[str], None]] = None,
    ) -> None:
        check_stall(seconds, on_stall)
        self.saving = saving
        self._step = step
        self._towers = None if step is None else step.asynchronous
        self._reported_runs: Set[Tuple[int, int]] = set()  # (tower, number of its run)
        self._seconds = seconds
        self._aborts = on_stall == ON_STALL[1]
        self._report = report or _print
        self._text: Optional[StallReport] = None
        self._blocked: Optional[BlockedRun] = None
        self._since: Optional[float] = None  # when the current run began
        self._first = True
        self._is_reported = False
        self._ended = threading.Event()

    def begin(self) -> None:
        """Creates the operations that return sizes."""
        self._text = StallReport(self._step)
        self._blocked = BlockedRun()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts to watch."""
        assert self._blocked is not None
        self._blocked.attach(session, coord)
        self._since, self._first = None, True
        self._reported_runs = set()
        self._ended.set()  # ends the thread of a session that was lost
        self._ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(self._ended,), name="legacy_towers stall")
        thread.daemon = True
        thread.start()

    def before_run(self, run_context: Any) -> None:
        """Notes the beginning of a run."""
        self._is_reported = False
        self._since = time.monotonic()

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Notes the end of a run."""
        self._since, self._first = None, False

    def end(self, session: Any) -> None:
        """Ends the watch."""
        self._ended.set()

    def _watch(self, ended: threading.Event) -> None:
        assert self._blocked is not None
        while not ended.wait(min(1.0, self._seconds / 10.0)):
            if self._blocked.is_over():
                return
            self._watch_towers()
            since, limit = self._since, self._seconds * (_FIRST_STEP if self._first else 1)
            if since is None or self._is_reported or time.monotonic() - since <= limit:
                continue
            if self._blocked.is_in_run():
                self._is_reported = True
                self._stalled(time.monotonic() - since)

    def _watch_towers(self) -> None:
        """Reports an update of an asynchronous tower that takes too long; tower 0's is the session's run."""
        assert self._blocked is not None and self._text is not None
        for run in [] if self._towers is None else self._towers.current_runs():
            limit = self._seconds * (1 if run.number else _FIRST_STEP)
            if run.seconds <= limit or (run.tower, run.number) in self._reported_runs:
                continue
            self._reported_runs.add((run.tower, run.number))
            text = "no update of tower {}, which trains asynchronously, for {:.0f} s; the towers wait for:\n{}".format(
                run.tower, run.seconds, self._text.text(self._blocked.session, self._blocked.thread)
            )
            if not self._aborts:
                self._report(text)
                continue
            text += "\n  no checkpoint is saved: the update of tower {} has not ended".format(run.tower)
            self._blocked.cancel(_raised(StallError(text)))

    def _stalled(self, seconds: float) -> None:
        assert self._blocked is not None and self._text is not None
        text = "no step for {:.0f} s; it waits for:\n{}".format(
            seconds, self._text.text(self._blocked.session, self._blocked.thread)
        )
        if not self._aborts:
            self._report(text)
            return
        if self.saving is not None:
            try:
                self._blocked.save(self.saving)
            except (SaveError, tf.errors.OpError, RuntimeError) as error:
                text += "\n  no checkpoint of the last step is saved: {}".format(error)
        if not self._blocked.is_in_run():
            return  # it has gone on
        self._blocked.cancel(_raised(StallError(text)))
        until = time.monotonic() + _LEAVING_SECONDS
        while time.monotonic() < until:
            if not self._blocked.is_in_run() and not self._blocked.is_closing():
                return
            time.sleep(0.05)
        if self.saving is not None:
            self.saving.store.unlock()
        end_process(1, "legacy_towers: the process ends: {}".format(text))


def _raised(error: StallError) -> Any:
    """Returns the type, the error and its traceback, as a coordinator raises them in the session's thread."""
    try:
        raise error
    except StallError:
        return sys.exc_info()


def _print(text: str) -> None:
    sys.stderr.write("legacy_towers: {}\n".format(text))
    sys.stderr.flush()
