"""Taking a part out of a graph, and putting it in elsewhere."""
from typing import Any, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.graph_editor import reroute, select, subgraph, util

__all__ = [
    "bypass",
    "connect",
    "detach",
    "detach_control_inputs",
    "detach_control_outputs",
    "detach_inputs",
    "detach_outputs",
]


def detach_control_inputs(sgv: Any) -> None:
    """Lets no operation of the view wait for one outside."""
    view = subgraph.make_view(sgv)
    for op in view.ops:
        reroute.remove_control_inputs(op, [each for each in op.control_inputs if each not in view.ops])


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Lets no operation outside wait for one of the view.

    Raises:
      TypeError: `control_outputs` is no ControlOutputs.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError("Expected a util.ControlOutputs, got: {}".format(type(control_outputs)))
    control_outputs.update()
    view = subgraph.make_view(sgv)
    for op in view.ops:
        for waiting in control_outputs.get(op):
            if waiting not in view.ops:
                reroute.remove_control_inputs(waiting, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Lets the view read placeholders; returns (the view, the placeholders)."""
    view = subgraph.make_view(sgv)
    with view.graph.as_default():
        placeholders = [tf.placeholder(each.dtype.base_dtype, name=util.placeholder_name(each)) for each in view.inputs]
    reroute.swap_inputs(view, placeholders)
    if control_inputs:
        detach_control_inputs(view)
    return view, placeholders


def detach_outputs(sgv: Any, control_outputs: Any = None) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Lets those who read the view read placeholders; returns (the view of the outputs that are read, placeholders)."""
    view = subgraph.make_view(sgv)
    read = view.remap_outputs([index for index, tensor in enumerate(view.outputs) if tensor.consumers()])
    readers = subgraph.SubGraphView(read.consumers())
    readers = readers.remap_inputs([index for index, each in enumerate(readers.inputs) if each in list(read.outputs)])
    with read.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(each) for each in readers.inputs]
    reroute.swap_outputs(read, placeholders)
    if control_outputs is not None:
        detach_control_outputs(read, control_outputs)
    return read, placeholders


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> Tuple[Any, List[Any], List[Any]]:
    """Takes the view out of the graph; returns (what was given, placeholders of inputs, placeholders of outputs)."""
    control_inputs, control_outputs = select.check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> Tuple[Any, Any]:
    """Lets the second view read the outputs of the first; returns both.

    With `disconnect_first` others who read the first read placeholders from then on.
    """
    one, other = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(one, other)
    if disconnect_first:
        detach_outputs(one)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=list(one.outputs)), other)
    return one, other


def bypass(sgv: Any) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Lets those who read the view read its inputs; returns (the view, the placeholders that it reads)."""
    view = subgraph.make_view(sgv)
    inputs = list(view.inputs)
    view, placeholders = detach_inputs(view)
    reroute.reroute_ts(inputs, list(view.outputs))
    return view, placeholders
