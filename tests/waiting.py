"""Waits for conditions in other threads and processes."""
import threading
import time


def happens(condition, seconds=120):
    """Returns whether `condition()` becomes true within `seconds`; the default is long, for busy machines."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def threads_since(before):
    """Returns the threads that are not in `before` and do not end within a time limit."""

    def alive():
        return [thread for thread in set(threading.enumerate()) - set(before) if thread.is_alive()]

    happens(lambda: not alive())
    return alive()
