"""Gradients that travel in half as many bytes: float16 or bfloat16 between the devices."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.all_reduce import NARROW, AllReduce
from legacy_towers.gradients.base import GradientRow, ReductionLike, TowerGradients
from legacy_towers.gradients.each import values_of, with_values
from legacy_towers.gradients.wrapping import Wrapping, arrivals


class Compacted(Wrapping):
    """Cast down before the reduction, and up behind it; see `compacted`."""

    def __init__(self, reduction: ReductionLike, dtype: Any) -> None:
        super().__init__(reduction)
        try:
            self.dtype = tf.as_dtype(dtype)
        except TypeError:
            self.dtype = None
        if self.dtype not in NARROW:
            raise ArgumentError("dtype is {!r}: allowed are tf.float16 and tf.bfloat16".format(dtype))
        self.travels_in = self.dtype.name
        innermost = self.reduction
        while isinstance(innermost, Wrapping):
            innermost = innermost.reduction
        if isinstance(innermost, AllReduce) and not innermost.carries(self.dtype):
            raise ArgumentError(
                "{!r} can't sum {} in TensorFlow {}, so that compacted() would save nothing: use another dtype, or "
                "lt.gradients.mean() or tree() inside".format(innermost, self.dtype.name, tf.__version__)
            )

    def around(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        site = gradients.site
        small = [self._small(row, site.devices) for row in gradients.rows]
        result = self.reduced_inside(gradients._replace(rows=small), state)
        rows = []
        for row, sent, reduced in zip(gradients.rows, small, result.rows):
            if sent is row:
                rows.append(reduced)
                continue
            dtype = next(gradient.dtype for gradient in row.gradients if gradient is not None)
            grown: List[Optional[Any]] = []
            for device, gradient in arrivals(reduced, site):
                with tf.device(device or None):
                    grown.append(None if gradient is None else _cast(gradient, dtype))
            how = "{} in {}".format(reduced.how, self.dtype.name)
            rows.append(reduced._replace(gradients=grown, how=how))
        return result._replace(rows=rows)

    def __repr__(self) -> str:
        dtype = "" if self.dtype == tf.float16 else ", dtype=tf.{}".format(self.dtype.name)
        return "compacted({!r}{})".format(self.reduction, dtype)

    def _small(self, row: GradientRow, devices: List[str]) -> GradientRow:
        """Returns the row with gradients of the small dtype; the very row if there is nothing to gain."""
        if not any(gradient is not None and gradient.dtype in (tf.float32, tf.float64) for gradient in row.gradients):
            return row
        made: List[Optional[Any]] = []
        for device, gradient in zip(devices, row.gradients):
            with tf.device(device):
                made.append(None if gradient is None else _cast(gradient, self.dtype))
        return row._replace(gradients=made)


def compacted(reduction: Optional[ReductionLike] = None, dtype: Any = tf.float16) -> Compacted:
    """Returns the reduction whose gradients travel between devices in 16 bits per number.

        2 towers, a variable A of float32; a stands for A in float16

        tower   0          1
                A0         A1
                a0         a1            cast on the tower's device
                 \\_________/             what travels is half as long
                   a = (a0 + a1) / 2     by `reduction`, which adds float16 up in float32, and makes a float16 of it
                   A                     cast where the result is needed, to the dtype that the gradients had

    float32 and float64 gradients are compacted, of sparse ones the values; others travel as they are. `dtype` holds u:

        dtype      u       largest     smallest    finest step near 0
        float16    2**-11  65,504      6.1e-5      2**-24 (6.0e-8)
        bfloat16   2**-8   3.4e38      1.2e-38     (that of float32)

    Error bound: no element of a mean is further from the exact one than k * u times the largest absolute value in the
    towers' gradients of the variable, plus, for float16, k * 2**-25. Each rounding counts one: k is 2 with `mean`
    (down, and the result), 3 where towers have weights, one more with `tree` for each round of sums but the last, and
    (N + 5) / 2 with `collective` and `nccl`, which add up N devices in the small dtype itself. Of a sum it is N times
    that.

    A float16 gradient above 65,504 becomes infinite, as does a sum of several that gets there, and one below 3e-8
    becomes 0. Nothing here hides that: `check_numerics()` behind it names the variable. Scale what is out of range, as
    in chain(scale(1024.0), compacted(), scale(1 / 1024.0)), let `dynamic_loss_scale` find the factor, or take
    tf.bfloat16, which has the range of float32.

    Args:
      reduction: what makes the towers' gradients one: `mean()` if None, `sum`, `tree`, `packed` around one of these;
        `collective` not on TF 1.15, which can't sum 16 bits, and `nccl` not in bfloat16.
      dtype: tf.float16 or tf.bfloat16.

    Raises:
      ArgumentError: `reduction` or `dtype` is none of these.
    """
    return Compacted(mean() if reduction is None else reduction, dtype)


def _cast(gradient: Any, dtype: Any) -> Any:
    return with_values(gradient, tf.cast(values_of(gradient), dtype))
