"""tf.contrib.util."""
import types

from legacy_towers.compat import tf
from legacy_towers.compat.contrib_parts import constant_value, ops_used_by_graph_def, stripped_op_list_for_graph

make_ndarray = tf.make_ndarray
make_tensor_proto = tf.make_tensor_proto

loader = types.ModuleType("tensorflow.contrib.util.loader", "Loads libraries of operations.")
loader.load_op_library = tf.load_op_library  # type: ignore

__all__ = [
    "constant_value",
    "loader",
    "make_ndarray",
    "make_tensor_proto",
    "ops_used_by_graph_def",
    "stripped_op_list_for_graph",
]
