"""tf.contrib.framework.fuse_op."""
import copy
from typing import Any, Dict, List, Set

from legacy_towers.compat.versions import tf


def fuse_op(
    graph_def: Any,
    input_nodes: List[str],
    output_nodes: List[str],
    output_dtypes: List[int],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> Any:
    """Replaces all nodes between `input_nodes` and `output_nodes` by one node.

    Args:
      graph_def: a GraphDef.
      input_nodes: the names of nodes to keep, the inputs of the new node.
      output_nodes: the names of nodes to keep; the input of each becomes an output of the new node.
      output_dtypes: the dtypes of the outputs of the new node, as DataType enum values.
      output_quantized: whether the outputs are quantized.
      op_name: the name of the new node.
      op_type: the operation type of the new node.

    Returns:
      A new GraphDef.

    Raises:
      TypeError: an argument has the wrong type, or a replaced node has an input that is not in `input_nodes`.
      ValueError: a node is not in the graph.
      AssertionError: an output node does not have exactly one input.
    """
    if not isinstance(graph_def, tf.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for argument, names in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(names, str):
            raise TypeError("{} must be a list.".format(argument))
    nodes = {_name(node.name): node for node in graph_def.node}
    inputs_of = {name: [_name(each) for each in node.input] for name, node in nodes.items()}
    for name in list(input_nodes) + list(output_nodes):
        if name not in nodes:
            raise ValueError("{} is not in graph".format(name))
    before = _reached(input_nodes, inputs_of)
    up_to_outputs = _reached(output_nodes, inputs_of)
    after = []
    for name in nodes:
        if name in before:
            continue
        if name not in up_to_outputs:
            after.append(name)
        elif name not in output_nodes:
            _check_inputs(name, set(input_nodes), before, inputs_of)
    fused = tf.GraphDef()
    fused.node.extend([copy.deepcopy(nodes[name]) for name in nodes if name in before])
    node = tf.NodeDef(name=op_name, op=op_type, input=list(input_nodes))
    node.attr["_output_types"].list.type[:] = output_dtypes
    node.attr["_output_quantized"].b = output_quantized
    fused.node.extend([node])
    for index, name in enumerate(output_nodes):
        if len(nodes[name].input) != 1:
            text = "an output node must have exactly one input, but {} has {}"
            raise AssertionError(text.format(name, nodes[name].input))
        output = copy.deepcopy(nodes[name])
        output.input[:] = [op_name if index == 0 else "{}:{}".format(op_name, index)]
        fused.node.extend([output])
    fused.node.extend([copy.deepcopy(nodes[name]) for name in after])
    fused.library.CopyFrom(graph_def.library)
    fused.versions.CopyFrom(graph_def.versions)
    return fused


def _name(name: str) -> str:
    return name.lstrip("^").split(":")[0]


def _reached(names: List[str], inputs_of: Dict[str, List[str]]) -> Set[str]:
    found: Set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(inputs_of[name])
    return found


def _check_inputs(name: str, allowed: Set[str], before: Set[str], inputs_of: Dict[str, List[str]]) -> None:
    for one in inputs_of[name]:
        if one in before and one not in allowed:
            raise TypeError("Node {} uses input {} not in input_nodes.".format(name, one))
