"""Functions of the graph editor that reroute the inputs and outputs of ops and views."""
from typing import Any, Callable, List, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import subgraph, util
from legacy_towers.compat.tf1.contrib.private import graph_editing
from legacy_towers.compat.versions import tf

__all__ = [
    "add_control_inputs",
    "remove_control_inputs",
    "reroute_inputs",
    "reroute_ios",
    "reroute_outputs",
    "reroute_ts",
    "swap_inputs",
    "swap_ios",
    "swap_outputs",
    "swap_ts",
]


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Exchanges the consumers of `ts0[i]` and `ts1[i]`, for each i; arguments and results are those of `reroute_ts`."""
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets the consumers of `ts1[i]` consume `ts0[i]` instead, for each i.

    No session may have run the consumers before.

    Args:
      can_modify: the ops that may be changed; None: all.
      cannot_modify: ops that must not be changed.

    Returns:
      The number of changed inputs.

    Raises:
      TypeError: an argument contains elements other than tensors, or ops.
      ValueError: the lists differ in length, or dtypes or shapes are not compatible.
    """
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _reroute(ts0: Any, ts1: Any, swap: bool, can_modify: Any, cannot_modify: Any) -> int:
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    if len(ts0) != len(ts1):
        raise ValueError("ts0 and ts1 have different sizes: {} != {}".format(len(ts0), len(ts1)))
    for first, second in zip(ts0, ts1):
        if not first.dtype.is_compatible_with(second.dtype):
            raise ValueError("Dtypes {} and {} are not compatible.".format(first.dtype, second.dtype))
        if not first.shape.is_compatible_with(second.shape):
            raise ValueError("Shapes {} and {} are not compatible.".format(first.shape, second.shape))
    allowed = None if can_modify is None else frozenset(util.make_list_of_op(can_modify))
    forbidden = frozenset() if cannot_modify is None else frozenset(util.make_list_of_op(cannot_modify))

    def can_be_modified(op: Any) -> bool:
        return op not in forbidden and (allowed is None or op in allowed)

    # Consumers are listed before anything changes: a tensor may be in both lists.
    consumers = [(set(first.consumers()), set(second.consumers())) for first, second in zip(ts0, ts1)]
    changed = 0
    for first, second, (first_consumers, second_consumers) in zip(ts0, ts1, consumers):
        if first is not second:
            replacements = [(op, second, first) for op in second_consumers]
            if swap:
                replacements += [(op, first, second) for op in first_consumers]
            inputs_to_change = [
                (op, index, new)
                for op, old, new in replacements
                if can_be_modified(op)
                for index, tensor in enumerate(op.inputs)
                if tensor is old
            ]
            for op, index, new in inputs_to_change:
                graph_editing.update_input(op, index, new)
            changed += len(inputs_to_change)
    return changed


_Pair = Tuple[subgraph.SubGraphView, subgraph.SubGraphView]


def _views(sgv0: Any, sgv1: Any) -> _Pair:
    views = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(*views)
    return views


def _reroute_inputs(sgv0: Any, sgv1: Any, swap: bool) -> _Pair:
    first, second = _views(sgv0, sgv1)
    can_be_modified = first.ops + second.ops
    for view in (first, second):
        can_be_modified += util.get_consuming_ops(list(view.passthroughs))
    _reroute(list(first.inputs), list(second.inputs), swap, can_be_modified, None)
    second.take_inputs_of(first, swap)
    return first, second


def _reroute_outputs(sgv0: Any, sgv1: Any, swap: bool) -> _Pair:
    first, second = _views(sgv0, sgv1)
    _reroute(list(first.outputs), list(second.outputs), swap, None, first.ops + second.ops)
    return first, second


def swap_inputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Exchanges the inputs of two views; returns both."""
    return _reroute_inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Sets the inputs of the second view to those of the first; returns both."""
    return _reroute_inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Exchanges the consumers of the outputs of two views; returns both."""
    return _reroute_outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Lets the consumers of the second view's outputs consume those of the first; returns both."""
    return _reroute_outputs(sgv0, sgv1, False)


def _reroute_ios(sgv0: Any, sgv1: Any, outputs: Callable[..., _Pair], inputs: Callable[..., _Pair]) -> _Pair:
    return inputs(*outputs(sgv0, sgv1))


def swap_ios(sgv0: Any, sgv1: Any) -> _Pair:
    """Exchanges inputs and outputs of two views; returns both."""
    return _reroute_ios(sgv0, sgv1, swap_outputs, swap_inputs)


def reroute_ios(sgv0: Any, sgv1: Any) -> _Pair:
    """Calls `reroute_outputs` and `reroute_inputs`; returns both views."""
    return _reroute_ios(sgv0, sgv1, reroute_outputs, reroute_inputs)


def _check_control_inputs(op: Any, cops: Any) -> List[Any]:
    if not isinstance(op, tf.Operation):
        raise TypeError("Expected a tf.Operation, got: {}".format(type(op)))
    return util.make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Removes the control inputs `cops` from `op`.

    Raises:
      ValueError: an op is not a control input of `op`.
    """
    others = _check_control_inputs(op, cops)
    for control_input in others:
        if control_input not in op.control_inputs:
            raise ValueError("{} is not a control_input of {}".format(op.name, control_input.name))
    graph_editing.set_control_inputs(op, [each for each in op.control_inputs if each not in others])


def add_control_inputs(op: Any, cops: Any) -> None:
    """Adds the control inputs `cops` to `op`.

    Raises:
      ValueError: an op is already a control input of `op`.
    """
    others = _check_control_inputs(op, cops)
    for control_input in others:
        if control_input in op.control_inputs:
            raise ValueError("{} is already a control_input of {}".format(control_input.name, op.name))
    graph_editing.add_control_inputs(op, others)
