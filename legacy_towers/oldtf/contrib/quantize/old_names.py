"""What operations were on TensorFlow 1.15: the names of ranges come from there.

tf.add made an Add there, and `a + b` an AddV2; later both make an AddV2, but of another name. The last operation of
tf.nn.dropout was a product with the mask, where later ones choose between the inputs and zeros.
"""
import re
from typing import Any

from legacy_towers.oldtf.contrib.quantize.matching import ANY, node

# What a + b is called; tf.add is called Add, or as its caller said.
_OPERATOR = re.compile(r"(.*/)?add(_\d+)?$")
_DROPOUT = node("SelectV2", [node("GreaterEqual"), node("Mul"), ANY])


def type_of(operation: Any) -> str:
    """Returns the type."""
    if operation.type == "AddV2" and not _OPERATOR.match(operation.name):
        return "Add"
    return "Mul" if _ends_dropout(operation) else str(operation.type)


def name_of(operation: Any) -> str:
    """Returns the name."""
    scope, separator, _ = operation.name.rpartition("/")
    if _ends_dropout(operation):
        return scope + separator + "mul_1"
    if operation.type == "Mul" and any(_ends_dropout(reader) for reader in operation.outputs[0].consumers()):
        return scope + separator + "mul"
    return str(operation.name)


def _ends_dropout(operation: Any) -> bool:
    if _DROPOUT(operation) is None:
        return False
    scopes = {each.name.rpartition("/")[0] for each in [operation] + [tensor.op for tensor in operation.inputs[:2]]}
    return len(scopes) == 1
