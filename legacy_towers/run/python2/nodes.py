"""Functions that read and build nodes of a syntax tree."""
import ast
from typing import Any, Optional


def at(node: Any, position: Any) -> Any:
    """Returns `node`, after giving it and its new descendants the line and column of the node `position`."""
    for part in ast.walk(node):
        if not hasattr(part, "lineno") and "lineno" in part._attributes:
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                if name in part._attributes and hasattr(position, name):
                    setattr(part, name, getattr(position, name))
    return node


def constant(value: Any) -> ast.expr:
    node = ast.Constant(value=value)
    if "kind" in ast.Constant._fields:
        node.kind = None
    return node


def key_of(node: Any) -> ast.expr:
    """Returns an expression for the index of a subscript; a slice becomes a call of slice()."""
    if isinstance(node, ast.Slice):
        parts = [part or constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if type(node).__name__ == "Index":  # until Python 3.8
        return key_of(node.value)
    if type(node).__name__ == "ExtSlice":
        return ast.Tuple([key_of(part) for part in node.dims], ast.Load())
    if isinstance(node, ast.Tuple):
        return ast.Tuple([key_of(part) for part in node.elts], ast.Load())
    return node


def dotted(node: Any) -> Optional[str]:
    """Returns "a.b" for a name or a chain of attributes, None for other nodes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and "{}.{}".format(before, node.attr)
    return None


def is_float(node: Any) -> bool:
    # Python 3.7 has ast.Num with its `n`.
    return isinstance(node.value if hasattr(node, "value") else getattr(node, "n", None), float)


def has_keyword(call: ast.Call, keyword: str) -> bool:
    return any(given.arg == keyword for given in call.keywords)
