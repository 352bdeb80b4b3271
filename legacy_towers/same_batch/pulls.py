"""Which operations pull examples into a step, and which of what they give are examples at all."""
import re
from typing import Any, Callable, List

from legacy_towers.compat import tf

_PULL = re.compile(
    r"^(IteratorGetNext\w*|MultiDeviceIteratorGetNextFromShard|DatasetToSingleElement|(Queue|Padding)?\w*Dequeue\w*"
    r"|Reader(Read|ReadUpTo)(V2)?|(Ordered)?(Map)?Unstage\w*|StagePeek|Placeholder(V2|WithDefault)?)$"
)
_PLACEHOLDER = re.compile("^Placeholder")

# What a fed scalar goes into; a batch goes into others too. `keep_prob = tf.placeholder(tf.float32)` has no shape.
_SCALARS_TOO = frozenset(
    "Add AddV2 Sub Mul RealDiv Div DivNoNan FloorDiv Maximum Minimum Pow Greater GreaterEqual Less LessEqual Equal "
    "NotEqual LogicalAnd LogicalOr LogicalNot Select SelectV2 Switch If StatelessIf Fill Pack Neg Sqrt Rsqrt Exp Log "
    "Square Reciprocal Floor Merge PyFunc".split()
)
_HAND_ON = frozenset(["Identity", "Cast", "StopGradient", "EnsureShape", "Enter", "Snapshot"])


def is_pull(operation: Any) -> bool:
    """Says whether an operation hands a step what comes from outside it: a placeholder, get_next, dequeue, unstage."""
    return _PULL.match(operation.type) is not None


def is_source_of_python(operation: Any) -> bool:
    """Says whether an operation may be a source in Python: `tf.py_func` of nothing that a pull gave is one."""
    return operation.type in ("PyFunc", "PyFuncStateless", "EagerPyFunc")


def is_example(tensor: Any, consumers: Callable[[Any], List[Any]]) -> bool:
    """Says whether what a pull gives holds examples, rather than a rate, a switch or a count.

    Args:
      tensor: an output of a pull.
      consumers: gives the operations that read a tensor.
    """
    if tensor.dtype == tf.resource:
        return False
    if tensor.dtype == tf.variant:  # a sparse or ragged component on its way
        return True
    placeholder = _PLACEHOLDER.match(tensor.op.type) is not None
    if tensor.shape.ndims is not None:
        # One serialized example is a scalar; one that is fed is a handle or a name rather.
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
            if operation.type in _HAND_ON:
                waiting.extend(operation.outputs)
            elif operation.type not in _SCALARS_TOO:
                return True
    return False
