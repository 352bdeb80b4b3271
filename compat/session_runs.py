"""Every session run of this process goes through a function, for a while.

TensorFlow 1.15's ProfileContext did the same, in the same place: sessions that TensorFlow makes for itself, and those
that were made before, are told of no other way. `BaseSession` is private; tried on 1.15 and 2.13 to 2.21.
"""
import contextlib
from typing import Any, Callable, Iterator

from tensorflow.python.client import session as session_module

# (run, session, fetches, feed_dict, options, run_metadata) -> what `run` returned; `run` takes the last four.
Around = Callable[..., Any]


@contextlib.contextmanager
def through(around: Around) -> Iterator[None]:
    """Sends the runs of all sessions through `around` until the context ends."""
    base = session_module.BaseSession
    before = base.run

    def run(self: Any, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        return around(lambda *args: before(self, *args), self, fetches, feed_dict, options, run_metadata)

    base.run = run
    try:
        yield
    finally:
        base.run = before
