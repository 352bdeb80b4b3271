"""The tensors of enqueues in a `tf.cond`, in a function that computes them in each run."""
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Tensor


def with_condition(
    tensors: Sequence[Tensor], predicates: Sequence[Tensor], holds: Sequence[bool], sometimes: bool
) -> Tuple[List[Tensor], Tensor]:
    """Returns tensors that are computed in each run, and whether they are to be kept.

        a: --> [tf.cond: b --> [tf.cond: tensors]]         keep = a and b; b is computed only where a holds

    Args:
      tensors: what is put into a queue.
      predicates: of the `tf.cond`s around it, the outermost first.
      holds: the values of the predicates with which it is put there.
      sometimes: whether `tensors` are computed only in that case; they are zeros then in the others.
    """
    keep: Any = None
    for predicate, value in zip(predicates, holds):
        this = predicate if value else tf.logical_not(predicate)
        keep = this if keep is None else _either(this, tf.constant(False), keep)
    if not sometimes:
        return list(tensors), keep
    found = []
    for each in tensors:
        chosen = _either(each, tf.zeros([], each.dtype), keep)
        chosen.set_shape(each.shape)
        found.append(chosen)
    return found, keep


def _either(value: Tensor, other: Tensor, keep: Tensor) -> Tensor:
    """Returns `value`, which is computed only where `keep` is true, and `other` elsewhere."""
    taken = tf.raw_ops.Switch(data=value, pred=keep)[1]
    left = tf.raw_ops.Switch(data=other, pred=keep)[0]
    return tf.raw_ops.Merge(inputs=[left, taken])[0]
