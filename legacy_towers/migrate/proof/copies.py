"""Copies of a graph: with seeds, with few epochs, without shuffling, with the examples of a last, smaller batch."""
import zlib
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.meta_graphs import copy_of
from legacy_towers.migrate.conversion.operations import COUNTERS

_SEEDS = ("seed", "seed2")
_SHUFFLES = {"RandomShuffleQueue": "FIFOQueue", "RandomShuffleQueueV2": "FIFOQueueV2"}
_PADDING = "PaddingFIFOQueue"
# More epochs than MANY_EPOCHS become FEW_EPOCHS: what the first ones read, later ones read again.
MANY_EPOCHS, FEW_EPOCHS = 20, 3
# dequeues that fail where too few elements are left -> those that give what is left
DEQUEUES_OF_FULL_BATCHES = {
    "QueueDequeueMany": "QueueDequeueUpTo", "QueueDequeueManyV2": "QueueDequeueUpToV2",
}


def with_seeds(meta: Any) -> Tuple[Any, List[str]]:
    """Returns a copy in which each random operation has a seed, and the names of those that had none.

    Queues that shuffle stay as they are: seeds do not fix what they give.
    """
    copied, changed = copy_of(meta), []
    for node in copied.graph_def.node:
        if node.op in op_kinds.RANDOM_OPS and node.op not in _SHUFFLES and all(name in node.attr for name in _SEEDS):
            if not any(node.attr[name].i for name in _SEEDS):
                changed.append(node.name)
                node.attr["seed"].i = zlib.crc32(node.name.encode()) % 2**31 or 1
                node.attr["seed2"].i = len(changed)
    return copied, changed


def with_few_epochs(meta: Any) -> Tuple[Any, List[int]]:
    """Returns a copy whose producers end after FEW_EPOCHS, and the limits that were above MANY_EPOCHS.

    A limit is a counter whose numbers nothing reads: what `num_epochs` and `tf.train.limit_epochs` make.
    """
    copied, limits = copy_of(meta), []
    read = {each.partition(":")[0] for node in copied.graph_def.node for each in node.input}
    for node in copied.graph_def.node:
        if node.op in COUNTERS and node.name not in read and node.attr["limit"].i > MANY_EPOCHS:
            limits.append(int(node.attr["limit"].i))
            node.attr["limit"].i = FEW_EPOCHS
    return copied, limits


def without_shuffling(meta: Any) -> Any:
    """Returns a copy whose queues give elements in their order, and whose lists of files are not shuffled."""
    copied = copy_of(meta)
    for node in copied.graph_def.node:
        if node.op in _SHUFFLES:
            node.op = _SHUFFLES[node.op]
            for name in _SEEDS + ("min_after_dequeue",):
                node.attr.pop(name, None)
        elif node.op == "RandomShuffle":
            node.op = "Identity"
            for name in _SEEDS:
                node.attr.pop(name, None)
    return copied


def with_remainder(meta: Any, reads: Sequence[str], batches: Sequence[str] = ()) -> Any:
    """Returns a copy in which a last, smaller batch is given rather than dropped.

    A PriorityQueue can't give a smaller one; there a batch has one example.

    Args:
      meta: a MetaGraphDef.
      reads: names of the operations that give batches.
      batches: the name of a queue that holds whole batches, and names of the operations that make these.
    """
    copied = copy_of(meta)
    sorting = {node.name for node in copied.graph_def.node if node.op.startswith("PriorityQueue")}
    alone = []
    for node in copied.graph_def.node:
        node.attr.pop("_output_shapes", None)
        if node.op in DEQUEUES_OF_FULL_BATCHES and node.name in reads and node.input[0].split(":")[0] in sorting:
            alone.append(node)
        elif node.name in reads or node.name in batches[1:]:
            node.op = DEQUEUES_OF_FULL_BATCHES.get(node.op, node.op)
        elif node.name in batches[:1] and node.op.startswith(_PADDING):
            for shape in node.attr["shapes"].list.shape:
                shape.dim[0].size = -1
        elif node.name in batches[:1]:
            del node.attr["shapes"].list.shape[:]
    for node in alone:
        one = copied.graph_def.node.add(name=node.name + "/one_example", op="Const")
        one.attr["dtype"].type = tf.int32.as_datatype_enum
        one.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1, tf.int32))
        node.input[1] = one.name
    return copied
