"""tf.train.import_meta_graph for files that TensorFlow 1.x wrote."""
import os
from typing import Any, Optional

from google.protobuf import message, text_format

from legacy_towers.compat.versions import tf

# Operations whose static shapes in files of 1.x differ from those of TensorFlow 2, which rejects such files. The
# difference is in their last two outputs, which are not used.
_OTHER_SHAPES = ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: Optional[str] = None, **kwargs: Any
) -> Any:
    """Imports a graph like tf.train.import_meta_graph, and returns its tf.train.Saver, None if it has no variables.

    Raises:
      IOError: the file does not exist, or is not a MetaGraphDef.
    """
    is_file = isinstance(meta_graph_or_file, (str, bytes, os.PathLike))
    if is_file and not tf.gfile.IsDirectory(meta_graph_or_file) and tf.gfile.Exists(meta_graph_or_file):
        meta_graph = _read(meta_graph_or_file)
    else:
        meta_graph = None if is_file else meta_graph_or_file
    if meta_graph is None or not _have_other_shapes(meta_graph):
        return tf.train.import_meta_graph(meta_graph_or_file, clear_devices, import_scope, **kwargs)
    readable = tf.MetaGraphDef()
    readable.CopyFrom(meta_graph)
    for node in readable.graph_def.node:
        if node.op in _OTHER_SHAPES:
            node.attr.pop("_output_shapes", None)
    return tf.train.import_meta_graph(readable, clear_devices, import_scope, **kwargs)


def _have_other_shapes(meta_graph: Any) -> bool:
    return any(node.op in _OTHER_SHAPES and "_output_shapes" in node.attr for node in meta_graph.graph_def.node)


def _read(path: Any) -> Any:
    """Returns the MetaGraphDef of the file, None if it is not one: TensorFlow raises the error for it."""
    with tf.gfile.GFile(path, "rb") as file:
        data = file.read()
    try:
        return tf.MetaGraphDef.FromString(data)
    except message.DecodeError:
        pass
    try:
        return text_format.Parse(data.decode("utf-8"), tf.MetaGraphDef())
    except (text_format.ParseError, UnicodeDecodeError):
        return None
