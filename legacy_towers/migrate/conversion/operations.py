"""Operations that take elements from queues, readers and counters."""
from typing import List, NamedTuple, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import consumers_of
from legacy_towers.tensor_types import Operation, Tensor

COUNTERS = ("CountUpTo", "ResourceCountUpTo")
# Operations whose output is the handle of their input: of a queue or a reader.
PASS_HANDLE = ("FakeQueue", "Identity", "Switch", "RefSwitch", "Enter", "RefEnter", "RefIdentity")
# Readers without a state: each read takes one file name, and gives its whole content or the name.
_ONE_RECORD_PER_FILE = ("IdentityReader", "IdentityReaderV2", "WholeFileReader", "WholeFileReaderV2")


class Condition(NamedTuple):
    """Whether the operations of a branch of a tf.cond run.

    Attributes:
      predicate: a bool tensor of shape [].
      holds: its value where they run.
    """

    predicate: Tensor
    holds: bool


def is_dequeue(operation: Operation) -> bool:
    return operation.type in op_kinds.QUEUE_INPUT_OPS


def is_read(operation: Operation) -> bool:
    return operation.type in op_kinds.READER_INPUT_OPS


def is_source(operation: Operation) -> bool:
    """Returns whether an operation takes an element from a queue, a reader or a counter in each run."""
    return is_dequeue(operation) or is_read(operation) or operation.type in COUNTERS


def handle_of(tensor: Tensor) -> Operation:
    """Returns the operation that made the queue or the reader whose handle is `tensor`."""
    operation = tensor.op
    while operation.type in PASS_HANDLE and operation.inputs:
        operation = operation.inputs[0].op
    return operation


def conditions_of(user: Operation) -> List[Condition]:
    """Returns the conditions under which an operation uses a queue or a reader, that of the outermost tf.cond first.

    Each tf.cond of control flow version 1 switches the handle. The context of an operation without outputs is not in a
    MetaGraph.
    """
    handle, found = user.inputs[0], []
    while handle.op.type in ("Switch", "RefSwitch"):
        # The second output is that of the branch for True.
        found.append(Condition(handle.op.inputs[1], handle.value_index == 1))
        handle = handle.op.inputs[0]
    return found[::-1]


def store_of(source: Operation) -> Operation:
    """Returns the operation that made the queue or the reader that a dequeue or read operation takes from."""
    return handle_of(source.inputs[0])


def files_of(read: Operation) -> Operation:
    """Returns the operation that made the queue that gives a read operation its files."""
    return handle_of(read.inputs[1])


def reads_one_record_per_file(reader: Operation) -> bool:
    """Returns whether a reader keeps nothing from one read to the next, so that it may read from several queues."""
    return reader.type in _ONE_RECORD_PER_FILE


def users_of(reader: Operation) -> List[Operation]:
    """Returns what uses a reader: what reads, and what else, such as `reader.num_records_produced()`."""
    waiting, found = [reader], []
    while waiting:
        for user in consumers_of(waiting.pop()):
            if user.type in PASS_HANDLE:
                waiting.append(user)
            else:
                found.append(user)
    return found


def uses_of_size(size: Operation) -> Tuple[List[Operation], List[Operation]]:
    """Returns the summaries that show the size of a queue, and what else is computed from the size and used by none."""
    waiting, seen = [size], {size}
    summaries, others = [], []
    while waiting:
        operation = waiting.pop()
        if operation.type in op_kinds.SUMMARY_OPS:
            summaries.append(operation)
            continue
        users = set(consumers_of(operation))
        if not users:
            others.append(operation)
        waiting += users - seen
        seen |= users
    return summaries, others


def counts_of(operation: Operation) -> List[Tensor]:
    """Returns the input that says how many elements a dequeue or read takes, in a list; [] if it takes one."""
    return list(operation.inputs)[2 if is_read(operation) else 1:]


def count_of(operation: Operation) -> Optional[int]:
    """Returns how many elements a dequeue or read takes at once; None: one, without a batch dimension; -1: unknown."""
    counts = counts_of(operation)
    if not counts:
        return None
    value = tf.get_static_value(counts[0])
    return -1 if value is None else int(value)
