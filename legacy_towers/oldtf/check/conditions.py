"""Which branch of a condition is taken, where that depends on Python or on TensorFlow's names or version alone."""
import ast
from typing import Any, Callable, Optional

from legacy_towers.oldtf.check.found import Meanings, is_tensorflow
from legacy_towers.oldtf.check.values import value

_MISSING_IS_EXPECTED = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException")


def truth(test: ast.expr, meanings: Callable[[ast.AST], Meanings], exists: Callable[[str], bool]) -> Optional[bool]:
    """Returns what a condition on Python or on TensorFlow's names or version comes to; None where that can't be told.

    Args:
      test: the condition.
      meanings: what a name or a chain of attributes may be.
      exists: whether a dotted name of TensorFlow is there.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand, meanings, exists)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [truth(part, meanings, exists) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
        return _has_attribute(test, meanings, exists)
    if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Compare, ast.Subscript)):
        found = value(test, meanings)
        return bool(found) if isinstance(found, (bool, int, str)) else None
    return None


def _has_attribute(
    call: ast.Call, meanings: Callable[[ast.AST], Meanings], exists: Callable[[str], bool]
) -> Optional[bool]:
    if len(call.args) != 2:
        return None
    owner, name = meanings(call.args[0]), constant(call.args[1])
    if len(owner) != 1 or not isinstance(name, str) or not is_tensorflow(min(owner)):
        return None
    return exists("{}.{}".format(min(owner), name))


def constant(node: ast.AST) -> Any:
    """Returns the value of a literal, None where `node` is something else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):  # {[]: 1} is a literal that Python refuses
        return None


def expects_missing(handler: ast.ExceptHandler) -> bool:
    """Returns whether a script goes on in `handler` where a name or a module is missing."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in _MISSING_IS_EXPECTED for kind in kinds)
