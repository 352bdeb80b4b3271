"""Operations that compute different things of the examples that they take from one queue, as in Inception's input.

    examples ->  resize by area, distort   ->  batch_join
             ->  resize by bicubic, distort ->

Which of them takes an example is a race. So the queues are run with each operation alone, in a fixed order, which tells
what each computes of each example; and each example of the whole pipeline must be one of these.
"""
import collections
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.meta_graphs import copy_of
from legacy_towers.migrate.conversion.enqueues import ENQUEUES
from legacy_towers.migrate.conversion.queue_graph import Queue, QueueGraph
from legacy_towers.migrate.conversion.roots import find_roots, stores_of
from legacy_towers.migrate.proof.copies import without_shuffling
from legacy_towers.tensor_types import Graph

Example = Tuple[bytes, ...]


class Found(NamedTuple):
    """How the examples of a pipeline are what its operations compute.

    Attributes:
      sentence: the first difference; "" if there is none.
      is_known: whether the examples tell which operation computed them, and each computed one.
    """

    sentence: str
    is_known: bool


def operations_of(graph: Graph, name: str) -> Tuple[str, ...]:
    """Returns the names of operations that fill a queue, and compute different things of what they take from one queue.

    Args:
      graph: a graph that is not converted.
      name: the name of the pipeline.

    Returns:
      One operation of each kind; () if all operations that share a queue compute the same.
    """
    queues = QueueGraph(graph)
    found = [queue for queue in _queues_of(queues, name) if len(queue.groups()) > 1 and _share(queue, queues)]
    return tuple(group[0].operation.name for group in found[0].groups()) if len(found) == 1 else ()


def only(meta: Any, graph: Graph, name: str, kept: str) -> Optional[Any]:
    """Returns a copy of a MetaGraphDef in which one operation alone fills its queue, and nothing is shuffled.

    Of operations that compute the same and fill another queue of the pipeline, the first is kept.

    Args:
      meta: a MetaGraphDef.
      graph: its graph.
      name: the name of the pipeline.
      kept: the name of the operation.

    Returns:
      The copy; None if the operations can't be told apart from what runs with them.
    """
    dropped: Set[Any] = set()
    for queue in _queues_of(QueueGraph(graph), name):
        names = [each.operation.name for each in queue.enqueues]
        first = kept if kept in names else names[0]
        if any(each.operation.type not in ENQUEUES for each in queue.enqueues if each.operation.name != first):
            return None
        dropped.update(each for each in names if each != first)
    copied = without_shuffling(copy_of(meta))
    nodes = [each for each in copied.graph_def.node if each.name not in dropped]
    if any(_operation_name(each) in dropped for node in nodes for each in node.input):
        return None
    del copied.graph_def.node[:]
    copied.graph_def.node.extend(nodes)
    protos = [each.to_proto() for each in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
    for proto in protos:
        proto.enqueue_op_name[:] = [each for each in proto.enqueue_op_name if _operation_name(each) not in dropped]
    left = [each.SerializeToString() for each in protos if each.enqueue_op_name]
    copied.collection_def[tf.GraphKeys.QUEUE_RUNNERS].bytes_list.value[:] = left
    return copied


def compare(computed: Sequence[Sequence[Example]], examples: Sequence[Example]) -> Found:
    """Returns whether examples are what operations compute of a sequence of examples, each taken by one of them.

    Args:
      computed: for each operation, what it computes of the examples of the sequence, in its order.
      examples: the examples to compare.
    """
    if len({len(each) for each in computed}) != 1:
        return Found("", False)
    wanted = collections.Counter(zip(*computed))
    taken_as: Dict[Any, Any] = {}
    for row in wanted:
        for example in row:
            if taken_as.setdefault(example, row) != row:
                return Found("", False)
    strange = sum(example not in taken_as for example in examples)
    if strange:
        return Found("none of the operations computes {} of its {} examples".format(strange, len(examples)), True)
    found = collections.Counter(taken_as[example] for example in examples)
    if found != wanted:
        number = sum((wanted - found).values())
        return Found("it lacks {} of {} examples, or has them less often".format(number, len(computed[0])), True)
    several = len(computed[0]) >= len(computed)
    used = all(set(each) & set(examples) for each in computed)
    return Found("", used or not several)


def _queues_of(queues: QueueGraph, name: str) -> List[Queue]:
    root = next(each for each in find_roots(queues) if each.name == name)
    stores = stores_of(root, queues)
    return [queues.queues[store] for store in sorted(stores, key=lambda store: store.name) if store in queues.queues]


def _share(queue: Queue, queues: QueueGraph) -> bool:
    """Returns whether all operations that fill a queue take from the same queues and readers."""
    taken = [{source.inputs[0].name for source in each.part.sources} for each in queue.enqueues]
    return bool(taken[0]) and all(each == taken[0] for each in taken)


def _operation_name(text: str) -> str:
    return text.lstrip("^").split(":")[0]
