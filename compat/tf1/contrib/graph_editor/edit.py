"""Functions of the graph editor that detach, connect and bypass views."""
from typing import Any, List, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import reroute, select, subgraph, util
from legacy_towers.compat.versions import tf

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
    """Removes the control inputs of the view's ops that come from outside."""
    view = subgraph.make_view(sgv)
    for op in view.ops:
        reroute.remove_control_inputs(op, [each for each in op.control_inputs if each not in view.ops])


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Removes the control dependencies of outside ops on the view's ops.

    Raises:
      TypeError: `control_outputs` is not a ControlOutputs.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError("Expected a util.ControlOutputs, got: {}".format(type(control_outputs)))
    control_outputs.update()
    view = subgraph.make_view(sgv)
    for op in view.ops:
        for consumer in control_outputs.get(op):
            if consumer not in view.ops:
                reroute.remove_control_inputs(consumer, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Replaces the view's inputs by placeholders; returns (view, placeholders)."""
    view = subgraph.make_view(sgv)
    with view.graph.as_default():
        placeholders = [tf.placeholder(each.dtype.base_dtype, name=util.placeholder_name(each)) for each in view.inputs]
    reroute.swap_inputs(view, placeholders)
    if control_inputs:
        detach_control_inputs(view)
    return view, placeholders


def detach_outputs(sgv: Any, control_outputs: Any = None) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Lets the consumers of the view's outputs consume placeholders.

    Returns:
      (the view with the outputs that have consumers, placeholders).
    """
    view = subgraph.make_view(sgv)
    view = view.remap_outputs([index for index, tensor in enumerate(view.outputs) if tensor.consumers()])
    consumers = subgraph.SubGraphView(view.consumers())
    outputs = list(view.outputs)
    consumers = consumers.remap_inputs([index for index, each in enumerate(consumers.inputs) if each in outputs])
    with view.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(each) for each in consumers.inputs]
    reroute.swap_outputs(view, placeholders)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, placeholders


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> Tuple[Any, List[Any], List[Any]]:
    """Disconnects a view from its graph; returns (sgv, input placeholders, output placeholders).

    See `check_cios` for `control_inputs`, `control_outputs` and `control_ios`.
    """
    control_inputs, control_outputs = select.check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> Tuple[Any, Any]:
    """Connects the outputs of the first view to the inputs of the second; returns both.

    Args:
      disconnect_first: whether the other consumers of the first view's outputs get placeholders.
    """
    first, second = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(first, second)
    if disconnect_first:
        detach_outputs(first)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=list(first.outputs)), second)
    return first, second


def bypass(sgv: Any) -> Tuple[subgraph.SubGraphView, List[Any]]:
    """Lets the consumers of the view's outputs consume its inputs; returns (view, placeholders of its inputs)."""
    view = subgraph.make_view(sgv)
    inputs = list(view.inputs)
    view, placeholders = detach_inputs(view)
    reroute.reroute_ts(inputs, list(view.outputs))
    return view, placeholders
