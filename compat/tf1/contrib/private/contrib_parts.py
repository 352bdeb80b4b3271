"""Functions of tf.contrib that TensorFlow keeps in private modules."""

# Private API: tested on 1.15 and 2.21.
from tensorflow.python.framework.meta_graph import ops_used_by_graph_def, stripped_op_list_for_graph
from tensorflow.python.framework.tensor_util import constant_value
from tensorflow.python.ops import batch_ops, nccl_ops

batch_function = batch_ops.batch_function

__all__ = [
    "batch_function",
    "constant_value",
    "nccl_ops",
    "ops_used_by_graph_def",
    "stripped_op_list_for_graph",
]
