"""Runs a callback when a signal ends the script; the process then ends by that signal, as without the callback.

The default action of a signal ends the process without running Python code. A Python handler alone would delay the
end: it runs when the main thread next executes Python code, which a parameter server, or a session that waits for a
queue, never does. So a thread receives the signal, too, through a wakeup file descriptor.

signal.getsignal() shows the handler instead of SIG_DFL. A handler that the script installs replaces it; processes
that the script starts or forks have the default action.
"""
import contextlib
import os
import signal
import threading
from typing import Any, Callable, Iterator

# Signals whose default action ends the process and that programs and terminals send. Ctrl-C is an exception in Python.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextlib.contextmanager
def before_fatal_signal(callback: Callable[[str], None]) -> Iterator[None]:
    """Calls `callback` with the name of the signal that ends this process while the context is active.

    Only in the process that entered the context, and not for a signal that the script handles or ignores.
    """
    handled = [each for each in _SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    if os.name != "posix" or threading.current_thread() is not threading.main_thread() or not handled:
        yield
        return
    import ctypes  # here, since its import is slow; not at the end, when it may find a module of the script

    process = os.getpid()
    called = threading.Lock()

    def end_process(number: int) -> None:
        """Ends this process by the default action of the signal."""
        # signal.signal works in the main thread only.
        ctypes.pythonapi.PyOS_setsig(number, None)
        os.kill(os.getpid(), number)

    def handle(number: int, frame: Any = None) -> None:
        if os.getpid() != process:  # forked by C code
            end_process(number)
        with called:
            try:
                callback(signal.Signals(number).name)
            finally:
                end_process(number)

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    if before != -1:  # a process has one wakeup descriptor, and it is in use: only the main thread gets the signal
        signal.set_wakeup_fd(before)
    threading.Thread(target=_listen, args=(reading, handled, handle), name="legacy-towers-signals", daemon=True).start()
    for each in handled:
        signal.signal(each, handle)

    def restore() -> None:
        for each in handled:
            if signal.getsignal(each) is handle:
                signal.signal(each, signal.SIG_DFL)
        descriptor = signal.set_wakeup_fd(-1)
        if descriptor != writing and descriptor != -1:  # the script's own
            signal.set_wakeup_fd(descriptor)

    def restore_in_fork() -> None:
        if not ended:
            restore()

    ended = False
    os.register_at_fork(after_in_child=restore_in_fork)
    try:
        yield
    finally:
        ended = True
        if os.getpid() == process:
            restore()
            os.close(writing)  # ends the thread


def _listen(reading: int, handled: Any, handle: Callable[[int], None]) -> None:
    while True:
        received = os.read(reading, 1)
        if not received:
            os.close(reading)
            return
        # The script may have installed a handler of its own since.
        if received[0] in handled and signal.getsignal(received[0]) is handle:
            handle(received[0])
