"""A higher recursion limit for the syntax trees of long files.

A chain of a thousand `elif`s, or a sum of a thousand terms, is a tree of that depth. The interpreter compiles it, but
visitors written in Python exceed the default recursion limit.
"""
import contextlib
import sys
from typing import Iterator

# The interpreter itself compiles trees of a depth of about 3000; a visitor makes three calls per level. A call takes
# about 0.5 kB of a thread's stack of 8 MB.
_RECURSION_LIMIT = 9000


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Raises the recursion limit, so that code can visit deep syntax trees, and restores it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
