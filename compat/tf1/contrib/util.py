"""tf.contrib.util: tensor protos and op lists of graphs."""
import types

from legacy_towers.compat.tf1.contrib.private.contrib_parts import (
    constant_value,
    ops_used_by_graph_def,
    stripped_op_list_for_graph,
)
from legacy_towers.compat.versions import tf

make_ndarray = tf.make_ndarray
make_tensor_proto = tf.make_tensor_proto

loader = types.ModuleType("tensorflow.contrib.util.loader", "Loads op libraries.")
loader.load_op_library = tf.load_op_library  # type: ignore

__all__ = [
    "constant_value",
    "loader",
    "make_ndarray",
    "make_tensor_proto",
    "ops_used_by_graph_def",
    "stripped_op_list_for_graph",
]
