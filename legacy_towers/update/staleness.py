"""How late each tower's updates were: counted as they come, told in a sentence."""
import threading
from typing import NamedTuple, Tuple

# The last entry of a histogram counts what is staler than that.
_STALEST = 64


class TowerStaleness(NamedTuple):
    """How late the updates of one tower were, so far.

    Attributes:
      tower: its index.
      updates: how many there were.
      mean: how many updates of other towers came between this tower's reading of the variables and its applying, on
        average; 0.0 without updates.
      most: the largest such number.
      histogram: entry i is how many updates had staleness i; the last entry, 64, counts those of 64 and more.
    """

    tower: int
    updates: int
    mean: float
    most: int
    histogram: Tuple[int, ...]

    def __str__(self) -> str:
        return "tower {}: {:,} updates, staleness {:.1f} on average, {:,} at most".format(
            self.tower, self.updates, self.mean, self.most
        )


class StalenessCounts:
    """The staleness of one tower's updates, in a fixed amount of memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histogram = [0] * (_STALEST + 1)
        self._total = 0
        self._most = 0

    def note(self, staleness: int) -> None:
        with self._lock:
            self._histogram[min(staleness, _STALEST)] += 1
            self._total += staleness
            self._most = max(self._most, staleness)

    def summary(self, tower: int) -> TowerStaleness:
        with self._lock:
            updates = sum(self._histogram)
            mean = float(self._total) / updates if updates else 0.0
            return TowerStaleness(tower, updates, mean, self._most, tuple(self._histogram))
