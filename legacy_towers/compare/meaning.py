"""What a strategy and a reduction compute by design: the same numbers in another place, rounded ones, or others."""
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.gradients import mean
from legacy_towers.jobs import Job
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.variables import Strategy

# Kinds of reductions that make gradients one, or look at them, without another result: where a sum runs and in what
# order says nothing of what it is.
_LAYOUTS = ("AddN", "Tree", "Collective", "Nccl", "Packed", "Densify", "CheckNumerics")
_COMPACTED = "Compacted"
# A gradient is rounded to the smaller type on its tower and once more as a mean; these are shares of the largest one.
_ROUNDED = {"float16": 2.0 ** -9, "bfloat16": 2.0 ** -6}
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
    """

    updates: str
    members: Tuple[str, ...]
    rounded_to: Optional[str]

    @property
    def gradient_bound(self) -> Optional[float]:
        """How far a gradient may be from the exact one, as a share of the largest; None: by rounding alone."""
        return None if self.rounded_to is None else _ROUNDED[self.rounded_to]

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
    _walk(reduction_of(job) or mean(), members, rounded)
    return Meaning(
        "reduced" if strategy is None else strategy.updates, tuple(members), rounded[0] if rounded else None
    )


def _walk(reduction: Any, members: List[str], rounded: List[str]) -> None:
    for part in getattr(reduction, "parts", ()):
        _walk(part, members, rounded)
    kind = type(reduction).__name__
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
        _walk(inner, members, rounded)
