"""Tells whether an operation reads batches or single examples, and whether its dataset shuffles.

`session_recorder` loads this file by its path, so it imports nothing of this package. Private: the names of operations
of datasets. Tried on 1.15 and 2.21.
"""
from typing import Any, Iterator, List, Optional, Set

_BATCHES = ("QueueDequeueMany", "QueueDequeueUpTo", "ReaderReadUpTo")
_BATCHING = ("BatchDataset", "MapAndBatch", "GroupByWindow", "BucketBySequenceLength")
# After these, elements may be examples again, or batches that another operation made.
_UNKNOWN = ("Unbatch", "UnBatch", "Rebatch", "FlatMap", "Generator", "TensorDataset")


def is_batched(read: Any) -> Optional[bool]:
    """Returns whether an operation reads batches; False if it reads single examples, None if it can't be told.

    Args:
      read: an operation that dequeues, reads from a reader or takes an iterator's next element.
    """
    if read.type.startswith(_BATCHES):
        return True
    if read.type.startswith("ReaderRead"):
        return False
    if read.type.startswith("QueueDequeue"):
        return _is_queue_of_batches(read)
    if read.type.startswith("IteratorGetNext"):
        types = _dataset_types(read)
        if any(part in each for each in types for part in _BATCHING) and not any("nbatch" in each for each in types):
            return True
        return None if not types or any(part in each for each in types for part in _UNKNOWN) else False
    return None


def is_shuffled(read: Any) -> bool:
    """Returns whether an operation takes the next element of a dataset that shuffles."""
    return read.type.startswith("IteratorGetNext") and any("Shuffle" in each for each in _dataset_types(read))


def _is_queue_of_batches(dequeue: Any) -> Optional[bool]:
    """Whether a queue is filled with what is dequeued from another as batches, as in prefetch_queue and bucket."""
    seen: Set[Any] = {dequeue}
    waiting = [dequeue]
    found: Optional[bool] = None
    while waiting:
        operation = waiting.pop()
        if operation.type.startswith(_BATCHES):
            return True
        if operation.type.startswith(("ReaderRead", "QueueDequeue")) and operation is not dequeue:
            found = False
        before = {each.op for each in operation.inputs}
        if "Queue" in operation.type and not before:
            fillers = {user for output in operation.outputs for user in output.consumers()
                       if user.type.startswith("QueueEnqueue")}
            if operation is dequeue.inputs[0].op and any("Many" in each.type for each in fillers):
                return None  # single examples, of what is enqueued many at a time
            before = fillers
        before -= seen
        seen |= before
        waiting += before
    return found


def _dataset_types(get_next: Any) -> List[str]:
    """Returns the types of the operations that make the dataset of an iterator, those of its functions included."""
    iterator = get_next.inputs[0].op
    library = {each.signature.name: each for each in get_next.graph.as_graph_def().library.function}
    types: List[str] = []
    functions: List[str] = []
    makers = [each.inputs[0].op for each in iterator.outputs[0].consumers() if each.type.startswith("MakeIterator")]
    seen = set(makers) | {iterator}
    waiting = list(seen)
    while waiting:
        operation = waiting.pop()
        types.append(operation.type)
        functions += _functions_of(operation.node_def)
        for each in operation.inputs:
            if each.op not in seen:
                seen.add(each.op)
                waiting.append(each.op)
    known: Set[str] = set()
    while functions:
        name = functions.pop()
        if name in library and name not in known:
            known.add(name)
            for node in library[name].node_def:
                types.append(node.op)
                functions += _functions_of(node)
    return [each for each in types if "Dataset" in each]


def _functions_of(node: Any) -> Iterator[str]:
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func.name
        for each in value.list.func:
            yield each.name
