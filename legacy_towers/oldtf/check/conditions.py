"""Which branch of a condition is taken, where that depends on Python or on the names of TensorFlow alone."""
import ast
import operator
import sys
from typing import Any, Callable, Dict, Optional

from legacy_towers.oldtf.check.found import Meanings, is_tensorflow

_MISSING_IS_EXPECTED = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException")
_COMPARED: Dict[Any, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def truth(test: ast.expr, meanings: Callable[[ast.AST], Meanings], exists: Callable[[str], bool]) -> Optional[bool]:
    """Returns what a condition on Python or on the names of TensorFlow comes to; None where that can't be told.

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
    if isinstance(test, (ast.Name, ast.Attribute)) and meanings(test) in ({"six.PY2"}, {"six.PY3"}):
        return meanings(test) == {"six.PY3"}
    if isinstance(test, ast.Compare):
        return _compares_python(test, meanings)
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


def _compares_python(test: ast.Compare, meanings: Callable[[ast.AST], Meanings]) -> Optional[bool]:
    left, right = test.left, test.comparators[0]
    value: Any = None
    kind: Any = int
    if isinstance(left, ast.Subscript) and meanings(left.value) == {"sys.version_info"}:
        index = left.slice
        index = getattr(index, "value", index) if not isinstance(index, ast.Constant) else index
        value = sys.version_info[0] if constant(index) == 0 else None
    elif meanings(left) == {"sys.version_info"}:
        value, kind = tuple(sys.version_info[:2]), tuple
    elif meanings(left) == {"sys.version_info.major"}:
        value = sys.version_info[0]
    other = constant(right)
    compared = _COMPARED.get(type(test.ops[0]))
    numbers = other if isinstance(other, tuple) else (other,)
    if value is None or compared is None or len(test.ops) != 1 or not isinstance(other, kind):
        return None
    return bool(compared(value, other)) if all(isinstance(number, int) for number in numbers) else None


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
