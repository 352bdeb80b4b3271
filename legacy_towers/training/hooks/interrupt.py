"""Ctrl-C or SIGTERM ends training after the current step, with a checkpoint; a second signal ends it at once."""
import signal
import threading
import time
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import SaveError
from legacy_towers.training.hooks.blocked_run import BlockedRun
from legacy_towers.training.hooks.signal_watch import SignalWatch, end_process, exit_code

# After a signal: seconds until the input is stopped, until the process ends although the step has not, and until it
# ends although a thread or TensorFlow does not.
_STEP_SECONDS = 3.0
_CANCELLED_SECONDS = 7.0
_CLOSING_SECONDS = 6.0  # threads of our own inputs take up to 5
# After a second signal.
_AT_ONCE_SECONDS = 1.0


class InterruptHook(tf.train.SessionRunHook):
    """Ends a session at the first SIGINT (Ctrl-C) or SIGTERM: after the current step, as at the last one.

        interrupt = lt.training.InterruptHook(checkpoint_hook)
        with tf.train.MonitoredTrainingSession(hooks=step.hooks + [checkpoint_hook, interrupt], ...) as session:
            while not session.should_stop():
                session.run(step.train_op)
        sys.exit(interrupt.exit_code)

    A step that waits for input longer than 3 seconds is ended: queues are closed, threads stopped, and the session
    ends as at the end of the data. What can't be woken (a staging area, a generator of tf.data, a py_func) is left
    waiting: a checkpoint of the last complete step is saved beside it, and the process ends with the exit code
    128 + signal. So it does if threads or TensorFlow keep the session from closing for 6 seconds. A second signal
    raises KeyboardInterrupt or SystemExit, and ends the process after a second if it is still in the session.

    Signals reach the hook only if the session is created in the main thread. Put it last, so that the others have saved
    when it stops watching.

    Args:
      saving: the `CheckpointHook` of the session, for a checkpoint while a step waits; None: none is saved then.

    Attributes:
      signal: the number of the signal that was received; None without one.
    """

    def __init__(self, saving: Optional[Any] = None) -> None:
        self.saving = saving
        self.signal: Optional[int] = None
        self._watch = SignalWatch(self._handle, self._notice, self._tick)
        self._is_installed_by_owner = False
        self._blocked: Optional[BlockedRun] = None
        self._received = 0
        self._since = 0.0  # when the signal came
        self._second_since: Optional[float] = None
        self._closing_since: Optional[float] = None
        self._leaving: Optional[threading.Thread] = None

    @property
    def exit_code(self) -> int:
        """128 + the signal: 130 after SIGINT, 143 after SIGTERM; 0 without one."""
        return 0 if self.signal is None else exit_code(self.signal)

    def install(self) -> None:
        """Watches for signals until `restore`, beyond the end of the session."""
        self._is_installed_by_owner = self._watch.start()

    def begin(self) -> None:
        """Watches for signals."""
        self._blocked = BlockedRun()
        self._watch.start()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Takes the session, which a signal has to end."""
        assert self._blocked is not None
        self._blocked.attach(session, coord)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Requests a stop after a signal."""
        if self.signal is not None:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        """Restores the handlers; after a signal the thread watches until the session is closed."""
        if not self._is_installed_by_owner:
            self._watch.restore_handlers()
            if self.signal is None:
                self._watch.stop()

    def restore(self) -> None:
        """Restores the previous signal handlers."""
        self._watch.stop()
        self._is_installed_by_owner = False

    def _handle(self, number: int, frame: Any) -> None:
        """Is called in the main thread."""
        self.signal = self.signal or number
        self._received += 1
        if self._received < 2 and not self._is_over():
            return
        self._watch.restore_handlers()
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(exit_code(number))

    def _is_over(self) -> bool:
        """Returns whether the session ended without this hook's `end`, by an error: a signal is not for it any more."""
        return self._blocked is not None and self._blocked.session is not None and self._blocked.is_over()

    def _notice(self, number: int) -> None:
        """Is called in the watching thread."""
        if self._since:
            self._second_since = self._second_since or time.monotonic()
        else:
            self._since = time.monotonic()
        self.signal = self.signal or number

    def _tick(self) -> bool:
        """Is called in the watching thread; returns whether to watch on."""
        now, blocked = time.monotonic(), self._blocked
        if blocked is not None and blocked.is_over():
            return self._is_installed_by_owner
        if not self._since:
            return True
        if blocked is None or blocked.session is None:
            return self._tick_before_session(now)
        if self._second_since is not None:
            if now - self._second_since > _AT_ONCE_SECONDS and (blocked.is_in_run() or blocked.is_closing()):
                self._end_process("at the second signal")
            return True
        if blocked.is_in_run() and self._leaving is None:
            if now - self._since > _STEP_SECONDS:
                blocked.cancel()
            if now - self._since > _CANCELLED_SECONDS:
                self._leaving = threading.Thread(target=self._leave, name="legacy_towers leave")
                self._leaving.daemon = True
                self._leaving.start()
        self._closing_since = (self._closing_since or now) if blocked.is_closing() else None
        if self._closing_since is not None and now - self._closing_since > _CLOSING_SECONDS:
            self._end_process("while its input still waits or computes")
        return True

    def _tick_before_session(self, now: float) -> bool:
        """Ends the process if the main thread does not see the signal, because it is inside TensorFlow."""
        if self._second_since is None:
            unseen = self._received < 1 and now - self._since > _CANCELLED_SECONDS
        else:
            unseen = self._received < 2 and now - self._second_since > _AT_ONCE_SECONDS
        if unseen:
            self._end_process("before the first step")
        return self._received < 2

    def _leave(self) -> None:
        """Saves beside a step that waits, and ends the process."""
        assert self._blocked is not None
        note = "the step waits for input that can't be stopped"
        if self.saving is not None:
            try:
                self._blocked.save(self.saving)
                note += "; the checkpoint of the last complete step is saved"
            except SaveError as error:
                note += "; no checkpoint of the last step is saved: {}".format(error)
            except (tf.errors.OpError, RuntimeError) as error:  # such as a session that has been closed meanwhile
                note += "; no checkpoint of the last step is saved: {}".format(error)
        if self._blocked.is_in_run():
            self._end_process("while " + note)

    def _end_process(self, note: str) -> None:
        assert self.signal is not None
        if self.saving is not None:
            self.saving.store.unlock()
        name = signal.Signals(self.signal).name
        end_process(self.exit_code, "legacy_towers: {} ends the process {}".format(name, note))
