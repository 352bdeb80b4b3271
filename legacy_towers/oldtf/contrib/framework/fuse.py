"""tf.contrib.framework.fuse_op."""
import copy
from typing import Any, Dict, List, Set

from legacy_towers.compat import tf


def fuse_op(
    graph_def: Any,
    input_nodes: List[str],
    output_nodes: List[str],
    output_dtypes: List[int],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> Any:
    """Returns a GraphDef with one node in place of all between `input_nodes` and `output_nodes`.

    Args:
      graph_def: a GraphDef.
      input_nodes: names; these stay, and are the inputs of the new node.
      output_nodes: names; these stay, and each takes one output of the new node.
      output_dtypes: of the new node's outputs.
      output_quantized: whether those are quantized.
      op_name: the name of the new node.
      op_type: its type.

    Raises:
      TypeError: an argument is of the wrong type, or what lies between has other inputs.
      AssertionError: an output node has not one input.
    """
    if not isinstance(graph_def, tf.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for what, given in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(given, str):
            raise TypeError("{} must be a list.".format(what))
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
            raise AssertionError("an output node must have one input, and {} has {}".format(name, nodes[name].input))
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
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(inputs_of[name])
    return found


def _check_inputs(name: str, allowed: Set[str], before: Set[str], inputs_of: Dict[str, List[str]]) -> None:
    for one in inputs_of[name]:
        if one in before and one not in allowed:
            raise TypeError("Node {} uses input {} not in input_nodes.".format(name, one))
