"""Room on Python's stack for the syntax trees of long files.

A chain of a thousand `elif`s, or a sum of as many terms, is a tree of that depth. The interpreter compiles it; as a
tree of Python's own objects, and by visitors written in Python, it needs more of the stack than Python gives a program.
"""
import contextlib
import sys
from typing import Iterator

# For what the interpreter itself compiles, which is about 3000 deep, at three calls each. Such a call takes about half
# a kB of the 8 MB that a thread has.
_DEEPEST = 9000


@contextlib.contextmanager
def room_for_deep_trees() -> Iterator[None]:
    """Lets code recurse as deeply as syntax trees may need, while it lasts."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
