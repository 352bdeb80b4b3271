"""Which operations bring examples into a step, and which of their outputs hold examples."""
from typing import Any, Callable, List

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import INPUT_OPS, PLACEHOLDER_OPS, PYTHON_FUNCTION_OPS

# Ops that read a fed scalar; a batch is read by others, too. `keep_prob = tf.placeholder(tf.float32)` has no shape.
_READ_SCALARS = frozenset(
    "Add AddV2 Sub Mul RealDiv Div DivNoNan FloorDiv Maximum Minimum Pow Greater GreaterEqual Less LessEqual Equal "
    "NotEqual LogicalAnd LogicalOr LogicalNot Select SelectV2 Switch If StatelessIf Fill Pack Neg Sqrt Rsqrt Exp Log "
    "Square Reciprocal Floor Merge PyFunc".split()
)
_PASS_ON = frozenset(["Identity", "Cast", "StopGradient", "EnsureShape", "Enter", "Snapshot"])


def is_input(operation: Any) -> bool:
    """Returns whether an operation gives a step values from outside it: a placeholder, get_next, dequeue, unstage."""
    return operation.type in INPUT_OPS or operation.type in PLACEHOLDER_OPS


def is_source_of_python(operation: Any) -> bool:
    """Returns whether an operation calls Python: a `tf.py_func` that reads no input op is a source of examples."""
    return operation.type in PYTHON_FUNCTION_OPS


def is_example(tensor: Any, consumers: Callable[[Any], List[Any]]) -> bool:
    """Returns whether an output of an input op holds examples, rather than a learning rate, a switch or a count."""
    if tensor.dtype == tf.resource:
        return False
    if tensor.dtype == tf.variant:  # a sparse or ragged component
        return True
    placeholder = tensor.op.type in PLACEHOLDER_OPS
    if tensor.shape.ndims is not None:
        # A serialized example is a scalar. A fed string is a handle or a name instead.
        return tensor.shape.ndims > 0 or (tensor.dtype == tf.string and not placeholder)
    if not placeholder:
        return True
    if tensor.dtype in (tf.bool, tf.string):
        return False
    waiting, seen = [tensor], set()
    while waiting:
        for operation in consumers(waiting.pop()):
            if operation in seen:
                continue
            seen.add(operation)
            if operation.type in _PASS_ON:
                waiting.extend(operation.outputs)
            elif operation.type not in _READ_SCALARS:
                return True
    return False
