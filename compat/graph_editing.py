"""What the graph editor does to operations that exist, and TensorFlow keeps to itself.

All of it is private; tried on 1.15 and 2.21.
"""
from typing import Any, List, Sequence, Tuple

from tensorflow.python.framework import ops

from legacy_towers.compat import tf


def place_in_graph(operation: Any) -> int:
    """Returns a number by which operations are in the order in which they were made."""
    return int(operation._id)


def made_from(node: Any, like: Any, graph: Any, inputs: Sequence[Any]) -> Any:
    """Returns a new operation of `graph` by the NodeDef `node`, of the types of the operation `like`."""
    types = list(like._output_types), list(like._input_types)
    if hasattr(ops.Operation, "from_node_def"):  # 2.12 and newer
        return ops.Operation.from_node_def(node, graph, list(inputs), types[0], [], types[1], None, like.op_def)
    return ops.Operation(node, graph, list(inputs), types[0], [], types[1], None, like.op_def)


def let_read(operation: Any, index: int, tensor: Any) -> None:
    """Lets `operation` read `tensor` as its input number `index`; nothing is checked."""
    operation._update_input(index, tensor)


def let_wait_for(operation: Any, others: Sequence[Any]) -> None:
    """Lets `operation` wait for `others` too."""
    operation._add_control_inputs(list(others))


def let_wait_for_only(operation: Any, others: Sequence[Any]) -> None:
    """Lets `operation` wait for `others` and no more for what it waited for."""
    operation._remove_all_control_inputs()
    operation._add_control_inputs(list(others))


def original(operation: Any) -> Any:
    """Returns the operation that `operation` is the gradient of, None where it is of none."""
    return operation._original_op


def set_original(operation: Any, other: Any) -> None:
    """Says that `operation` is the gradient of `other`."""
    operation._original_op = other


def set_gradient(operation: Any, name: str) -> None:
    """Says that the gradient of `operation` is the function that tf.RegisterGradient knows by `name`."""
    operation._set_attr("_gradient_op_type", tf.AttrValue(s=name.encode()))


def loops_around(operations: Sequence[Any]) -> List[Tuple[List[Any], List[Any]]]:
    """Returns (what enters, what leaves) of each tf.while_loop that some of `operations` lie in."""
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
    """Returns `name`, or with a number behind it where `graph` has it; the name is taken from now on."""
    return str(graph.unique_name(name))


def is_graph(value: Any) -> bool:
    """Returns whether `value` is a graph, a view of one included."""
    return isinstance(value, tf.Graph) or isinstance(value, ops.Graph)
