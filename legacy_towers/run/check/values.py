"""Evaluates expressions that depend only on the version of Python or TensorFlow.

    sys.version_info[0] == 2                    int(tf.__version__.split(".")[0]) >= 2
    LooseVersion(tf.__version__) < "1.4"        tf.__version__.startswith("1.")
"""
import ast
import operator
import re
import sys
from typing import Any, Callable, Dict, List

from legacy_towers.compat.tf1.core.version import KERAS_VERSION, VERSION
from legacy_towers.run.check.findings import Meanings

Names = Callable[[ast.AST], Meanings]
# The value of an expression that is known only at run time.
UNKNOWN: Any = object()

_OF_NAMES: Dict[str, Any] = {
    "six.PY2": False,
    "six.PY3": True,
    "sys.hexversion": sys.hexversion,
    "sys.version": sys.version,
    "sys.version_info": tuple(sys.version_info[:3]),
    "sys.version_info.major": sys.version_info[0],
    "sys.version_info.minor": sys.version_info[1],
    "tensorflow.VERSION": VERSION,
    "tensorflow.__version__": VERSION,
    "tensorflow.keras.__version__": KERAS_VERSION,
    "tensorflow.version.VERSION": VERSION,
}
# Prefixes of meanings that are values, and of those that are functions that return a value.
_VALUE, _RETURNS = "value:", "returns:"
_COMPARED: Dict[Any, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_V2_ENABLED = "tensorflow.python.tf2.enabled"
_METHODS = ("endswith", "join", "partition", "replace", "rsplit", "split", "startswith", "strip")
_FUNCTIONS: Dict[str, Callable[..., Any]] = {
    "bool": bool, "float": float, "int": int, "len": len, "list": list, "map": lambda one, of: list(map(one, of)),
    "str": str, "tuple": tuple,
}
# The names of the functions that parse versions in distutils, packaging and pkg_resources.
_VERSIONS = ("LooseVersion", "StrictVersion", "Version", "parse_version")


class _Version(tuple):
    """The numbers and words of a version, which compare as tuples do."""

    @classmethod
    def of(cls, text: str) -> "_Version":
        return cls(int(part) if part.isdigit() else part for part in re.findall(r"\d+|[a-z]+", text))


def value(node: ast.AST, names: Names) -> Any:
    """Evaluates the expression as the script would under `run`.

    Args:
      node: the expression.
      names: returns the dotted names that a name or a chain of attributes may refer to.

    Returns:
      Its value, or UNKNOWN.
    """
    try:
        return _value(node, names)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):  # if it runs, it fails
        return UNKNOWN


def is_value(meaning: str) -> bool:
    """Returns whether `meaning` is a value; a name with a value has no other meanings."""
    return meaning.startswith((_VALUE, _RETURNS)) or meaning in _OF_NAMES


def is_variable(meanings: Meanings) -> bool:
    """Returns whether a name with these meanings is a variable with a value."""
    return any(meaning.startswith(_VALUE) or meaning in _OF_NAMES for meaning in meanings)


def as_meaning(found: Any) -> Meanings:
    """Returns the meaning of a name that is bound to the value `found`; none if that is not a plain value."""
    plain = isinstance(found, (bool, int, float, str, list, tuple)) and not isinstance(found, _Version)
    return frozenset([_VALUE + repr(found)] if plain else [])


def as_function(found: Any) -> Meanings:
    """Returns the meaning of a function without parameters that returns `found`; none if that is not a plain value."""
    return frozenset(_RETURNS + each[len(_VALUE) :] for each in as_meaning(found))


