"""Describes what a strategy and a reduction compute by design: the same numbers, rounded numbers, or other ones."""
from typing import NamedTuple, Optional, Sequence, Tuple

from legacy_towers.gradients import Reduction, mean
from legacy_towers.gradients.chain import members_of
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.training.job import Job
from legacy_towers.variables import Strategy

_UNIT_ROUNDOFF = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8}
_NEAR_ZERO = {"float16": 2.0 ** -25, "bfloat16": 0.0}  # half the distance between subnormal numbers
_WHY_OTHER = {
    "own": "towers apply their own gradients to their own variables, which are averaged at intervals",
    "asynchronous": "towers apply their own gradients without waiting for each other",
}


class Computation(NamedTuple):
    """What a strategy and a reduction compute, independent of devices.

    Attributes:
      updates: `Strategy.updates`: "reduced", "own" or "asynchronous".
      members: the transforms of the reduction besides averaging, in order, as they print.
      rounded_to: the smaller dtype in which gradients are transferred; None: their own dtype.
      roundings: the largest number of roundings of a gradient, as `lt.gradients.compressed` counts them.
      towers: the number of towers.
    """

    updates: str
    members: Tuple[str, ...]
    rounded_to: Optional[str]
    roundings: float
    towers: int

    def gradient_bound(self, largest: float) -> Optional[float]:
        """Returns the bound for the error of a gradient, relative to its largest value; None: the bound for rounding.

        The bound that `lt.gradients.compressed` documents is relative to the largest of the towers' own gradients,
        which is assumed to be at most `towers` times the largest of their mean.

        Args:
          largest: the largest absolute value in the variable's exact gradient, above 0.
        """
        if self.rounded_to is None:
            return None
        unit, near_zero = _UNIT_ROUNDOFF[self.rounded_to], _NEAR_ZERO[self.rounded_to]
        return self.roundings * (unit * self.towers + near_zero / largest)

    def against(self, current: "Computation") -> Tuple[str, str]:
        """Returns "same", "rounded" or "other", as in `Proof.expected`, and for the latter two the reason."""
        if self.updates != current.updates:
            which = self if self.updates != "reduced" else current
            reason = _WHY_OTHER[which.updates]
            return "other", reason if which is self else "of the current one, " + reason
        if self.updates != "reduced":
            return "other", _WHY_OTHER[self.updates]
        if self.members != current.members:
            return "other", "gradients go through {}, and with the current one through {}".format(
                ", ".join(self.members) or "a mean alone", ", ".join(current.members) or "a mean alone"
            )
        if self.rounded_to != current.rounded_to and self.rounded_to is not None:
            return "rounded", "gradients are transferred in {}".format(self.rounded_to)
        if self.rounded_to != current.rounded_to:
            return "other", "the current one's gradients are transferred in {}".format(current.rounded_to)
        return "same", ""


def computation_of(job: Job, devices: Sequence[str]) -> Computation:
    """Returns what a job's strategy and reduction compute."""
    strategy: Optional[Strategy] = strategy_of(job, devices)
    updates = "reduced" if strategy is None else strategy.updates
    members = members_of(reduction_of(job) or mean())
    travels_in = [
        member.traits.transfer_dtype for member in members if member.traits.transfer_dtype is not None
    ]
    roundings = max(member.roundings(len(devices)) for member in members)
    descriptions = [each for each in map(_described, members) if each]
    return Computation(updates, tuple(descriptions), travels_in[0] if travels_in else None, roundings, len(devices))


def _described(member: Reduction) -> str:
    """Returns what a reduction does to gradients besides averaging them; "" if nothing."""
    if member.traits.kind == "change":
        return repr(member)
    return "a sum in place of the mean" if member.traits.sums else ""
