"""Copies operations of a graph into the same graph, with other inputs."""
import re
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions import graph as graph_changes
from legacy_towers.replication.refusal import refuse
from legacy_towers.tensor_types import Graph, Operation, Tensor

# The operation in an error about shapes: of 1.15, of both, and of 2.x.
_NAMED = re.compile(r"'(?P<name>[^']+)' \(op:|[Nn]ode '(?P<node>[^']+)'|\{\{node (?P<in_2>[^}]+)\}\}")


class Edges(NamedTuple):
    """What the copy of an operation is connected to.

    Attributes:
      inputs: its inputs; an input that is copied with it may be given as it is.
      controls: what runs before it, the copied operations included.
    """

    inputs: Sequence[Tensor]
    controls: Sequence[Operation]


def copy_operations(
    graph: Graph,
    operations: Sequence[Operation],
    edges_of: Callable[[Operation], Edges],
    scope: str,
    device_of: Callable[[Operation], str],
    changed: Optional[Dict[Operation, Dict[str, Any]]] = None,
) -> Dict[Operation, Operation]:
    """Returns operation -> its copy.

    Args:
      graph: their graph, which gets the copies.
      operations: what to copy, inputs before the operations that read them, except in loops.
      edges_of: the edges of a copy; those to operations that are copied too are given as before.
      scope: a name scope for the copies.
      device_of: the device of a copy.
      changed: operation -> attributes that its copy has instead: integers or bytes.

    Raises:
      NotReplicable: the copies' shapes do not fit together.
    """
    if not operations:
        return {}
    copied = set(operations)
    definition = tf.GraphDef()
    definition.versions.CopyFrom(graph.graph_def_versions)
    mapped: Dict[str, Tensor] = {}
    names: Dict[Tensor, str] = {}
    later: List[Tuple[Operation, Operation]] = []
    with_functions = False
    for operation in operations:
        node = definition.node.add()
        _write_node(node, operation, device_of(operation), scope, (changed or {}).get(operation, {}))
        with_functions = with_functions or any(each.func.name or each.list.func for each in node.attr.values())
        edges = edges_of(operation)
        del node.input[:]
        for tensor in edges.inputs:
            if tensor.op in copied:
                node.input.append(tensor.name)
                continue
            if tensor not in names:
                names[tensor] = "input_{}".format(len(names))
                mapped[names[tensor] + ":0"] = tensor
            node.input.append(names[tensor] + ":0")
        for before in dict.fromkeys(edges.controls):
            if before in copied:
                node.input.append("^" + before.name)
            else:
                later.append((operation, before))
    if with_functions:
        definition.library.CopyFrom(graph.as_graph_def().library)
    made = _imported(graph, definition, mapped, operations, scope)
    for operation, before in later:
        graph_changes.run_after(made[operation], before)
    return made


def _write_node(node: Any, operation: Operation, device: str, scope: str, changed: Dict[str, Any]) -> None:
    """Writes the NodeDef of a copy, but for its inputs."""
    node.CopyFrom(operation.node_def)
    node.device = device
    for name in [each for each in node.attr if each in ("_class", "_output_shapes")]:
        del node.attr[name]
    if "frame_name" in node.attr:
        node.attr["frame_name"].s = tf.compat.as_bytes(scope + "/") + node.attr["frame_name"].s
    for name, value in changed.items():
        _set(node.attr[name], value)


def _set(attribute: Any, value: Any) -> None:
    if isinstance(value, bytes):
        attribute.s = value
    elif isinstance(value, int):
        attribute.i = value
    else:
        attribute.CopyFrom(value)


def _imported(
    graph: Graph, definition: Any, mapped: Dict[str, Tensor], operations: Sequence[Operation], scope: str
) -> Dict[Operation, Operation]:
    with graph.as_default(), tf.control_dependencies(None):
        try:
            made = tf.import_graph_def(
                definition, input_map=mapped, return_elements=[each.name for each in operations], name=scope
            )
        except ValueError as error:
            found = _NAMED.search(str(error))
            name = next(filter(None, found.groups())) if found else ""
            by_name = {each.name: each for each in operations}
            at = next((by_name[each] for each in by_name if name == each or name.endswith("/" + each)), None)
            return refuse("the shapes of a tower do not fit together, as where the size of a batch is a constant: "
                          "{}".format(str(error).split("\n")[0].split(" for '")[0]), at)
    return dict(zip(operations, made))


def ordered(operations: Iterable[Operation], order: Dict[Operation, int]) -> List[Operation]:
    """Returns operations in an order in which inputs come first."""
    return sorted(operations, key=order.__getitem__)
