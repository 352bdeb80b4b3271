"""Iterators in the place of what reads from a queue."""
from typing import Any, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions import graph as graph_changes
from legacy_towers.tensor_types import Operation


def branch_of(read: Operation) -> List[Operation]:
    """Returns what runs only if the branch of a `tf.cond` is taken that a read operation is in; [] outside of one."""
    if not graph_changes.is_in_control_flow(read):
        return []
    handle = read.inputs[0]
    switched = tf.raw_ops.Switch(data=tf.constant(0), pred=handle.op.inputs[1])
    return [tf.identity(switched[handle.value_index]).op]


def elements_operation(elements: Any) -> Operation:
    """Returns the operation that gives the elements of an iterator."""
    return tf.nest.flatten(elements)[0].op


def iterator_over(dataset: Any, has_large_constants: bool) -> Tuple[Any, bool]:
    """Returns an iterator over a dataset, and whether it starts by itself: one that uses a table can't.

    One that starts by itself copies the constants that the dataset reads.
    """
    if has_large_constants:
        return tf.data.make_initializable_iterator(dataset), False
    try:
        return tf.data.make_one_shot_iterator(dataset), True
    except ValueError:
        return tf.data.make_initializable_iterator(dataset), False
