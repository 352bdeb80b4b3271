"""Rewrites expressions and statements that mean something else in Python 2, in files that are Python 2.

    n / 2                               __python2__.div(n, 2)
    d.keys()                            __python2__.listed(d.keys())
    a < b                               __python2__.compared("Lt", a, b)
    raise E, value, traceback           raise __python2__.raised(E, value, traceback)
"""
import ast
from typing import Any, Dict

from legacy_towers.run.python2.nodes import at, constant, dotted, has_keyword, is_float, key_of

# The name of the module `runtime` in a rewritten file.
RUNTIME_NAME = "__python2__"
_SPECIAL_METHODS: Dict[str, str] = {
    "next": "__next__",
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
    "__unicode__": "__str__",
}


class ConstructRewriter(ast.NodeTransformer):
    """Rewrites operators, calls, raise statements and classes.

    Args:
      is_python_2: whether the file is Python 2; if not, these constructs are unchanged.
      true_division: whether `/` is true division, as after `from __future__ import division`.
    """

    def __init__(self, is_python_2: bool, true_division: bool) -> None:
        self._is_python_2 = is_python_2
        self._rewrites_division = is_python_2 and not true_division
        self._uses_runtime = False

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        is_division = self._rewrites_division and isinstance(node.op, ast.Div)
        if not is_division or is_float(node.left) or is_float(node.right):
            return node
        return at(self._call("div", node.left, node.right), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        kind = type(node.ops[0]).__name__
        if not self._is_python_2 or len(node.ops) > 1 or kind not in ("Lt", "LtE", "Gt", "GtE"):
            return node
        return at(self._call("compared", constant(kind), node.left, node.comparators[0]), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not self._rewrites_division or not isinstance(node.op, ast.Div):
            return node
        target = node.target
        if isinstance(target, ast.Name):
            value = self._call("divide_in_place", ast.Name(target.id, ast.Load()), node.value)
            return at(ast.Assign([target], value), node)
        if isinstance(target, ast.Attribute):
            call = self._call("divide_attribute", target.value, constant(target.attr), node.value)
        else:
            call = self._call("divide_item", target.value, key_of(target.slice), node.value)
        return at(ast.Expr(call), node)

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        self.generic_visit(node)
        if not self._is_python_2 or not isinstance(node.func, ast.Attribute):
            return node
        if name in ("keys", "values", "items") and not node.args and not node.keywords:
            return at(self._call("listed", node), node)
        if name in ("decode", "encode") or name == "sort" and (node.args or has_keyword(node, "cmp")):
            call = self._call(name, node.func.value, *node.args)
            call.keywords = node.keywords
            return at(call, node)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        error = node.exc
        if not self._is_python_2 or not isinstance(error, ast.Call) or not isinstance(error.func, ast.Attribute):
            return node
        created = error.func.value
        if error.func.attr == "with_traceback" and isinstance(created, ast.Call) and len(created.args) <= 1:
            value = created.args[0] if created.args else constant(None)
            node.exc = at(self._call("raised", created.func, value, error.args[0]), node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.generic_visit(node)
        if not self._is_python_2:
            return node
        own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        for old, new in _SPECIAL_METHODS.items():
            if old in own and new not in own and (old != "next" or "__iter__" in own):
                alias = ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load()))
                node.body.append(at(alias, node.body[-1]))
        for part in list(node.body):
            if isinstance(part, ast.Assign) and dotted(part.targets[0]) == "__metaclass__":
                node.keywords.append(at(ast.keyword("metaclass", part.value), part))
                node.body[node.body.index(part)] = at(ast.Pass(), part)
        return node

    def _runtime(self) -> ast.expr:
        self._uses_runtime = True
        return ast.Name(RUNTIME_NAME, ast.Load())

    def _call(self, function: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(self._runtime(), function, ast.Load()), list(arguments), [])
