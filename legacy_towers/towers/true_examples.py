"""Which rows of a tower's batch are true examples: all of them, or the first `count` where the batch is not full."""
from typing import NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import TowerError
from legacy_towers.tensor_types import NestedTensors, Tensor


class TrueExamples(NamedTuple):
    """The true examples of one tower's batch.

    Attributes:
      batch: the tower's batch: a nested structure of tensors.
      count: int32 scalar tensor, 0 for a tower whose batch is a copy of a true example; None: all rows are examples.
      padded: whether rows from `count` on are copies, so that only values per example can leave them out.
    """

    batch: NestedTensors = None
    count: Optional[Tensor] = None  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    padded: bool = False

    def mean(self, values: Tensor, name: str) -> Tensor:
        """Returns the mean of `values`, a vector with one value per row of the batch, over the true examples.

        Without counts it is the mean of all values; with a count of 0 it is 0.

        Raises:
          TowerError: by static shapes there is not one value per row. Where shapes are dynamic, the run fails instead.
        """
        if self.count is None:
            return tf.reduce_mean(values)
        rows = self.rows()
        if rows is not None:
            values = _checked(values, rows, name)
        count = tf.cast(self.count, tf.int32)
        return tf.reduce_sum(values[:count]) / tf.cast(tf.maximum(count, 1), values.dtype)

    def rows(self) -> Optional[Tensor]:
        """Returns a dense component of the batch, whose first axis is the example; None where there is none."""
        leaves = structure.leaves_of(self.batch)
        dense = [leaf for leaf in leaves if isinstance(leaf, tf.Tensor) and leaf.shape.ndims not in (None, 0)]
        return dense[0] if leaves and dense and dense[0] is leaves[0] else None


def _checked(values: Tensor, rows: Tensor, name: str) -> Tensor:
    found, expected = tf.dimension_value(values.shape[0]), tf.dimension_value(rows.shape[0])
    if None not in (found, expected):
        if found != expected:
            raise TowerError(
                "{} has {} values for a batch of {} examples: give one value per example, or a scalar".format(
                    name, found, expected
                )
            )
        return values
    fits = tf.Assert(
        tf.equal(tf.shape(values)[0], tf.shape(rows)[0]),
        ["{}: give one value per example; values, examples:".format(name), tf.shape(values), tf.shape(rows)],
    )
    with tf.control_dependencies([fits]):
        return tf.identity(values)
