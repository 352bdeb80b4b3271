"""`compressed`: gradients sent between devices in float16 or bfloat16."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, ReductionLike, TowerGradients
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.gradients.sums.all_reduce import NARROW, AllReduce
from legacy_towers.gradients.transforms.each import values_of, with_values
from legacy_towers.gradients.wrappers.base import Wrapper, result_devices
from legacy_towers.tensor_types import DType, Gradient


class Compressed(Wrapper):
    """Casts gradients down before the wrapped reduction, and back after it; see `compressed`."""

    def __init__(self, reduction: ReductionLike, dtype: DType) -> None:
        super().__init__(reduction)
        try:
            self.dtype = tf.as_dtype(dtype)
        except TypeError:
            self.dtype = None
        if self.dtype not in NARROW:
            raise ArgumentError("dtype is {!r}: allowed are tf.float16 and tf.bfloat16".format(dtype))
        self.traits = self.traits._replace(transfer_dtype=self.dtype.name)
        innermost = self.reduction
        while isinstance(innermost, Wrapper):
            innermost = innermost.reduction
        if isinstance(innermost, AllReduce) and not innermost.supports(self.dtype):
            raise ArgumentError(
                "{!r} can't sum {} in TensorFlow {}, so that compressed() would save nothing: use another dtype, or "
                "wrap lt.gradients.mean() or tree()".format(innermost, self.dtype.name, tf.__version__)
            )

    def update_wrapped(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        context = gradients.context
        small = [self._small(row, context.devices) for row in gradients.rows]
        result = self.update_inner(gradients._replace(rows=small), state)
        rows = []
        for row, sent, reduced in zip(gradients.rows, small, result.rows):
            if sent is row:
                rows.append(reduced)
                continue
            dtype = next(gradient.dtype for gradient in row.gradients if gradient is not None)
            restored: List[Optional[Any]] = []
            for device, gradient in result_devices(reduced, context):
                with tf.device(device or None):
                    restored.append(None if gradient is None else _cast(gradient, dtype))
            reduced_by = "{} in {}".format(reduced.reduced_by, self.dtype.name)
            rows.append(reduced._replace(gradients=restored, reduced_by=reduced_by))
        return result._replace(rows=rows)

    def __repr__(self) -> str:
        dtype = "" if self.dtype == tf.float16 else ", dtype=tf.{}".format(self.dtype.name)
        return "compressed({!r}{})".format(self.reduction, dtype)

    def _small(self, row: GradientRow, devices: List[str]) -> GradientRow:
        """Returns the row with gradients of the small dtype; the same row if they are not larger."""
        if not any(gradient is not None and gradient.dtype in (tf.float32, tf.float64) for gradient in row.gradients):
            return row
        cast: List[Optional[Any]] = []
        for device, gradient in zip(devices, row.gradients):
            with tf.device(device):
                cast.append(None if gradient is None else _cast(gradient, self.dtype))
        return row._replace(gradients=cast)


def compressed(reduction: Optional[ReductionLike] = None, dtype: DType = tf.float16) -> Compressed:
    """Returns the reduction that sends gradients between devices in 16 bits per number.

        2 towers, a variable A of float32; a stands for A in float16

        tower   0          1
                A0         A1
                a0         a1            cast on the tower's device
                 \\_________/             half as many bytes are sent
                   a = (a0 + a1) / 2     by `reduction`, which sums float16 in float32, and casts the result to float16
                   A                     cast where the result is needed, to the dtype that the gradients had

    float32 and float64 gradients are compressed (the values of sparse ones); others are sent as they are. The unit of
    rounding u, and the range, of each dtype:

        dtype      u       largest     smallest    finest step near 0
        float16    2**-11  65,504      6.1e-5      2**-24 (6.0e-8)
        bfloat16   2**-8   3.4e38      1.2e-38     (that of float32)

    Error bound: each element of a mean differs from the exact one by at most k * u times the largest absolute value in
    the towers' gradients of the variable, plus, for float16, k * 2**-25. Each rounding counts one: k is 2 with `mean`
    (down, and the result), 3 where towers have weights, one more with `tree` for each round of sums but the last, and
    (N + 5) / 2 with `collective` and `nccl`, which sum N devices in the small dtype itself. For a sum it is N times
    that.

    A float16 gradient above 65,504 becomes infinite, as does a sum that exceeds it, and one below 3e-8 becomes 0.
    `check_numerics()` after it reports infinities and names the variable. Scale gradients that are out of range, as in
    chain(scale(1024.0), compressed(), scale(1 / 1024.0)), let `dynamic_loss_scale` find the factor, or use tf.bfloat16,
    which has the range of float32.

    Args:
      reduction: the reduction of the towers' gradients to one: None for `mean()`, or `sum`, `tree`, or `bucketed`
        around one of these; `collective` not on TF 1.15, which can't sum 16 bits, and `nccl` not in bfloat16.
      dtype: tf.float16 or tf.bfloat16.

    Raises:
      ArgumentError: `reduction` or `dtype` is none of these.

    Source of the method: fp16 compression, as in Horovod's `hvd.Compression.fp16`.
    """
    return Compressed(mean() if reduction is None else reduction, dtype)


def _cast(gradient: Gradient, dtype: DType) -> Any:
    return with_values(gradient, tf.cast(values_of(gradient), dtype))
