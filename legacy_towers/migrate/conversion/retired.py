"""Takes converted queues out of use: nothing fills them, waits for them, or shows their sizes."""
from typing import Any, Dict, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions import graph as graph_changes
from legacy_towers.compat.versions.redirection import redirect
from legacy_towers.migrate.conversion.operations import uses_of_size
from legacy_towers.migrate.conversion.queue_graph import STATES, QueueGraph
from legacy_towers.tensor_types import Graph, Operation, Tensor

_MESSAGE = (
    "{!r} was converted to tf.data: nothing fills it, and nothing can be dequeued from it. Fetch what the model reads "
    "from it, such as its batches; convert the graph when all operations of the model are built"
)
_ERROR = "converted_to_dataset"


def is_retired(store: Operation) -> bool:
    """Returns whether an operation makes a queue or a reader that is out of use."""
    return any(each.type == "Assert" and _ERROR in each.name for each in store.control_inputs)


def retire(queues: QueueGraph, stores: Set[Operation], replaced: Dict[Tensor, Tensor]) -> Dict[Tensor, Tensor]:
    """Takes queues and readers out of use.

    Their queue runners leave the collection QUEUE_RUNNERS, and the summaries of their sizes leave SUMMARIES. What else
    uses them gets an error, where it would wait for ever; closing them does nothing.

    Args:
      queues: the queues of the graph.
      stores: the operations that make what is taken out of use.
      replaced: tensor that was read from them -> the one in its place, which sessions fetch and feed instead.

    Returns:
      The handle of each of these queues -> that of one that is never filled, which is closed in its place.
    """
    graph = queues.graph
    unused = [queues.queues[store] for store in stores if store in queues.queues]
    enqueues = {each.operation for queue in unused for each in queue.enqueues}
    runners = graph.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS)
    runners[:] = [
        runner for runner in runners if not any(getattr(each, "op", each) in enqueues for each in runner.enqueue_ops)
    ]
    for queue in unused:
        for size in queue.sizes:
            _drop_summaries(graph, size)
    handles = {}
    for queue in unused:
        handle, other = queue.operation.outputs[0], tf.FIFOQueue(1, [tf.int32], name="never_filled").queue_ref
        if handle.dtype == other.dtype:  # not the string handles of before TensorFlow 1.0
            handles[handle] = other
            for operation in queue.states:
                graph_changes.replace_input(operation, 0, other)
    for store in stores:
        message = tf.constant(_MESSAGE.format(store.name))
        error = tf.raw_ops.Assert(condition=tf.constant(False), data=[message], name=_ERROR)
        graph_changes.run_after(store, error)
    redirect(graph, replaced)
    return handles


def close_others(handles: Dict[Tensor, Tensor]) -> None:
    """Lets operations that close queues which are out of use, and that were built since, close others in their place.

    Args:
      handles: what `retire` has returned.
    """
    for handle, other in handles.items():
        for user in list(handle.consumers()):
            if user.type in STATES:
                graph_changes.replace_input(user, 0, other)


def _drop_summaries(graph: Graph, size: Operation) -> None:
    for summary in uses_of_size(size)[0]:
        output = summary.outputs[0]
        for user in list(output.consumers()):
            for index, tensor in enumerate(user.inputs):
                if tensor.name == output.name:
                    graph_changes.replace_input(user, index, tf.constant(b"", name="no_queue"))
        collection: Any = graph.get_collection_ref(tf.GraphKeys.SUMMARIES)
        collection[:] = [each for each in collection if getattr(each, "op", None) is not summary]
