"""What a Transformer does with each operation and tensor, unless it is told otherwise."""
import copy as copying
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat import graph_editing
from legacy_towers.oldtf.contrib.graph_editor import util


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """Returns a new placeholder for the tensor `t`."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """Returns `t` itself within one graph, and else a new placeholder."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Adds the copy `elem_` to the collections that `elem` is in; those of the user's own names get the new scope."""
    known = util.get_predefined_collection_names()
    for name, collection in info.collections.items():
        if any(elem is each for each in collection):
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """Returns the copy of `op`; of an operation outside itself within one graph, and else None."""
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
    """Returns (a copy of `op` that reads `new_inputs`, its outputs).

    Args:
      copy_shape: the static shapes are copied too.
      nodedef_fn: given the NodeDef of the copy, returns the one that is used.

    Raises:
      TypeError: `new_inputs` are no inputs.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("the `new_inputs` argument must be an iterable.")
    node = copying.deepcopy(op.node_def)
    node.name = graph_editing.unused_name(info.graph_, info.new_name(op.name))
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    made = graph_editing.made_from(node, op, info.graph_, new_inputs)
    if copy_shape:
        for tensor, copied in zip(op.outputs, made.outputs):
            copied.set_shape(tensor.shape)
    if graph_editing.original(op):
        graph_editing.set_original(made, graph_editing.original(op))
    return made, made.outputs