def _value(node: ast.AST, names: Names) -> Any:
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _of_name(names(node))
    if isinstance(node, ast.Subscript):
        return _part(node, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    if isinstance(node, ast.Compare):
        return _compared(node, names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _known(lambda one: not one, [value(node.operand, names)])
    if isinstance(node, (ast.List, ast.Tuple)):
        kind = list if isinstance(node, ast.List) else tuple
        return _known(lambda *parts: kind(parts), [value(part, names) for part in node.elts])
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _each(node, names)
    return ast.literal_eval(node)


def _known(function: Callable[..., Any], parts: List[Any]) -> Any:
    return UNKNOWN if any(part is UNKNOWN for part in parts) else function(*parts)


def _of_name(meanings: Meanings) -> Any:
    if len(meanings) != 1:
        return UNKNOWN
    name = min(meanings)
    if name.startswith(_VALUE):
        return ast.literal_eval(name[len(_VALUE) :])
    if name in ("True", "False", "None"):  # these are names in Python 2
        return UNKNOWN
    return _OF_NAMES.get(name, UNKNOWN)


def _part(node: ast.Subscript, names: Names) -> Any:
    index: Any = node.slice
    if isinstance(index, ast.Slice):
        ends = [ast.literal_eval(each) if each is not None else None for each in (index.lower, index.upper, index.step)]
        return _known(lambda whole: whole[slice(*ends)], [value(node.value, names)])
    if not isinstance(index, (ast.Constant, ast.UnaryOp)):
        index = getattr(index, "value", index)  # before Python 3.9 it is wrapped
    return _known(lambda whole, at: whole[at], [value(node.value, names), value(index, names)])


def _called(node: ast.Call, names: Names) -> Any:
    if node.keywords:
        return UNKNOWN
    function = min(names(node.func), default="") if len(names(node.func)) == 1 else ""
    if function.startswith(_RETURNS) and not node.args:
        return ast.literal_eval(function[len(_RETURNS) :])
    if function == _V2_ENABLED:
        return False  # as in 1.15
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in _VERSIONS or name == "parse" and isinstance(owner, (ast.Name, ast.Attribute)):
        return _known(_version, [value(part, names) for part in node.args])
    if owner is not None and name in _METHODS:
        text = value(owner, names)
        return _known(getattr(text, name), [value(part, names) for part in node.args]) if text is not UNKNOWN else text
    if owner is None and name in _FUNCTIONS:
        first = node.args[0] if node.args else None
        if name == "map" and isinstance(first, ast.Name) and first.id in _FUNCTIONS:
            return _known(_FUNCTIONS["map"], [_FUNCTIONS[first.id]] + [value(part, names) for part in node.args[1:]])
        return _known(_FUNCTIONS[name], [value(part, names) for part in node.args]) if name != "map" else UNKNOWN
    return UNKNOWN


def _version(text: Any) -> Any:
    return _Version.of(text) if isinstance(text, str) else UNKNOWN


def _each(node: Any, names: Names) -> Any:
    """Evaluates comprehensions such as `[int(part) for part in ...]`."""
    (generator,) = node.generators
    if generator.ifs or not isinstance(generator.target, ast.Name):
        return UNKNOWN
    found = value(generator.iter, names)
    if found is UNKNOWN:
        return UNKNOWN

    def with_target(part: Any) -> Names:
        bound = as_meaning(part)
        return lambda each: bound if getattr(each, "id", None) == generator.target.id else names(each)

    return _known(lambda *parts: list(parts), [value(node.elt, with_target(part)) for part in found])


def _compared(node: ast.Compare, names: Names) -> Any:
    if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARED:
        return UNKNOWN
    left, right = value(node.left, names), value(node.comparators[0], names)
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if isinstance(left, _Version) != isinstance(right, _Version):  # distutils converts a string to a version
        left, right = (each if isinstance(each, _Version) else _version(each) for each in (left, right))
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
    is_in = isinstance(node.ops[0], (ast.In, ast.NotIn))
    if not is_in and _kind(left) is not _kind(right):
        return UNKNOWN
    return bool(_COMPARED[type(node.ops[0])](left, right))


def _kind(found: Any) -> Any:
    return float if isinstance(found, (bool, int, float)) else type(found)
