"""`tree`: the towers' gradients summed two at a time."""
from typing import Any, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.base import ReductionTraits
from legacy_towers.gradients.sums.by_row import RowReduction, SumDevices
from legacy_towers.gradients.tower_weights import upcast
from legacy_towers.tensor_types import Tensor


class Tree(RowReduction):
    """Sums of pairs; see `tree`."""

    operation = "tree"
    traits = ReductionTraits(kind="layout", needs_regularization=False)

    def add(self, terms: Sequence[Tensor], device: str) -> Tensor:
        level = list(terms)
        while len(level) > 2:
            pairs = [level[index : index + 2] for index in range(0, len(level), 2)]
            level = [_sum_on_the_first(pair) for pair in pairs]
        with tf.device(device):
            return tf.add(*map(upcast, level)) if len(level) == 2 else level[0]

    def roundings(self, towers: int) -> float:
        # The result of each round of sums but the last is rounded.
        return super().roundings(towers) + max(0, (towers - 1).bit_length() - 1)

    def __repr__(self) -> str:
        options = [] if self.combine == "mean" else ["combine={!r}".format(self.combine)]
        options += [] if self.on == "spread" else ["on={!r}".format(self.on)]
        return "tree({})".format(", ".join(options))


def _sum_on_the_first(pair: Sequence[Any]) -> Any:
    if len(pair) == 1:
        return pair[0]
    with tf.device(pair[0].device):
        # Sent on in the dtype in which it came: one rounding per round of sums.
        return tf.cast(tf.add(*map(upcast, pair)), pair[0].dtype)


def tree(combine: str = "mean", on: SumDevices = "spread") -> Tree:
    """Returns the reduction that sums the towers' gradients in pairs, each pair on the device of its first tower.

        4 towers; the sums for variable A:

        tower   0       1       2       3
                A0  <-  A1      A2  <-  A3          two sums at the same time, on towers 0 and 2
                A01     .       A23     .
                 \\_______________/
                   A = (A01 + A23) / 4              the last sum, on the device that `on` names

    No device receives more than one other tower's gradient of a variable at a time, where `mean` sends all of them to
    one device and waits for its links. On the CPUs of one machine it is more passes over memory, and slower. The pairs
    do not depend on the devices, so the result is the same bit for bit wherever the last sum runs.

    Sparse gradients are concatenated at once, on the device of the last sum: in pairs their rows would only be copied
    several times. With an odd number of towers the last one waits for the next round.

    Args:
      combine: "mean", weighted if towers have weights, or "sum".
      on: where the last sum of each variable runs: as for `mean`.

    Raises:
      ArgumentError: `combine` or `on` is none of these.
      TowerError: (when it runs) as for `mean`.
    """
    return Tree(combine, on)
