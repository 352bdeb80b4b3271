"""Copies of a graph: with seeds, with few epochs, without shuffling, with the examples of a last, smaller batch."""
import zlib
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.graph import op_kinds
from legacy_towers.migrate.conversion.operations import COUNTERS
from legacy_towers.tensor_types import Graph
from legacy_towers.text.messages import first_line

# What the proof uses. Other collections may hold what can't be exported.
_COLLECTIONS = (
    tf.GraphKeys.QUEUE_RUNNERS, tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES,
    tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.TABLE_INITIALIZERS, tf.GraphKeys.TRAIN_OP, tf.GraphKeys.LOSSES,
    tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT,
)
_SEEDS = ("seed", "seed2")
_SHUFFLES = {"RandomShuffleQueue": "FIFOQueue", "RandomShuffleQueueV2": "FIFOQueueV2"}
_PADDING = "PaddingFIFOQueue"
# More epochs than MANY_EPOCHS become FEW_EPOCHS: what the first ones read, later ones read again.
MANY_EPOCHS, FEW_EPOCHS = 20, 3
# dequeues that fail where too few elements are left -> those that give what is left
DEQUEUES_OF_FULL_BATCHES = {
    "QueueDequeueMany": "QueueDequeueUpTo", "QueueDequeueManyV2": "QueueDequeueUpToV2",
}


def meta_graph_of(source: Any) -> Any:
    """Returns the MetaGraphDef of a graph, of a file, or of what is one already.

    Args:
      source: a `tf.Graph`, the path of a MetaGraph file, or a `tf.MetaGraphDef`.

    Raises:
      ArgumentError: the file is not a MetaGraph, or `source` is something else.
    """
    if isinstance(source, tf.MetaGraphDef):
        return source
    if isinstance(source, tf.Graph):
        used = [name for name in _COLLECTIONS if source.get_collection_ref(name)]
        return tf.train.export_meta_graph(graph=source, collection_list=used, clear_devices=True)
    if not isinstance(source, str):
        raise ArgumentError("expected a tf.Graph, a MetaGraphDef or the path of one, got {!r}".format(source))
    meta = tf.MetaGraphDef()
    try:
        with open(source, "rb") as file:
            meta.ParseFromString(file.read())
    except Exception as error:
        raise ArgumentError("{}: can't be read as a MetaGraph: {}".format(source, error)) from error
    if not meta.graph_def.node:
        raise ArgumentError("{}: can't be read as a MetaGraph: it has no operations".format(source))
    return meta


def copy_of(meta: Any) -> Any:
    copied = tf.MetaGraphDef()
    copied.CopyFrom(meta)
    return copied


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


def imported(meta: Any, one_thread: bool = False, clear_devices: bool = True) -> Graph:
    """Returns a graph of a MetaGraph.

    Args:
      meta: a MetaGraphDef.
      one_thread: whether each operation that fills a queue is run by one thread only.
      clear_devices: whether operations lose their devices.

    Raises:
      ArgumentError: TensorFlow can't import it.
    """
    graph = tf.Graph()
    if not meta.HasField("saver_def"):
        meta = copy_of(meta)
        # Without one, TensorFlow adds operations that restore, and so assign, each variable.
        for name in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(meta.saver_def, name, "unused")
    try:
        with graph.as_default():
            tf.train.import_meta_graph(meta, clear_devices=clear_devices)
    except (KeyError, ValueError, tf.errors.OpError) as error:
        raise ArgumentError("the graph can't be imported: {}".format(first_line(error))) from error
    if one_thread:
        runners = graph.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS)
        with graph.as_default():
            runners[:] = [
                tf.train.QueueRunner(
                    each.queue, list(dict.fromkeys(each.enqueue_ops)), each.close_op, each.cancel_op,
                    queue_closed_exception_types=each.queue_closed_exception_types,
                )
                for each in runners
            ]
    return graph
