"""What a strategy and a reduction compute by design: the same numbers in another place, rounded ones, or others."""
import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.gradients import mean
from legacy_towers.jobs import Job
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.variables import Strategy

# Kinds of reductions that make gradients one, or look at them, without another result: where a sum runs and in what
# order says nothing of what it is.
_LAYOUTS = ("AddN", "Tree", "Collective", "Nccl", "Packed", "Densify", "CheckNumerics")
_COMPACTED = "Compacted"
_UNIT = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8}  # of rounding
_NEAR_ZERO = {"float16": 2.0 ** -25, "bfloat16": 0.0}  # half the finest step there
_WHY_OTHER = {
    "own": "towers apply their own gradients to their own variables and meet only now and then",
    "asynchronous": "towers apply their own gradients without waiting for each other",
}


class Meaning(NamedTuple):
    """What is computed, whatever the place.

    Attributes:
      updates: of the strategy.
      members: what a reduction does to gradients besides making them one, in words and in order.
      rounded_to: the smaller type that gradients travel in; None: their own.
      roundings: how often at most, as `lt.gradients.compacted` counts it.
      towers: how many there are.
    """

    updates: str
    members: Tuple[str, ...]
    rounded_to: Optional[str]
    roundings: float
    towers: int

    def gradient_bound(self, largest: float) -> Optional[float]:
        """Returns how far a gradient may be from the exact one, as a share of the largest; None: by rounding alone.

        The bound that `lt.gradients.compacted` states is a share of the largest of the towers' own gradients, of which
        the mean's largest is taken to be at least a part in `towers`.

        Args:
          largest: absolute value in the variable's exact gradient, above 0.
        """
        if self.rounded_to is None:
            return None
        unit, near_zero = _UNIT[self.rounded_to], _NEAR_ZERO[self.rounded_to]
        return self.roundings * (unit * self.towers + near_zero / largest)

    def against(self, current: "Meaning") -> Tuple[str, str]:
        """Returns "same", "rounded" or "other", as `Proof.expected`, and why it is none of the same."""
        if self.updates != current.updates:
            which = self if self.updates != "reduced" else current
            words = _WHY_OTHER[which.updates]
            return "other", words if which is self else "of the current one, " + words
        if self.updates != "reduced":
            return "other", _WHY_OTHER[self.updates]
        if self.members != current.members:
            return "other", "gradients go through {}, and by the current one through {}".format(
                ", ".join(self.members) or "a mean alone", ", ".join(current.members) or "a mean alone"
            )
        if self.rounded_to != current.rounded_to and self.rounded_to is not None:
            return "rounded", "gradients travel in {}".format(self.rounded_to)
        if self.rounded_to != current.rounded_to:
            return "other", "the current one's gradients travel in {}".format(current.rounded_to)
        return "same", ""


def meaning_of(job: Job, devices: Sequence[str]) -> Meaning:
    """Returns what a job's strategy and reduction compute.

    Args:
      devices: one device string per tower.
    """
    strategy: Optional[Strategy] = strategy_of(job, devices)
    members: List[str] = []
    rounded: List[str] = []
    kinds: List[str] = []
    _walk(reduction_of(job) or mean(), members, rounded, kinds)
    updates = "reduced" if strategy is None else strategy.updates
    to = rounded[0] if rounded else None
    return Meaning(updates, tuple(members), to, _roundings(kinds, len(devices)), len(devices))


def _roundings(kinds: Sequence[str], towers: int) -> float:
    """Returns how often a gradient is rounded at most, weights of towers included."""
    if "Collective" in kinds or "Nccl" in kinds:
        return (towers + 5) / 2 + 1
    return 3.0 + (math.ceil(math.log2(towers)) if "Tree" in kinds and towers > 1 else 0)


def _walk(reduction: Any, members: List[str], rounded: List[str], kinds: List[str]) -> None:
    for part in getattr(reduction, "parts", ()):
        _walk(part, members, rounded, kinds)
    kind = type(reduction).__name__
    kinds.append(kind)
    if kind == "Chain":
        return
    if kind == _COMPACTED:
        rounded.append(reduction.dtype.name)
    elif kind not in _LAYOUTS:
        members.append(repr(reduction))
    elif getattr(reduction, "combine", "mean") != "mean":
        members.append("a sum in place of the mean")
    inner = getattr(reduction, "reduction", None)
    if inner is not None:
        _walk(inner, members, rounded, kinds)
