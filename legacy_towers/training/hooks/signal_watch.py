"""Signals are seen at once by a thread, also while the main thread waits inside TensorFlow.

Python calls a signal's handler in the main thread, between two bytecodes: not while `session.run` waits for a batch.
The handler in C, which runs at once, writes the signal's number into a socket, which a thread reads.
"""
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, Optional

from legacy_towers.tensorflow_logs import ERRORS, end_held_logs

SIGNALS = (signal.SIGINT, signal.SIGTERM)

# Seconds between two calls of `tick`, before and after the first signal.
_IDLE_SECONDS = 1.0
_TICK_SECONDS = 0.1

# How long the main thread may take to see a signal where there is nothing to save.
_UNSEEN_SECONDS = 5.0


class Interrupted(KeyboardInterrupt):
    """SIGTERM, where SIGINT raises KeyboardInterrupt.

    Attributes:
      exit_code: that of the process: 143.
    """

    exit_code = 128 + signal.SIGTERM


def exit_code(number: int) -> int:
    """Returns the exit code of a process that a signal ended: 130 for SIGINT (Ctrl-C), 143 for SIGTERM."""
    return 128 + number


class SignalWatch:
    """Calls functions for SIGINT and SIGTERM, from `start` to `stop`.

    Args:
      handle: called with (number, frame) in the main thread, as a handler of `signal.signal`.
      notice: called with the signal's number in a thread, at once.
      tick: called in that thread every second, from the first signal on every 0.1 seconds; returns whether to go on.
    """

    def __init__(
        self, handle: Callable[[int, Any], None], notice: Callable[[int], None], tick: Callable[[], bool]
    ) -> None:
        self._handle = handle
        self._notice = notice
        self._tick = tick
        self._previous: Dict[int, Any] = {}
        self._previous_fd = -1
        self._sender: Optional[socket.socket] = None

    @property
    def is_started(self) -> bool:
        """Whether signals are watched."""
        return self._sender is not None

    def start(self) -> bool:
        """Installs the handlers; returns False, and does nothing, outside of the main thread: Python forbids it."""
        if threading.current_thread() is not threading.main_thread():
            return False
        if self._sender is not None:
            return True
        receiver, self._sender = socket.socketpair()
        self._sender.setblocking(False)
        self._previous_fd = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        thread = threading.Thread(target=self._watch, args=(receiver,), name="legacy_towers signals")
        thread.daemon = True
        thread.start()
        return True

    def restore_handlers(self) -> None:
        """Restores the handlers before `start`; the thread continues."""
        if threading.current_thread() is not threading.main_thread() or not self._previous:
            return
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous = {}
        try:
            signal.set_wakeup_fd(self._previous_fd)
        except (OSError, ValueError):  # its owner has closed it
            signal.set_wakeup_fd(-1)

    def stop(self) -> None:
        """Restores the handlers and ends the thread."""
        sender, self._sender = self._sender, None
        if sender is None:
            return
        self.restore_handlers()
        sender.close()  # the thread reads the end of the stream

    def _watch(self, receiver: socket.socket) -> None:
        receiver.settimeout(_IDLE_SECONDS)
        with receiver:
            while True:
                try:
                    numbers = receiver.recv(16)
                except socket.timeout:
                    numbers = None
                if numbers == b"":
                    return
                for number in numbers or b"":
                    if number in SIGNALS:
                        self._notice(number)
                        receiver.settimeout(_TICK_SECONDS)
                if not self._tick():
                    return


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Returns a context manager in which SIGTERM raises `Interrupted`, and SIGINT KeyboardInterrupt.

    So files are cleaned up and locks removed, while a graph is built or a checkpoint evaluated. If the main thread does
    not see the signal in time, because it is inside TensorFlow, or at the second signal, the process ends.
    """
    received = []
    seen = []

    def handle(number: int, frame: Any) -> None:
        seen.append(number)
        raise Interrupted if number == signal.SIGTERM else KeyboardInterrupt

    def notice(number: int) -> None:
        received.append((number, time.monotonic()))

    def tick() -> bool:
        late = received and not seen and time.monotonic() - received[0][1] > _UNSEEN_SECONDS
        if late or len(received) > 1:
            end_process(exit_code(received[0][0]), "legacy_towers: {} ends the process".format(
                signal.Signals(received[0][0]).name
            ))
        return True

    watch = SignalWatch(handle, notice, tick)
    watch.start()
    try:
        yield
    finally:
        watch.stop()


def end_process(code: int, message: str) -> None:
    """Ends the process at once, whatever its threads do, and without waiting for TensorFlow."""
    try:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()
        end_held_logs(ERRORS)
        sys.stdout.flush()
    finally:
        os._exit(code)
