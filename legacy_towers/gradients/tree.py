"""The towers' gradients in sums of two."""
from typing import Any, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.by_row import Places, RowReduction
from legacy_towers.gradients.shares import wide


class Tree(RowReduction):
    """Sums of two; see `tree`."""

    how = "tree"
    kind = "layout"

    def add(self, terms: Sequence[Any], place: str) -> Any:
        level = list(terms)
        while len(level) > 2:
            pairs = [level[index : index + 2] for index in range(0, len(level), 2)]
            level = [_sum_on_the_first(pair) for pair in pairs]
        with tf.device(place):
            return tf.add(*map(wide, level)) if len(level) == 2 else level[0]

    def roundings(self, towers: int) -> float:
        # Each round of sums but the last travels on, rounded.
        return super().roundings(towers) + max(0, (towers - 1).bit_length() - 1)

    def __repr__(self) -> str:
        asked = [] if self.combine == "mean" else ["combine={!r}".format(self.combine)]
        asked += [] if self.on == "spread" else ["on={!r}".format(self.on)]
        return "tree({})".format(", ".join(asked))


def _sum_on_the_first(pair: Sequence[Any]) -> Any:
    if len(pair) == 1:
        return pair[0]
    with tf.device(pair[0].device):
        # It travels on as it came: one rounding per round of sums.
        return tf.cast(tf.add(*map(wide, pair)), pair[0].dtype)


def tree(combine: str = "mean", on: Places = "spread") -> Tree:
    """Returns the reduction that adds the towers' gradients two by two, each pair on the device of its first.

        4 towers; how A gets to its mean:

        tower   0       1       2       3
                A0  <-  A1      A2  <-  A3          two sums at the same time, on towers 0 and 2
                A01     .       A23     .
                 \\_______________/
                   A = (A01 + A23) / 4              the last sum, where `on` says

    No device takes in more than two towers' gradients of a variable, where `mean` takes in all of them on one: less
    waits for one device's links. On one machine's CPU it is more passes over memory, and slower. The pairs are the same
    whatever the devices are, so the result is the same to the last bit wherever the last sum runs.

    Sparse gradients are joined in one go where the last sum would run: in pairs, rows would only be copied repeatedly.
    With an odd number of towers the last one waits for the next round.

    Args:
      combine: "mean", weighed where towers have weights, or "sum".
      on: where the last sum of each variable runs: as for `mean`.

    Raises:
      ArgumentError: `combine` or `on` is none of these.
      TowerError: (when it runs) as for `mean`.
    """
    return Tree(combine, on)
