"""Finds what session_recorder records in the graph of a program: what is read, and what is computed from it.

`session_recorder` loads this file by its path, so it imports nothing of this package. Nothing here is private to
TensorFlow.
"""
from typing import Any, Dict, List, Set, Tuple

READS = ("QueueDequeue", "ReaderRead", "IteratorGetNext")
_SPARSE = ("TakeManySparseFromTensorsMap", "DeserializeSparse", "DeserializeManySparse")
# Summaries have names and times; the size of a queue depends on its threads.
_NOT_COMPARED = ("Summary", "QueueSize", "BarrierReadySize")
_UNCHANGED = ("Squeeze", "Reshape", "Identity", "ExpandDims")
# Operations whose values are not those of an example alone, or which belong to a branch or a loop.
_NOT_OF_EXAMPLES = (
    "Variable", "VarHandle", "Placeholder", "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond",
    "If", "StatelessIf", "While", "StatelessWhile",
)


def is_read(operation: Any) -> bool:
    """Returns whether an operation reads from a queue, a reader or an iterator."""
    return operation.type.startswith(READS) or is_limited(operation)


def is_limited(operation: Any) -> bool:
    """Returns whether an operation gives what tf.train.limit_epochs limits."""
    return operation.type == "Identity" and any(each.type.endswith("CountUpTo") for each in operation.control_inputs)


def is_comparable(target: Any, reads: Set[Any]) -> bool:
    """Whether what is fetched is a value that is computed from what is read."""
    if not hasattr(target, "dtype") or target.dtype.name in ("resource", "variant") \
            or any(part in target.op.type for part in _NOT_COMPARED):
        return False
    seen, waiting = {target.op}, [target.op]
    while waiting:
        operation = waiting.pop()
        if operation in reads:
            return True
        before = {each.op for each in operation.inputs} - seen
        seen |= before
        waiting += before
    return False


def is_shuffled(read: Any, of_lists: bool = False) -> bool:
    """Returns whether an operation reads from a queue that shuffles, or from one that is filled from such a queue.

    Args:
      read: the operation.
      of_lists: whether a queue of a shuffled list, such as that of `string_input_producer`, counts too.
    """
    seen, waiting = {read}, [read]
    while waiting:
        operation = waiting.pop()
        if operation.type.startswith("RandomShuffleQueue") or of_lists and operation.type == "RandomShuffle":
            return True
        before = {each.op for each in operation.inputs}
        if "Queue" in operation.type and not before:
            before = {user for output in operation.outputs for user in output.consumers()
                      if user.type.startswith("QueueEnqueue")}
        before -= seen
        seen |= before
        waiting += before
    return False


def dtype_name(tensor: Any) -> str:
    name: str = tensor.dtype.base_dtype.name
    return name


def components_of(output: Any, seen: Any) -> List[Any]:
    """Returns a tensor; indices, values and shape of the sparse tensor that it stands for."""
    waiting = [output]
    while waiting:
        for user in waiting.pop().consumers():
            if user.type in _SPARSE and user in seen:
                return list(user.outputs)
            if user.type in _UNCHANGED and user in seen:
                waiting += list(user.outputs)
    return [output]


def parsed_examples(reads: List[Any], targets: List[Any], fed: Set[str]) -> List[Tuple[List[Any], List[Any]]]:
    """Finds what a session run computes from examples alone, without variables: the examples after their parse.

    A parse in the graph and one in `Dataset.map` give the same tensors here. Returned are the last ones: those that
    the run fetches, or from which it computes something with a variable, a placeholder or a branch.

    Args:
      reads: the operations that read.
      targets: the tensors and operations that are fetched.
      fed: the names of tensors that are fed.

    Returns:
      For each group of tensors that depend on the same reads: the reads, and the tensors in the order of their names.
    """
    needed = _needed(targets, fed)
    sources = _sources(needed, set(reads), fed)
    fetched = {each.name for each in targets}
    groups: Any = {}
    for operation in needed:
        for output in operation.outputs if sources.get(operation) else ():
            users = [each for each in output.consumers() if each in needed]
            is_last = output.name in fetched or any(not sources.get(each) for each in users)
            if is_last and output.dtype.name not in ("resource", "variant"):
                groups.setdefault(sources[operation], []).append(output)
    found = [(sorted(key, key=lambda each: each.name), sorted(outputs, key=lambda each: each.name))
             for key, outputs in groups.items()]
    return sorted(found, key=lambda pair: pair[1][0].name)


def _needed(targets: List[Any], fed: Set[str]) -> Set[Any]:
    """Returns the operations that a session run executes."""
    waiting = [getattr(each, "op", each) for each in targets if each.name not in fed]
    seen = set(waiting)
    while waiting:
        operation = waiting.pop()
        before = [each.op for each in operation.inputs if each.name not in fed] + list(operation.control_inputs)
        for each in before:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return seen


def _sources(needed: Set[Any], reads: Set[Any], fed: Set[str]) -> Any:
    """Returns the reads on which an operation depends, by the operation; None where it depends on more."""
    found: Dict[Any, Any] = {each: frozenset([each]) for each in reads}
    for first in needed:
        waiting = [first]
        while waiting:
            operation = waiting[-1]
            if operation in found:
                waiting.pop()
            elif operation.type.endswith(_NOT_OF_EXAMPLES) or "Variable" in operation.type \
                    or operation.type.startswith("VarHandle") or any(each.name in fed for each in operation.inputs):
                found[operation] = None
            else:
                # Cycles have an operation of _NOT_OF_EXAMPLES.
                missing = [each.op for each in operation.inputs if each.op not in found]
                if missing:
                    waiting += missing
                    continue
                before = [found[each.op] for each in operation.inputs]
                found[operation] = None if None in before else frozenset().union(*before)
    return found
