"""The elements of batches, one by one, in their order or sorted."""
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.migrate.conversion.queue_graph import Queue
from legacy_towers.tensor_types import Dataset, Tensor


def unbatched(dataset: Dataset, components: int) -> Dataset:
    """Returns the dataset of the slices of tuples. `flat_map(from_tensor_slices)` takes five times as long on 1.15."""
    if components > 1:
        return dataset.unbatch()
    # `unbatch` of TF 1.15 fails for tuples of one tensor.
    alone = tf.autograph.experimental.do_not_convert(lambda value: value)
    return tf.data.Dataset.zip((dataset.map(alone).unbatch(),))


def by_priority(flow: Flow, queue: Queue) -> Flow:
    """Returns the elements as a queue gives them that is filled up, emptied, and filled again."""
    shapes = queue.shapes
    if queue.capacity < 1:
        raise Refused("it sorts any number of elements: give it a capacity", queue.operation)
    if not all(shape.is_fully_defined() for shape in shapes or [tf.TensorShape(None)]):
        raise Refused("a PriorityQueue of elements whose shapes are not known can't be sorted", queue.operation)

    def in_order(priorities: Tensor, *components: Tensor) -> Any:
        order = tf.argsort(priorities, stable=True)
        return tuple(tf.gather(each, order) for each in (priorities,) + components)

    batches = flow.dataset.batch(queue.capacity).map(tf.autograph.experimental.do_not_convert(in_order))
    return flow.then(
        unbatched(batches, 1 + len(queue.dtypes)), "batch({}).map(sort by priority).unbatch()".format(queue.capacity),
        "{!r} sorts by priority".format(queue.name),
    )
