"""The default values of a script's flags, and the conditions that they decide.

    defaults    DEFINE_boolean("use_gan", False, ...), add_argument("--use_gan", action="store_true")
    truth       FLAGS.use_gan, not args.use_gan, FLAGS.mode == "eval", args.checkpoint is not None
"""
import ast
from typing import Any, Dict, List, Optional

# The names that scripts give to the values of their flags.
_HOLDERS = ("FLAGS", "flags", "ARGS", "args", "opt", "opts", "options")
_STORED = {"store_true": False, "store_false": True}
_UNKNOWN: Any = object()


def defaults(module: ast.Module) -> Dict[str, Any]:
    """Returns flag -> default of the flags that a file defines with a literal as the default, each once."""
    found: Dict[str, Any] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            first = _literal(node.args[0])
            if not isinstance(first, str):
                continue
            if called.startswith("DEFINE_"):
                name, value = first, _argument(node, 1, "default", _UNKNOWN)
            elif called == "add_argument":
                names = [str(_literal(each)) for each in node.args]
                name = next((each for each in names if each.startswith("--")), "").lstrip("-").replace("-", "_")
                name = str(_argument(node, None, "dest", name))
                action = _argument(node, None, "action", "store")
                value = _argument(node, None, "default", _STORED.get(str(action)))
            else:
                continue
            found[name] = _UNKNOWN if name in found else value
    # What the script assigns is not the default.
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and node.attr in found:
            found[node.attr] = _UNKNOWN
    return {name: value for name, value in found.items() if name and value is not _UNKNOWN}


def truth(test: ast.expr, flags: Dict[str, Any]) -> Optional[bool]:
    """Returns the value of a condition with the default flags; None if it depends on anything else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand, flags)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [truth(part, flags) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        name, other = _flag(test.left, flags), _literal(test.comparators[0])
        if name is None or other is _UNKNOWN:
            return None
        if isinstance(test.ops[0], (ast.Eq, ast.Is)):
            return bool(flags[name] == other)
        return bool(flags[name] != other) if isinstance(test.ops[0], (ast.NotEq, ast.IsNot)) else None
    name = _flag(test, flags)
    return None if name is None else bool(flags[name])


def shown(test: ast.expr, flags: Dict[str, Any]) -> str:
    """Returns the flags of a condition as they are written on the command line."""
    names: List[str] = []
    for node in ast.walk(test):
        name = _flag(node, flags)
        if name is not None and "--" + name not in names:
            names.append("--" + name)
    return " or ".join(names)


def _flag(node: ast.AST, flags: Dict[str, Any]) -> Optional[str]:
    if not isinstance(node, ast.Attribute) or getattr(node.value, "id", None) not in _HOLDERS:
        return None
    return node.attr if node.attr in flags else None


def _argument(call: ast.Call, position: Optional[int], name: str, otherwise: Any) -> Any:
    for keyword in call.keywords:
        if keyword.arg == name:
            return _literal(keyword.value)
    if position is not None and len(call.args) > position:
        return _literal(call.args[position])
    return otherwise


def _literal(node: ast.AST) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return _UNKNOWN
