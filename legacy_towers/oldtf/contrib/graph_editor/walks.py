"""Choosing operations by where they are in the graph: neighbours, boundaries, walks forward and backward."""
from typing import Any, Callable, Iterable, List, Optional, Tuple

from legacy_towers.oldtf.contrib.graph_editor import util


def check_cios(control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None) -> Tuple[bool, Any]:
    """Returns (whether control inputs count, the ControlOutputs or None); `control_ios` stands for both.

    Raises:
      TypeError: one is no ControlOutputs.
      ValueError: both `control_outputs` and `control_ios` are given.
    """
    for given in (control_ios, control_outputs):
        if given is not None and not isinstance(given, util.ControlOutputs):
            raise TypeError("Expected a util.ControlOutputs, got: {}".format(type(given)))
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
    """Returns the operations next to `ops` in either direction."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found: List[Any] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(found, (tensor.op for tensor in op.inputs))
        for tensor in op.outputs:
            util.concatenate_unique(found, tensor.consumers())
        if control_outputs is not None:
            util.concatenate_unique(found, control_outputs.get(op))
        if control_inputs:
            util.concatenate_unique(found, op.control_inputs)
    return found


def compute_boundary_ts(ops: Any) -> Tuple[List[Any], List[Any], List[Any]]:
    """Returns (tensors from outside, tensors that are read outside or by none, tensors read inside) of `ops`."""
    ops = util.make_list_of_op(ops)
    read = util.concatenate_unique([], (tensor for op in ops for tensor in op.inputs))
    given = [tensor for op in ops for tensor in op.outputs]
    known, members = frozenset(given), frozenset(ops)
    inside = [tensor for tensor in read if tensor in known]
    hidden = frozenset(tensor for tensor in inside if not frozenset(tensor.consumers()) - members)
    return (
        [tensor for tensor in read if tensor not in known],
        [tensor for tensor in given if tensor not in hidden],
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
    """Returns those of `ops` that are reached from `seed_ops` in all directions without crossing `boundary_ops`.

    Raises:
      ValueError: a seed lies on the boundary.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    boundary = set(util.make_list_of_op(boundary_ops))
    wave = set(util.make_list_of_op(seed_ops, allow_graph=False))
    found = set(wave)
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    while wave:
        near = set(get_ops_ios(wave, control_inputs, control_outputs)) - found
        wave = near - boundary
        found |= near if inclusive else wave
    return [op for op in ops if op in found]


def _walk(
    seeds: List[Any],
    inclusive: bool,
    within_ops: Any,
    within_ops_fn: Optional[Callable[[Any], bool]],
    following: Callable[[Any], Iterable[Any]],
) -> List[Any]:
    members = frozenset(util.make_list_of_op(within_ops, allow_graph=False)) if within_ops else None
    chosen = frozenset(seeds) if members is None else frozenset(seeds) & members
    found = [op for op in util.concatenate_unique([], seeds) if op in chosen]
    known = set(found)
    wave = list(found)
    while wave:
        reached = []
        for op in wave:
            for other in following(op):
                if other in known or (members is not None and other not in members):
                    continue
                if within_ops_fn is None or within_ops_fn(other):
                    known.add(other)
                    reached.append(other)
        found += reached
        wave = reached
    return found if inclusive else [op for op in found if op not in chosen]


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> List[Any]:
    """Returns the operations that depend on `seed_ops`, or that read them where they are tensors.

    Args:
      inclusive: the seeds are among what is returned.
      within_ops, within_ops_fn: only these operations, and those for which the function is true, are walked through.
      stop_at_ts: tensors that are not followed.
      control_outputs: a ControlOutputs, where operations that wait depend too.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stop = frozenset(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> Iterable[Any]:
        for tensor in op.outputs:
            if tensor not in stop:
                yield from tensor.consumers()
        if control_outputs is not None:
            yield from control_outputs.get(op)

    return _walk(_seeds(seed_ops, util.get_consuming_ops), inclusive, within_ops, within_ops_fn, following)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Optional[Callable[[Any], bool]] = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> List[Any]:
    """Returns the operations that `seed_ops` depend on, or where they come from if they are tensors.

    For the arguments see `get_forward_walk_ops`; with `control_inputs` what is waited for counts too.
    """
    stop = frozenset(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> Iterable[Any]:
        for tensor in op.inputs:
            if tensor not in stop:
                yield tensor.op
        if control_inputs:
            yield from op.control_inputs

    return _walk(_seeds(seed_ops, util.get_generating_ops), inclusive, within_ops, within_ops_fn, following)


def _seeds(given: Any, of_tensors: Callable[[Any], List[Any]]) -> List[Any]:
    listed = list(given) if util.is_iterable(given) else [given]
    if listed and not hasattr(listed[0], "outputs"):
        return of_tensors(listed)
    return util.make_list_of_op(listed, allow_graph=False)


def _two_walks(
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
    """Returns the operations that a walk forward from some seeds and one backward from others both come to."""
    forward, backward = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    known = frozenset(backward)
    return [op for op in forward if op in known]


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
    """Returns the operations that a walk forward from some seeds or one backward from others comes to."""
    forward, backward = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    return util.concatenate_unique(forward, backward)
