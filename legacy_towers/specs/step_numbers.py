"""Specs of steps: "100,200" are two of them, "100:103" is 100, 101, 102 and 103."""
from typing import List, Set

from legacy_towers.errors import ArgumentError

# Each step's trace is a file of megabytes.
_MOST = 1000


def parse_steps(text: str) -> List[int]:
    """Returns the steps that a spec names, sorted, each once.

    Raises:
      ArgumentError: it names none, more than 1,000, or one below 1.
    """
    steps: Set[int] = set()
    for part in str(text).split(","):
        first, colon, last = part.partition(":")
        try:
            begin = int(first)
            end = int(last) if colon else begin
        except ValueError:
            begin = end = 0
        if not 1 <= begin <= end:
            raise ArgumentError(
                "{!r} does not name steps: give numbers from 1 and ranges, such as 100,200 or 100:103".format(text)
            )
        if end - begin >= _MOST or len(steps) >= _MOST:
            raise ArgumentError("{!r} names more than {:,} steps".format(text, _MOST))
        steps.update(range(begin, end + 1))
    return sorted(steps)
