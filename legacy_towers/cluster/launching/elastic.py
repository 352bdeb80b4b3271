"""How many workers a launch runs: fewer after one is lost, and all again after a while.

    workers     4   ---- worker 2 is lost ---->   3   ---- return_seconds ---->   4
    continues       from the last checkpoint          from one that is saved for it
"""
import re
import time
from typing import NamedTuple, Optional

from legacy_towers.errors import ArgumentError

# How long training goes on without a worker that was lost.
RETURN_SECONDS = 60.0
# On several machines: how long a launch waits for more tasks once there are enough, and how long until there are.
JOIN_SECONDS, START_SECONDS = 30.0, 600.0


class Range(NamedTuple):
    """How many workers can train: `least` to `most`."""

    least: int
    most: int

    def __str__(self) -> str:
        return "{}:{}".format(self.least, self.most)


def parse_range(text: str) -> Range:
    """Returns the range of numbers that a text such as "2:4" gives.

    Raises:
      ArgumentError: the text has another form, or MIN is 0 or above MAX.
    """
    match = re.match(r"(\d{1,6}):(\d{1,6})$", text)
    found = Range(0, 0) if match is None else Range(int(match.group(1)), int(match.group(2)))
    if not 0 < found.least <= found.most:
        raise ArgumentError(
            "--elastic is {!r}: give the least and the largest number of workers, such as 2:4".format(text)
        )
    return found


class Elastic:
    """The number of workers of a launch.

    Attributes:
      workers: how many train now.
    """

    def __init__(self, range_: Range, return_seconds: float = RETURN_SECONDS) -> None:
        self.workers = range_.most
        self._return_at: Optional[float] = None
        self._range = range_
        self._return_seconds = return_seconds

    @property
    def can_lose(self) -> bool:
        """Whether one worker less is enough."""
        return self.workers > self._range.least

    def lose(self) -> bool:
        """Continues with one worker less, if those left are enough; returns whether they are."""
        if not self.can_lose:
            return False
        self.workers -= 1
        self._return_at = time.monotonic() + self._return_seconds
        return True

    def is_return_due(self) -> bool:
        """Returns whether all workers are to train again now."""
        return self._return_at is not None and time.monotonic() >= self._return_at

    def take_in(self) -> None:
        """Lets all workers train again."""
        self.workers = self._range.most
        self._return_at = None
