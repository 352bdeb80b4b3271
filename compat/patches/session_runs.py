"""A wrapper of all session runs of this process.

TensorFlow 1.15's ProfileContext patches the same method: nothing else reaches sessions that TensorFlow makes
internally and those that exist already. `BaseSession` is private; tried on 1.15 and 2.13 to 2.21.
"""
import contextlib
from typing import Any, Callable, Iterator

from tensorflow.python.client import session as session_module

# (run, session, fetches, feed_dict, options, run_metadata) -> the result of `run`, which takes the last four.
Around = Callable[..., Any]


@contextlib.contextmanager
def through(around: Around) -> Iterator[None]:
    """Wraps the runs of all sessions in `around` until the context ends."""
    base = session_module.BaseSession
    before = base.run

    def run(self: Any, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        return around(lambda *args: before(self, *args), self, fetches, feed_dict, options, run_metadata)

    base.run = run
    try:
        yield
    finally:
        base.run = before
