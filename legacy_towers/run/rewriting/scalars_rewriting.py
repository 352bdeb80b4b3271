"""Rewrites arithmetic of numpy scalars to calls of `scalars`, in scripts that import numpy.

    picture[i, j] * 2      scalars.arithmetic(operator.mul, picture[i, j], 2)
    offset + row[i]        offset + scalars.right_operand(offset, row[i])
    total += loss          total += scalars.right_operand(total, loss)
    np.uint8(k)            scalars.made(np.uint8, k)
    sum(row)               scalars.total(row)
    if found:              if scalars.truth(found):

Only expressions that may be numpy scalars are rewritten: subscripts, and calls of functions such as np.max and
np.float32. A call takes about 50 ns; `i + 1`, `n * k` and `count += 1` are not rewritten.
"""
import ast
from typing import Any, Set

SCALARS_NAME = "_legacy_towers_scalars"
SCALARS = "legacy_towers.run.rewriting.scalars"
_OPERATIONS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Pow: "pow",
    ast.Mod: "mod",
    ast.FloorDiv: "floordiv",
    ast.LShift: "lshift",
}
_IN_PLACE = (ast.Add, ast.Sub, ast.Mult)
# Operands that are not numbers.
_TEXT_AND_LISTS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)
_INTEGERS = frozenset("int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
_TYPES = _INTEGERS | {"float16", "float32"}
_REDUCTIONS = frozenset("max min mean sum amax amin prod".split())
_NOT_NUMPY = ("tf", "tensorflow", "math", "K")
# Names and attributes of lists, whose elements are not numpy scalars.
_NOT_ARRAYS = ("shape", "argv", "dims")


def rewrite(module: ast.Module, own_names: Set[str]) -> bool:
    """Rewrites the arithmetic of `module` in place; returns whether anything was rewritten.

    Args:
      module: the syntax tree of the file.
      own_names: the names that the file binds; its own `sum` and `bool` are not rewritten.
    """
    rewriting = _Rewriting(own_names)
    rewriting.visit(module)
    return rewriting.changed


class _Rewriting(ast.NodeTransformer):
    def __init__(self, own_names: Set[str]) -> None:
        self._own_names = own_names
        self.changed = False

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        wanted = type(node.op) in _OPERATIONS and _may_be_scalars(node.left, node.right)
        self.generic_visit(node)
        if not wanted:
            return node
        if isinstance(node.left, ast.Name):
            node.right = self._right_operand(node, node.left, node.right)
            return node
        return self._call(node, "arithmetic", self._operator(node, _OPERATIONS[type(node.op)]), node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.op, _IN_PLACE) and isinstance(node.target, ast.Name) and _may_hold_scalar(node.value):
            node.value = self._right_operand(node, node.target, node.value)
        return node

    def _right_operand(self, at: Any, left: ast.Name, right: ast.expr) -> ast.expr:
        return self._call(at, "right_operand", ast.copy_location(ast.Name(id=left.id, ctx=ast.Load()), left), right)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr in _INTEGERS and not _is_not_numpy(node.func):
            return self._call(node, "made", node.func, node.args[0])
        name = getattr(node.func, "id", None)
        if name in self._own_names or name not in ("sum", "bool"):
            return node
        return self._call(node, {"sum": "total", "bool": "truth"}[name], node.args[0])

    def visit_If(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = self._truth(node.test)
        return node

    visit_While = visit_IfExp = visit_If

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._truth(node.operand)
        return node

    def _truth(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            node.values = [self._truth(each) for each in node.values]
        is_value = isinstance(node, (ast.Name, ast.Subscript)) or _is_element(node)
        return self._call(node, "truth", node) if is_value else node

    def _operator(self, at: Any, name: str) -> ast.expr:
        return ast.copy_location(ast.Attribute(value=self._attribute(at, "operator"), attr=name, ctx=ast.Load()), at)

    def _attribute(self, at: Any, name: str) -> ast.expr:
        self.changed = True
        module = ast.copy_location(ast.Name(id=SCALARS_NAME, ctx=ast.Load()), at)
        return ast.copy_location(ast.Attribute(value=module, attr=name, ctx=ast.Load()), at)

    def _call(self, at: Any, name: str, *arguments: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(func=self._attribute(at, name), args=list(arguments), keywords=[]), at)


def _may_be_scalars(left: ast.expr, right: ast.expr) -> bool:
    # Elements of two arrays mostly have one type, whose rules are the same in both versions; loops often have them.
    if isinstance(left, ast.Subscript) and isinstance(right, ast.Subscript):
        return False
    if any(isinstance(each, _TEXT_AND_LISTS) or _is_text(each) for each in (left, right)):
        return False
    return _is_element(left) or _is_element(right)


def _is_text(node: ast.expr) -> bool:
    return isinstance(getattr(node, "value", None), (str, bytes))


def _is_element(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        name = getattr(node.value, "attr", getattr(node.value, "id", ""))
        return name not in _NOT_ARRAYS and not isinstance(node.value, ast.Call) and _is_element_index(node.slice)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or _is_not_numpy(node.func):
        return False
    return node.func.attr in _TYPES or node.func.attr in _REDUCTIONS


def _is_element_index(key: Any) -> bool:
    key = getattr(key, "value", key) if type(key).__name__ == "Index" else key
    keys = key.elts if isinstance(key, ast.Tuple) else [key]
    return not any(isinstance(each, ast.Slice) or isinstance(getattr(each, "value", None), str) for each in keys)


def _may_hold_scalar(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp):
        return not _is_text(value.left) and not _is_text(value.right)
    return isinstance(value, (ast.Name, ast.Subscript, ast.Call))


def _is_not_numpy(function: ast.Attribute) -> bool:
    return getattr(function.value, "id", None) in _NOT_NUMPY
