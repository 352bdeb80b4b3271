"""Whether what is computed from a batch of records has a row for each of them, so that batches may have any size."""
from typing import Callable, Dict, List, Set

from legacy_towers.compat import tf
from legacy_towers.graph.row_rules import ELEMENTWISE, ROW_RULES
from legacy_towers.migrate.conversion.cut import Cut
from legacy_towers.tensor_types import Operation, Tensor

# Of `ROW_RULES`, those whose results are the same bits for a batch of any size.
_MOVES = frozenset("ConcatV2 ExpandDims Gather GatherV2 OneHot Pack Pad PadV2 Slice Split SplitV Squeeze StridedSlice"
                   " Tile Transpose Unpack".split())


def is_row_wise(part: Cut) -> bool:
    """Returns whether each row of what is computed depends on the same row of the sources only.

    An operation that is not known to keep rows, or that has a state, makes it False.
    """
    rows: Set[Tensor] = {output for source in part.sources for output in source.outputs}
    for operation in _inputs_first(part):
        if operation.op_def.is_stateful:
            return False
        from_records = [each for each in operation.inputs if each in rows]
        if not from_records:
            continue
        if not _keeps_rows(operation, rows) or any(_has_fixed_rows(each) for each in operation.outputs):
            return False
        rows.update(operation.outputs)
    return bool(part.targets) and all(each in rows for each in part.targets)


def _inputs_first(part: Cut) -> List[Operation]:
    inside = set(part.operations)
    found: Dict[Operation, None] = {}
    waiting = [(each, False) for each in part.operations]
    while waiting:
        operation, is_ready = waiting.pop()
        if is_ready:
            found.setdefault(operation)
        elif operation not in found:
            waiting.append((operation, True))
            waiting += [(each.op, False) for each in operation.inputs if each.op in inside and each.op not in found]
    return list(found)


def _has_fixed_rows(tensor: Tensor) -> bool:
    return tensor.shape.ndims is None or not tensor.shape.ndims or tf.dimension_value(tensor.shape[0]) is not None


def _keeps_rows(operation: Operation, rows: Set[Tensor]) -> bool:
    kind = operation.type
    if kind in _RULES:
        return _RULES[kind](operation, rows)
    if kind in ELEMENTWISE:
        return _is_aligned(operation, rows)
    return kind in _MOVES and ROW_RULES[kind](operation, rows)


def _is_aligned(operation: Operation, rows: Set[Tensor]) -> bool:
    """Returns whether no operand of an elementwise operation is stretched over rows, or has rows of its own."""
    if len(operation.inputs) == 1:
        return True
    rank = operation.outputs[0].shape.ndims
    for each in operation.inputs:
        ndims = each.shape.ndims
        if rank is None or ndims is None or each in rows and ndims != rank:
            return False
        if each not in rows and ndims == rank and tf.dimension_value(each.shape[0]) != 1:
            return False
    return True


def _reshape(operation: Operation, rows: Set[Tensor]) -> bool:
    before, after = operation.inputs[0].shape, operation.outputs[0].shape
    if operation.inputs[0] not in rows or not before.ndims or not after.ndims:
        return False
    sizes = [each[1:].num_elements() if each[1:].is_fully_defined() else None for each in (before, after)]
    return sizes[0] is not None and sizes[0] == sizes[1]


def _first_only(operation: Operation, rows: Set[Tensor]) -> bool:
    return operation.inputs[0] in rows and not any(each in rows for each in list(operation.inputs)[1:])


def _csv(operation: Operation, rows: Set[Tensor]) -> bool:
    # A default of several elements belongs to as many records.
    return _first_only(operation, rows) and all((each.shape.num_elements() or 0) <= 1 and each.shape.is_fully_defined()
                                                for each in list(operation.inputs)[1:])


def _parse_example(operation: Operation, rows: Set[Tensor]) -> bool:
    """Dense features of one size keep rows; sparse ones, ragged ones and those padded to the longest do not."""
    count = "Nsparse" if operation.type == "ParseExample" else "num_sparse"
    return _first_only(operation, rows) and operation.get_attr(count) == 0 and all(
        each.shape.ndims is not None and each.shape[1:].is_fully_defined() for each in operation.outputs
    )


_RULES: Dict[str, Callable[[Operation, Set[Tensor]], bool]] = {
    "BiasAdd": _first_only, "BiasAddV1": _first_only, "DecodeCSV": _csv, "ParseExample": _parse_example,
    "ParseExampleV2": _parse_example, "Reshape": _reshape, "StringJoin": _is_aligned,
}
