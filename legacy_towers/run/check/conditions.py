"""Evaluates conditions that depend only on Python's version, TensorFlow's version or TensorFlow's names."""
import ast
from typing import Any, Callable, Optional

from legacy_towers.run.check.findings import Meanings, is_tensorflow
from legacy_towers.run.check.values import value

_MISSING_IS_EXPECTED = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException")


def truth(test: ast.expr, meanings: Callable[[ast.AST], Meanings], exists: Callable[[str], bool]) -> Optional[bool]:
    """Evaluates a condition on Python's version, TensorFlow's version or TensorFlow's names.

    Args:
      test: the condition.
      meanings: returns the dotted names that a name or a chain of attributes may refer to.
      exists: returns whether a dotted TensorFlow name exists.

    Returns:
      The condition's value; None if it is known only at run time.
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
    except (ValueError, TypeError):  # {[]: 1} is a literal that Python rejects
        return None


def expects_missing(handler: ast.ExceptHandler) -> bool:
    """Returns whether `handler` catches the error that a missing name or module raises."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in _MISSING_IS_EXPECTED for kind in kinds)
