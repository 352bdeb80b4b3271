"""Rewrites the divisions of a script to calls of `quotients`.

    units / 2          quotients.divided(units, 2)
    stride /= 4        stride = quotients.divided_in_place(stride, 4)

Divisions of or by a float literal are not rewritten.
"""
import ast
from typing import Any

QUOTIENTS = "legacy_towers.run.rewriting.quotients"
QUOTIENTS_NAME = "_legacy_towers_quotients"


def rewrite(module: ast.Module) -> bool:
    """Rewrites the divisions of `module` in place; returns whether there are any."""
    rewriting = _Rewriting()
    rewriting.visit(module)
    return rewriting.changed


class _Rewriting(ast.NodeTransformer):
    changed = False

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or _is_float(node.left) or _is_float(node.right):
            return node
        return self._call(node, "divided", node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or not isinstance(node.target, ast.Name) or _is_float(node.value):
            return node
        before = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node.target)
        value = self._call(node, "divided_in_place", before, node.value)
        return ast.copy_location(ast.Assign(targets=[node.target], value=value), node)

    def _call(self, at: Any, name: str, *operands: ast.expr) -> ast.expr:
        self.changed = True
        function = ast.Attribute(value=ast.Name(id=QUOTIENTS_NAME, ctx=ast.Load()), attr=name, ctx=ast.Load())
        call = ast.Call(func=function, args=list(operands), keywords=[])
        for part in (function.value, function, call):
            ast.copy_location(part, at)
        return call


def _is_float(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(getattr(node, "value", None), float)
