"""The towers' gradients in one sum per variable: `mean` and `sum`."""
from typing import Any, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.by_row import Places, RowReduction
from legacy_towers.gradients.shares import wide_sum


class AddN(RowReduction):
    """One add_n per variable; see `mean` and `sum`."""

    how = "add_n"

    def add(self, terms: Sequence[Any], place: str) -> Any:
        with tf.device(place):
            return wide_sum(terms)

    def __repr__(self) -> str:
        return "{}({})".format(self.combine, "" if self.on == "spread" else "on={!r}".format(self.on))


def mean(on: Places = "spread") -> AddN:
    """Returns the reduction to the mean of the towers' gradients; one add_n per variable, no stacked copies.

        4 towers, variables A B C D, A the largest; each sum runs where it stands:

        tower   0        1        2        3                   0            1         2         3
                A0 B0    A1 B1    A2 B2    A3 B3       ->      mean(A0..A3) mean(B..) mean(C..) mean(D..)
                C0 D0    C1 D1    C2 D2    C3 D3

    Sparse gradients stay sparse: their rows are joined, and a row that several towers hold is kept once per tower, as
    every TF1 optimizer sums repeated indices. With weights (the towers' counts of true examples) it is
    sum(w[k] * g[k]) / sum(w); a tower of weight 0 is left out, even where its gradient is NaN.

    Args:
      on: where each variable's sum runs. "spread": dealt out over the towers' devices, the largest first, each to the
        device with the fewest bytes so far; one device would sum one variable after the other. "variable": where the
        variable lives, which is best where these are spread out already. Or a device, or several to deal out over.

    Raises:
      ArgumentError: `on` is none of these; or, when it runs, the gradients are one already.
      TowerError: (when it runs) only some towers have a gradient for a variable (`missing` in front says what that
        means), or some are sparse and some dense.
    """
    return AddN("mean", on)


def sum(on: Places = "spread") -> AddN:
    """Returns the reduction to the sum of the towers' gradients, as they are; otherwise as `mean`.

    Weights don't weigh here, but a tower of weight 0, which has no true example, is left out.
    """
    return AddN("sum", on)
