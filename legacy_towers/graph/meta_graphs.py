"""MetaGraphs: those of graphs and files, copies of them, and graphs of them."""
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Graph
from legacy_towers.text.messages import first_line

# What readers of graphs use. Other collections may hold what can't be exported.
_COLLECTIONS = (
    tf.GraphKeys.QUEUE_RUNNERS, tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES,
    tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.TABLE_INITIALIZERS, tf.GraphKeys.TRAIN_OP, tf.GraphKeys.LOSSES,
    tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT,
)


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
    """Returns a copy of a MetaGraphDef."""
    copied = tf.MetaGraphDef()
    copied.CopyFrom(meta)
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
