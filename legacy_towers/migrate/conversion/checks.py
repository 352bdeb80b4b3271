"""What prevents the conversion of what a model reads, and its order from being the same."""
from typing import Tuple

from legacy_towers.compat.versions import graph as graph_changes
from legacy_towers.graph import op_kinds
from legacy_towers.migrate.conversion.cut import Cut
from legacy_towers.migrate.conversion.operations import count_of, is_read, users_of, uses_of_size
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.migrate.conversion.queue_graph import QueueGraph
from legacy_towers.migrate.conversion.roots import Root, stores_of
from legacy_towers.tensor_types import Operation


def check_root(root: Root, queues: QueueGraph) -> None:
    """Checks how a model reads from a queue or reader, and what else uses those that it is filled from.

    Raises:
      Refused: it can't be converted.
    """
    if len({count_of(each) for each in root.reads}) > 1 or len({each.type for each in root.reads}) > 1:
        raise Refused("operations read different numbers of elements from it", root.reads[1])
    for read in root.reads:
        queues.queue_of(read)
        if graph_changes.is_in_loop(read):
            raise Refused("it is read in a tf.while_loop", read)
        if graph_changes.is_in_control_flow(read) and read.inputs[0].op.type != "Switch":
            raise Refused("it is created in the tf.cond that reads it", read)
    for store in stores_of(root, queues):
        queue = queues.queues.get(store)
        for size in queue.sizes if queue is not None else []:
            _check_size(size)
        for other in queue.others if queue is not None else users_of(store):
            if not is_read(other):
                raise Refused("{} uses {!r}".format(other.type, store.name), other)
        if store in queues.lost:
            raise queues.lost[store]


def _check_size(size: Operation) -> None:
    for other in uses_of_size(size)[1]:
        raise Refused("its size is used for more than summaries", other)


def check_part(part: Cut) -> None:
    """Checks the operations that a dataset computes.

    Raises:
      Refused: it can't compute one of them.
    """
    for source in part.sources:
        if graph_changes.is_in_control_flow(source):
            raise Refused("its elements are read from another queue in a tf.cond or tf.while_loop", source)
    for operation in part.operations:
        kind = operation.type
        if any(each.dtype != each.dtype.base_dtype for each in list(operation.inputs) + list(operation.outputs)):
            raise Refused("its elements depend on a variable: tf.data would not see it change", operation)
        if kind in op_kinds.PLACEHOLDER_OPS:
            raise Refused("its elements depend on a placeholder", operation)
        if kind in op_kinds.INPUT_OPS:
            raise Refused("its elements come from {}".format(kind), operation)
        if kind in ("QueueSize", "QueueSizeV2", "QueueIsClosed", "QueueIsClosedV2"):
            raise Refused("its elements depend on the size of a queue", operation)


def unseeded(part: Cut) -> Tuple[str, ...]:
    """Returns why a dataset of a part is not the same sequence: its random numbers have no seed."""
    names = [repr(each.name) for each in part.unseeded]
    if len(names) < 2:
        return tuple("{} draws random numbers without a seed".format(name) for name in names)
    return ("{} and {} more draw random numbers without a seed".format(names[0], len(names) - 1),)
