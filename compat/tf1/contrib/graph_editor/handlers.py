"""The default handlers of a Transformer."""
import copy as copying
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import util
from legacy_towers.compat.tf1.contrib.private import graph_editing


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """Returns a new placeholder in place of the tensor `t`."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """Returns `t` if source and destination are the same graph, otherwise a new placeholder."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Adds the copy `elem_` to the collections of `elem`; names of user-defined collections get the new scope."""
    known = util.get_predefined_collection_names()
    for name, collection in info.collections.items():
        if any(elem is each for each in collection):
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """Returns the copy of `op`, or for an op outside the view: `op` itself in the same graph, otherwise None."""
    if op in info.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(
    info: Any,
    op: Any,
    new_inputs: Any,
    copy_shape: bool = False,
    nodedef_fn: Optional[Callable[[Any], Any]] = None,
) -> Tuple[Any, List[Any]]:
    """Returns (a copy of `op` with the inputs `new_inputs`, its outputs).

    Args:
      copy_shape: whether the outputs' static shapes are copied.
      nodedef_fn: NodeDef of the copy -> NodeDef to use.

    Raises:
      TypeError: `new_inputs` is not a sequence of tensors.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("the `new_inputs` argument must be an iterable.")
    node = copying.deepcopy(op.node_def)
    node.name = graph_editing.unused_name(info.graph_, info.new_name(op.name))
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    new_op = graph_editing.create_operation(node, op, info.graph_, new_inputs)
    if copy_shape:
        for tensor, copied in zip(op.outputs, new_op.outputs):
            copied.set_shape(tensor.shape)
    if graph_editing.original_op(op):
        graph_editing.set_original_op(new_op, graph_editing.original_op(op))
    return new_op, new_op.outputs
