"""What a sum, a mean or a scaled value is made of.

    total = (a + b) / 2 + 0.1 * c     parts: a with factor 0.5, b with 0.5, c with 0.1
"""
from typing import Callable, List, NamedTuple, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import ADD_OPS, SAME_VALUES_OPS
from legacy_towers.tensor_types import Operation, Tensor

_SAME = SAME_VALUES_OPS | {"Enter", "Exit"}
_QUOTIENTS = frozenset("RealDiv Div".split())
_STACKS = frozenset("Pack ConcatV2".split())
# A walk that takes more steps is given up: the graph repeats its parts in too many ways.
_MOST_STEPS = 20000


class Part(NamedTuple):
    """A part of a value.

    Attributes:
      tensor: the part.
      factor: what it is multiplied with; None if that is no constant.
      scalers: the operations that multiply or divide on the way, means over a stack of parts among them.
    """

    tensor: Tensor
    factor: Optional[float]
    scalers: Tuple[Operation, ...]


def parts_of(tensor: Tensor, is_part: Callable[[Operation], bool], of_gradients: bool = False) -> Optional[List[Part]]:
    """Returns the parts that `tensor` is a sum of; None if there are too many.

    Args:
      tensor: a float tensor.
      is_part: whether the outputs of an operation are not taken apart further.
      of_gradients: whether rows that are concatenated count as added, as those of IndexedSlices are, and whether what
        clips a gradient is passed.
    """
    found: List[Part] = []
    waiting = [Part(tensor, 1.0, ())]
    steps = 0
    while waiting:
        steps += 1
        if steps > _MOST_STEPS:
            return None
        part = waiting.pop()
        inputs = None if is_part(part.tensor.op) else _inputs(part.tensor.op, of_gradients)
        if inputs is None:
            found.append(part)
            continue
        for source, factor, scales in inputs:
            product = None if part.factor is None or factor is None else part.factor * factor
            waiting.append(Part(source, product, part.scalers + ((part.tensor.op,) if scales else ())))
    return found


def scalar_of(tensor: Tensor) -> Optional[float]:
    """Returns the value of a constant with one element; None if it is anything else."""
    value = tf.get_static_value(tensor)
    if value is None or getattr(value, "size", 0) != 1 or not hasattr(value, "dtype") or value.dtype.kind not in "fiu":
        return None
    return float(value.reshape(-1)[0]) if hasattr(value, "reshape") else float(value)


def number_of_elements(tensor: Tensor) -> Optional[int]:
    """Returns how many elements a tensor has; None if that is unknown before it runs."""
    count = tensor.shape.num_elements()
    return None if count is None else int(count)


_Inputs = List[Tuple[Tensor, Optional[float], bool]]


def _inputs(operation: Operation, of_gradients: bool) -> Optional[_Inputs]:
    """Returns (input, factor, whether the operation scales) of an operation that is linear; None for another one."""
    kind, inputs = operation.type, list(operation.inputs)
    if kind in _SAME:
        return [(inputs[0], 1.0, False)] if inputs[0].dtype.is_floating else None
    if kind in ADD_OPS:
        return [(each, 1.0, False) for each in inputs]
    if kind == "Sub":
        return [(inputs[0], 1.0, False), (inputs[1], -1.0, False)]
    if kind == "Neg":
        return [(inputs[0], -1.0, False)]
    if kind == "Mul" or kind in _QUOTIENTS:
        return _scaled(operation, of_gradients)
    if kind in ("Mean", "Sum"):
        return _reduced(operation)
    if of_gradients and kind == "ConcatV2":
        return [(each, 1.0, False) for each in inputs[:-1]]
    if of_gradients and kind in ("UnsortedSegmentSum", "Minimum", "Maximum", "ClipByValue"):
        return [(inputs[0], 1.0 if kind == "UnsortedSegmentSum" else None, False)]
    return None


def _scaled(operation: Operation, of_gradients: bool) -> Optional[_Inputs]:
    first, second = list(operation.inputs)
    by = scalar_of(second)
    if by is not None and (operation.type == "Mul" or by):
        return [(first, by if operation.type == "Mul" else 1.0 / by, by != 1.0)]
    by = scalar_of(first) if operation.type == "Mul" else None
    if by is not None:
        return [(second, by, by != 1.0)]
    if not of_gradients:
        return None
    # A factor that the step computes: the same for all gradients where tf.clip_by_global_norm does it.
    factor = 1.0 if "clip_by_global_norm" in operation.name else None
    if second.shape.ndims == 0 and first.shape.ndims != 0:
        return [(first, factor, factor is None)]
    if first.shape.ndims == 0 and second.shape.ndims != 0 and operation.type == "Mul":
        return [(second, factor, factor is None)]
    return None


def _reduced(operation: Operation) -> Optional[_Inputs]:
    """Returns the parts of a sum or mean over a stack: tf.reduce_mean(losses), tf.reduce_mean(tf.concat(...), 0)."""
    stack = operation.inputs[0].op
    axes = tf.get_static_value(operation.inputs[1])
    if stack.type not in _STACKS or axes is None:
        return None
    inputs = list(stack.inputs)
    if stack.type == "Pack":
        axis, number = int(stack.get_attr("axis")), len(inputs)
    else:
        value = tf.get_static_value(inputs.pop())
        if value is None:
            return None
        axis, number = int(value), len(inputs)
        if any(each.shape.ndims is None or tf.dimension_value(each.shape[axis]) != 1 for each in inputs):
            return None
    ndims = operation.inputs[0].shape.ndims
    if ndims is None or [int(each) % ndims for each in axes.reshape(-1)] != [axis % ndims]:
        return None
    is_mean = operation.type == "Mean"
    return [(each, 1.0 / number if is_mean else 1.0, is_mean) for each in inputs]
