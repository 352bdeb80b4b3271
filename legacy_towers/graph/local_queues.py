"""The queues of a graph that belong to this process, to close them or to ask for their sizes."""
from typing import Any, List

from legacy_towers.compat import tf

# They make a queue.
_QUEUE_OPS = frozenset(
    name + version for name in ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue")
    for version in ("", "V2")
)


def local_queues(graph: Any = None) -> List[Any]:
    """Returns a `tf.QueueBase` per queue of a graph that another process can't use.

    Those made under `tf.control_dependencies` are left out: an operation on them would run their dependencies.

    Args:
      graph: a `tf.Graph`; None for the default graph.
    """
    operations = (graph or tf.get_default_graph()).get_operations()
    return [
        tf.QueueBase([], None, None, operation.outputs[0]) for operation in operations
        if operation.type in _QUEUE_OPS and not operation.control_inputs
        and tf.DeviceSpec.from_string(operation.device or "").job is None
    ]
