"""The types and names that operations have on TensorFlow 1.15, which determine the variable names of ranges.

On 1.15 tf.add creates an Add and `a + b` an AddV2; later versions create an AddV2 for both, with different names. The
last operation of tf.nn.dropout is a Mul with the mask on 1.15, and a SelectV2 between inputs and zeros later.
"""
import re
from typing import Any

from legacy_towers.compat.tf1.contrib.quantize.matching import ANY, node

# The name of a + b; that of tf.add is Add, or the one that the caller passes.
_OPERATOR = re.compile(r"(.*/)?add(_\d+)?$")
_DROPOUT = node("SelectV2", [node("GreaterEqual"), node("Mul"), ANY])


def type_of(operation: Any) -> str:
    """Returns the type of `operation` on TensorFlow 1.15."""
    if operation.type == "AddV2" and not _OPERATOR.match(operation.name):
        return "Add"
    return "Mul" if _is_end_of_dropout(operation) else str(operation.type)


def name_of(operation: Any) -> str:
    """Returns the name of `operation` on TensorFlow 1.15."""
    scope, separator, _ = operation.name.rpartition("/")
    if _is_end_of_dropout(operation):
        return scope + separator + "mul_1"
    if operation.type == "Mul" and any(_is_end_of_dropout(reader) for reader in operation.outputs[0].consumers()):
        return scope + separator + "mul"
    return str(operation.name)


def _is_end_of_dropout(operation: Any) -> bool:
    if _DROPOUT(operation) is None:
        return False
    scopes = {each.name.rpartition("/")[0] for each in [operation] + [tensor.op for tensor in operation.inputs[:2]]}
    return len(scopes) == 1
