"""What is still done when a signal ends the script, which then ends by that signal as ever.

A signal that nobody handles ends a process at once, without a line of Python. A handler of Python's alone would be
worse than none: it waits until the main thread is back in Python, and a parameter server, or a session that waits for
its queue, never is. So a thread of ours hears of the signal, too. Whoever asks sees a handler where there was none;
a handler of the script's own takes its place, and what the script starts or forks has none.
"""
import contextlib
import os
import signal
import threading
from typing import Any, Callable, Iterator

# Those that end a process without a word, and that another program or a terminal sends. Ctrl-C is an exception.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextlib.contextmanager
def last_words(speak: Callable[[str], None]) -> Iterator[None]:
    """Calls `speak` with the name of the signal that ends this process, if one does while it lasts.

    Only in the process that entered it; not for a signal that the script handles or ignores.
    """
    mine = [each for each in _SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    if os.name != "posix" or threading.current_thread() is not threading.main_thread() or not mine:
        yield
        return
    import ctypes  # not where nobody asks for it: it takes its time; and not at the end, when the script's may be found

    process = os.getpid()
    spoken = threading.Lock()

    def die(number: int) -> None:
        """Ends this process by the signal, as it would have ended."""
        # signal.signal is for the main thread only.
        ctypes.pythonapi.PyOS_setsig(number, None)
        os.kill(os.getpid(), number)

    def end(number: int, frame: Any = None) -> None:
        if os.getpid() != process:  # forked, and not by Python
            die(number)
        with spoken:
            try:
                speak(signal.Signals(number).name)
            finally:
                die(number)

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    if before != -1:  # somebody listens already, and there is one such place: only the main thread will hear
        signal.set_wakeup_fd(before)
    threading.Thread(target=_listen, args=(reading, mine, end), name="legacy-towers-signals", daemon=True).start()
    for each in mine:
        signal.signal(each, end)

    def put_back() -> None:
        for each in mine:
            if signal.getsignal(each) is end:
                signal.signal(each, signal.SIG_DFL)
        heard = signal.set_wakeup_fd(-1)
        if heard != writing and heard != -1:  # the script's
            signal.set_wakeup_fd(heard)

    def in_forked() -> None:
        if not ended:
            put_back()

    ended = False
    os.register_at_fork(after_in_child=in_forked)
    try:
        yield
    finally:
        ended = True
        if os.getpid() == process:
            put_back()
            os.close(writing)  # the listener ends


def _listen(reading: int, mine: Any, end: Callable[[int], None]) -> None:
    while True:
        heard = os.read(reading, 1)
        if not heard:
            os.close(reading)
            return
        # The handler that is in place now tells whose the signal is: the script may have its own since.
        if heard[0] in mine and signal.getsignal(heard[0]) is end:
            end(heard[0])

