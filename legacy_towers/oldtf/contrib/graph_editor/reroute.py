"""Who reads what: tensors and views change places at those who read them."""
from typing import Any, Callable, List, Tuple

from legacy_towers.compat import graph_editing, tf
from legacy_towers.oldtf.contrib.graph_editor import subgraph, util

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
    """Lets those who read a tensor of `ts0` read its partner in `ts1`, and the other way round.

    For the arguments, what is returned and what is raised see `reroute_ts`.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets those who read a tensor of `ts1` read its partner in `ts0`; no session may have run them yet.

    Args:
      can_modify: if given, only these operations are changed.
      cannot_modify: these are not.

    Returns:
      how many inputs of operations were changed.

    Raises:
      TypeError: something is no tensor, or no operation.
      ValueError: not as many of both, or dtypes or shapes that can't be the same.
    """
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _reroute(ts0: Any, ts1: Any, both_ways: bool, can_modify: Any, cannot_modify: Any) -> int:
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    if len(ts0) != len(ts1):
        raise ValueError("ts0 and ts1 have different sizes: {} != {}".format(len(ts0), len(ts1)))
    for one, other in zip(ts0, ts1):
        if not one.dtype.is_compatible_with(other.dtype):
            raise ValueError("Dtypes {} and {} are not compatible.".format(one.dtype, other.dtype))
        if not one.shape.is_compatible_with(other.shape):
            raise ValueError("Shapes {} and {} are not compatible.".format(one.shape, other.shape))
    allowed = None if can_modify is None else frozenset(util.make_list_of_op(can_modify))
    forbidden = frozenset() if cannot_modify is None else frozenset(util.make_list_of_op(cannot_modify))

    def may_change(op: Any) -> bool:
        return op not in forbidden and (allowed is None or op in allowed)

    # Who reads what is asked before anything changes: a tensor may come twice.
    readers = [(set(one.consumers()), set(other.consumers())) for one, other in zip(ts0, ts1)]
    changed = 0
    for one, other, (of_one, of_other) in zip(ts0, ts1, readers):
        if one is not other:
            moves = [(op, other, one) for op in of_other] + [(op, one, other) for op in of_one if both_ways]
            places = [
                (op, index, new)
                for op, old, new in moves
                if may_change(op)
                for index, read in enumerate(op.inputs)
                if read is old
            ]
            for op, index, new in places:
                graph_editing.let_read(op, index, new)
            changed += len(places)
    return changed


_Pair = Tuple[subgraph.SubGraphView, subgraph.SubGraphView]


def _views(sgv0: Any, sgv1: Any) -> _Pair:
    views = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(*views)
    return views


def _inputs(sgv0: Any, sgv1: Any, both_ways: bool) -> _Pair:
    one, other = _views(sgv0, sgv1)
    may_change = one.ops + other.ops
    for view in (one, other):
        may_change += util.get_consuming_ops(list(view.passthroughs))
    _reroute(list(one.inputs), list(other.inputs), both_ways, may_change, None)
    other.take_inputs_of(one, both_ways)
    return one, other


def _outputs(sgv0: Any, sgv1: Any, both_ways: bool) -> _Pair:
    one, other = _views(sgv0, sgv1)
    _reroute(list(one.outputs), list(other.outputs), both_ways, None, one.ops + other.ops)
    return one, other


def swap_inputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Exchanges the inputs of two views, and returns both."""
    return _inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Gives the second view the inputs of the first, and returns both."""
    return _inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Lets those who read outputs of one view read those of the other, both ways; returns both."""
    return _outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> _Pair:
    """Lets those who read outputs of the second view read those of the first; returns both."""
    return _outputs(sgv0, sgv1, False)


def _both(sgv0: Any, sgv1: Any, outputs: Callable[..., _Pair], inputs: Callable[..., _Pair]) -> _Pair:
    return inputs(*outputs(sgv0, sgv1))


def swap_ios(sgv0: Any, sgv1: Any) -> _Pair:
    """Exchanges inputs and outputs of two views, and returns both."""
    return _both(sgv0, sgv1, swap_outputs, swap_inputs)


def reroute_ios(sgv0: Any, sgv1: Any) -> _Pair:
    """`reroute_outputs`, then `reroute_inputs`."""
    return _both(sgv0, sgv1, reroute_outputs, reroute_inputs)


def _waited_for(op: Any, cops: Any) -> List[Any]:
    if not isinstance(op, tf.Operation):
        raise TypeError("Expected a tf.Operation, got: {}".format(type(op)))
    return util.make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Lets `op` no longer wait for the operations `cops`.

    Raises:
      ValueError: it does not wait for one of them.
    """
    others = _waited_for(op, cops)
    for other in others:
        if other not in op.control_inputs:
            raise ValueError("{} is not a control_input of {}".format(op.name, other.name))
    graph_editing.let_wait_for_only(op, [each for each in op.control_inputs if each not in others])


def add_control_inputs(op: Any, cops: Any) -> None:
    """Lets `op` wait for the operations `cops`.

    Raises:
      ValueError: it waits for one of them already.
    """
    others = _waited_for(op, cops)
    for other in others:
        if other in op.control_inputs:
            raise ValueError("{} is already a control_input of {}".format(other.name, op.name))
    graph_editing.let_wait_for(op, others)
