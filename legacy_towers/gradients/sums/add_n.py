"""`mean` and `sum`: one `tf.add_n` per variable over the towers' gradients."""
from typing import Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.sums.by_row import RowReduction, SumDevices
from legacy_towers.gradients.tower_weights import upcast_sum
from legacy_towers.tensor_types import Tensor


class AddN(RowReduction):
    """One add_n per variable; see `mean` and `sum`."""

    operation = "add_n"

    def add(self, terms: Sequence[Tensor], device: str) -> Tensor:
        with tf.device(device):
            return upcast_sum(terms)

    def __repr__(self) -> str:
        return "{}({})".format(self.combine, "" if self.on == "spread" else "on={!r}".format(self.on))


def mean(on: SumDevices = "spread") -> AddN:
    """Returns the reduction that averages the towers' gradients: one `tf.add_n` per variable, and no stacked copies.

        4 towers, variables A B C D, A the largest; the result is on the device where it is drawn:

        tower   0        1        2        3                   0            1         2         3
                A0 B0    A1 B1    A2 B2    A3 B3       ->      mean(A0..A3) mean(B..) mean(C..) mean(D..)
                C0 D0    C1 D1    C2 D2    C3 D3

    Sparse gradients (IndexedSlices) stay sparse: their rows are concatenated. A row that several towers have is in the
    result once per tower: every TF1 optimizer sums repeated indices. With weights, such as the towers' counts of true
    examples, the mean is sum(w[k] * g[k]) / sum(w); a tower of weight 0 is left out, even if its gradient is NaN.
    float16 and bfloat16 are summed in float32 and the result is cast back.

    Args:
      on: where each variable's sum runs. "spread": distributed over the towers' devices, the largest sum first, each on
        the device with the fewest bytes so far. "variable": on the variable's device, which is best if the variables
        are distributed over devices already. Or a device string; or a list of them, to distribute the sums over.

    Raises:
      ArgumentError: `on` is none of these; or, when it runs, another reduction before it has reduced the gradients.
      TowerError: (when it runs) only some towers have a gradient for a variable (put `missing` before the mean to allow
        this), or some gradients are sparse and some dense.
    """
    return AddN("mean", on)


def sum(on: SumDevices = "spread") -> AddN:
    """Returns the reduction that sums the towers' gradients; in all else like `mean`.

    Weights do not scale a sum, but a tower of weight 0, which has no true example, is left out.
    """
    return AddN("sum", on)
