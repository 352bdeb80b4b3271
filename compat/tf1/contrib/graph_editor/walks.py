"""Selection of ops by graph structure: neighbors, boundaries, forward and backward walks."""
from typing import Any, Callable, Iterable, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import util


def check_cios(control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None) -> Tuple[bool, Any]:
    """Returns (control_inputs, control_outputs); `control_ios` sets both.

    Args:
      control_inputs: whether control inputs are followed.
      control_outputs: a ControlOutputs; None: control outputs are not followed.
      control_ios: a ControlOutputs; control inputs and outputs are followed.

    Raises:
      TypeError: `control_outputs` or `control_ios` is not a ControlOutputs.
      ValueError: both `control_outputs` and `control_ios` are given.
    """
    for argument in (control_ios, control_outputs):
        if argument is not None and not isinstance(argument, util.ControlOutputs):
            raise TypeError("Expected a util.ControlOutputs, got: {}".format(type(argument)))
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def get_ops_ios(
    ops: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> List[Any]:
    """Returns the ops connected to an input or an output of `ops`; see `check_cios` for the other arguments."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    neighbors: List[Any] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(neighbors, (tensor.op for tensor in op.inputs))
        for tensor in op.outputs:
            util.concatenate_unique(neighbors, tensor.consumers())
        if control_outputs is not None:
            util.concatenate_unique(neighbors, control_outputs.get(op))
        if control_inputs:
            util.concatenate_unique(neighbors, op.control_inputs)
    return neighbors


def compute_boundary_ts(ops: Any) -> Tuple[List[Any], List[Any], List[Any]]:
    """Returns (outside input tensors, outside output tensors, inside tensors) of `ops`.

    An outside output has a consumer outside `ops`, or none; an inside tensor is produced and consumed by `ops`.
    """
    ops = util.make_list_of_op(ops)
    inputs = util.concatenate_unique([], (tensor for op in ops for tensor in op.inputs))
    outputs = [tensor for op in ops for tensor in op.outputs]
    known_outputs, members = frozenset(outputs), frozenset(ops)
    inside = [tensor for tensor in inputs if tensor in known_outputs]
    inside_only = frozenset(tensor for tensor in inside if not frozenset(tensor.consumers()) - members)
    return (
        [tensor for tensor in inputs if tensor not in known_outputs],
        [tensor for tensor in outputs if tensor not in inside_only],
        inside,
    )


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> List[Any]:
    """Returns those of `ops` that are connected to `seed_ops` without crossing `boundary_ops`.

    Args:
      inclusive: whether reached boundary ops are included.

    Raises:
      ValueError: a seed is a boundary op.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    boundary = set(util.make_list_of_op(boundary_ops))
    frontier = set(util.make_list_of_op(seed_ops, allow_graph=False))
    visited = set(frontier)
    if boundary & visited:
        raise ValueError("Boundary is intersecting with the seeds.")
    while frontier:
        neighbors = set(get_ops_ios(frontier, control_inputs, control_outputs)) - visited
        frontier = neighbors - boundary
        visited |= neighbors if inclusive else frontier
    return [op for op in ops if op in visited]


def _walk(
    seeds: List[Any],
    inclusive: bool,
    within_ops: Any,
    within_ops_fn: Optional[Callable[[Any], bool]],
    neighbors: Callable[[Any], Iterable[Any]],
) -> List[Any]:
    members = frozenset(util.make_list_of_op(within_ops, allow_graph=False)) if within_ops else None
    start_ops = frozenset(seeds) if members is None else frozenset(seeds) & members
    walk = [op for op in util.concatenate_unique([], seeds) if op in start_ops]
    visited = set(walk)
    frontier = list(walk)
    while frontier:
        reached = []
        for op in frontier:
            for neighbor in neighbors(op):
                if neighbor in visited or (members is not None and neighbor not in members):
                    continue
                if within_ops_fn is None or within_ops_fn(neighbor):
                    visited.add(neighbor)
                    reached.append(neighbor)
        walk += reached
        frontier = reached
    return walk if inclusive else [op for op in walk if op not in start_ops]


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> List[Any]:
    """Returns the ops that depend on `seed_ops`.

    Args:
      seed_ops: ops, or tensors: then the seeds are their consumers.
      inclusive: whether the seeds are included.
      within_ops: the ops that may be visited; None: all.
      within_ops_fn: op -> whether it may be visited; None: all.
      stop_at_ts: tensors that are not followed.
      control_outputs: a ControlOutputs, to follow control dependencies; None: they are not followed.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stop = frozenset(util.make_list_of_t(stop_at_ts))

    def neighbors(op: Any) -> Iterable[Any]:
        for tensor in op.outputs:
            if tensor not in stop:
                yield from tensor.consumers()
        if control_outputs is not None:
            yield from control_outputs.get(op)

    return _walk(_seeds(seed_ops, util.get_consuming_ops), inclusive, within_ops, within_ops_fn, neighbors)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> List[Any]:
    """Returns the ops that `seed_ops` depend on.

    Args:
      seed_ops: ops, or tensors: then the seeds are the ops that produce them.
      inclusive: as in `get_forward_walk_ops`, and `within_ops`, `within_ops_fn`, `stop_at_ts` too.
      control_inputs: whether control dependencies are followed.
    """
    stop = frozenset(util.make_list_of_t(stop_at_ts))

    def neighbors(op: Any) -> Iterable[Any]:
        for tensor in op.inputs:
            if tensor not in stop:
                yield tensor.op
        if control_inputs:
            yield from op.control_inputs

    return _walk(_seeds(seed_ops, util.get_generating_ops), inclusive, within_ops, within_ops_fn, neighbors)


def _seeds(ops_or_tensors: Any, ops_of_tensors: Callable[[Any], List[Any]]) -> List[Any]:
    seeds = list(ops_or_tensors) if util.is_iterable(ops_or_tensors) else [ops_or_tensors]
    if seeds and not hasattr(seeds[0], "outputs"):
        return ops_of_tensors(seeds)
    return util.make_list_of_op(seeds, allow_graph=False)


def _forward_and_backward_walks(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool,
    backward_inclusive: bool,
    within_ops: Any,
    within_ops_fn: Any,
    controls: Tuple[bool, Any],
) -> Tuple[List[Any], List[Any]]:
    control_inputs, control_outputs = controls
    return (
        get_forward_walk_ops(
            forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, control_outputs=control_outputs
        ),
        get_backward_walk_ops(
            backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, control_inputs=control_inputs
        ),
    )


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> List[Any]:
    """Returns the ops that are in both a forward walk and a backward walk; see `get_forward_walk_ops`."""
    forward, backward = _forward_and_backward_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    backward_ops = frozenset(backward)
    return [op for op in forward if op in backward_ops]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> List[Any]:
    """Returns the ops that are in a forward walk or in a backward walk; see `get_forward_walk_ops`."""
    forward, backward = _forward_and_backward_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    return util.concatenate_unique(forward, backward)
