"""Waiting for what other threads and processes do: for a condition, and never for a time."""
import threading
import time


def happens(condition, seconds=120):
    """Returns whether `condition()` comes true; a machine at work on much else is given two minutes."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def threads_since(before):
    """Returns the threads that are not among those of `before` and do not end, after they were given the time to."""

    def alive():
        return [thread for thread in set(threading.enumerate()) - set(before) if thread.is_alive()]

    happens(lambda: not alive())
    return alive()
