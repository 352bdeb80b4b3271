"""A batch that towers share."""
from typing import Any, List

from legacy_towers.compat import tf
from legacy_towers.replication.sparse_feeds import rows_of
from legacy_towers.tensor_types import Tensor


class Split:
    """Splits batches into the rows of each tower: 7 rows for 3 towers are 2, 2 and 3.

    With fewer rows than towers, a tower without rows gets one that another tower has, since a mean over no rows is not
    a number, and does not count.

    Args:
      tensor: a tensor with one row per example; its number of rows is what is split.
      number: the number of towers.

    Attributes:
      counts: for each tower, 1 if it has rows of its own, 0 if it got one of another tower.
    """

    def __init__(self, tensor: Tensor, number: int) -> None:
        self._rows = rows = tf.shape(tensor, out_type=tf.int64)[0]
        bounds = [rows * each // number for each in range(number + 1)]
        pairs = list(zip(bounds, bounds[1:]))
        self.counts = [tf.cast(end > begin, tf.int64) for begin, end in pairs]
        self._begins = [tf.minimum(begin, rows - 1) for begin, _ in pairs]
        self._ends = [tf.maximum(end, begin + 1) for (_, end), begin in zip(pairs, self._begins)]

    def parts(self, tensor: Tensor) -> List[Tensor]:
        """Returns the rows of each tower, of a tensor with one row per example."""
        parts = [tensor[begin:end] for begin, end in zip(self._begins, self._ends)]
        for part in parts:
            part.set_shape(tensor.shape if tensor.shape.ndims is None else [None] + tensor.shape.as_list()[1:])
        return parts

    def sparse_parts(self, tensor: Any) -> List[Any]:
        """Returns the rows of each tower of a sparse tensor."""
        return rows_of(tensor, self._rows, self._begins, self._ends)
