"""What a strategy and a reduction compute by design: the same numbers in another place, rounded ones, or others."""
from typing import NamedTuple, Optional, Sequence, Tuple

from legacy_towers.gradients import Reduction, mean
from legacy_towers.gradients.chain import members_of
from legacy_towers.jobs import Job
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.variables import Strategy

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
    updates = "reduced" if strategy is None else strategy.updates
    members = members_of(reduction_of(job) or mean())
    travels_in = [member.travels_in for member in members if member.travels_in is not None]
    roundings = max(member.roundings(len(devices)) for member in members)
    words = [each for each in map(_in_words, members) if each]
    return Meaning(updates, tuple(words), travels_in[0] if travels_in else None, roundings, len(devices))


def _in_words(member: Reduction) -> str:
    """Returns what a reduction does to gradients besides making them one; "" if nothing."""
    if member.kind == "change":
        return repr(member)
    return "a sum in place of the mean" if member.sums else ""
