"""Private operations on a graph that the graph editor and the quantization rewrites need.

All of it is private API of TensorFlow; tested on 1.15 and 2.21.
"""
from typing import Any, List, Sequence, Tuple

from tensorflow.python.framework import ops

from legacy_towers.compat.versions import tf


def creation_order(operation: Any) -> int:
    """Returns a sort key: the order in which the operations of a graph were created."""
    return int(operation._id)


def create_operation(node: Any, like: Any, graph: Any, inputs: Sequence[Any]) -> Any:
    """Creates an operation in `graph` from the NodeDef `node`, with the dtypes of the operation `like`."""
    types = list(like._output_types), list(like._input_types)
    if hasattr(ops.Operation, "from_node_def"):  # 2.12 and newer
        return ops.Operation.from_node_def(node, graph, list(inputs), types[0], [], types[1], None, like.op_def)
    return ops.Operation(node, graph, list(inputs), types[0], [], types[1], None, like.op_def)


def update_input(operation: Any, index: int, tensor: Any) -> None:
    """Replaces the input `index` of `operation` by `tensor`, without checks."""
    operation._update_input(index, tensor)


def add_control_inputs(operation: Any, others: Sequence[Any]) -> None:
    """Adds the operations `others` to the control inputs of `operation`."""
    operation._add_control_inputs(list(others))


def set_control_inputs(operation: Any, others: Sequence[Any]) -> None:
    """Replaces the control inputs of `operation` by the operations `others`."""
    operation._remove_all_control_inputs()
    operation._add_control_inputs(list(others))


def original_op(operation: Any) -> Any:
    """Returns the operation of which `operation` is the gradient, or None."""
    return operation._original_op


def set_original_op(operation: Any, other: Any) -> None:
    """Marks `operation` as the gradient of `other`."""
    operation._original_op = other


def set_gradient_type(operation: Any, name: str) -> None:
    """Sets the gradient of `operation` to the function that tf.RegisterGradient registered as `name`."""
    operation._set_attr("_gradient_op_type", tf.AttrValue(s=name.encode()))


def while_loop_boundaries(operations: Sequence[Any]) -> List[Tuple[List[Any], List[Any]]]:
    """Returns (Enter operations, Exit operations) of each tf.while_loop that contains one of `operations`."""
    contexts: List[Any] = []
    for operation in operations:
        context = operation._get_control_flow_context()
        if context is not None and context.IsWhileContext() and context not in contexts:
            contexts.append(context)
    return [
        ([tensor.op for tensor in context.loop_enters], [tensor.op for tensor in context.loop_exits])
        for context in contexts
    ]


def unused_name(graph: Any, name: str) -> str:
    """Returns a name that is unique in `graph`, `name` or `name` with a number, and reserves it."""
    return str(graph.unique_name(name))


def is_graph(value: Any) -> bool:
    """Returns whether `value` is a tf.Graph, or a graph of the class that TensorFlow uses internally."""
    return isinstance(value, tf.Graph) or isinstance(value, ops.Graph)
