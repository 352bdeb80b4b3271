"""Puts what `quotients` has into the syntax tree of a script.

    units / 2          quotients.divided(units, 2)
    stride /= 4        stride = quotients.divided_in_place(stride, 4)

Where a float is written out there is no whole number to be had, and the division stays as it is.
"""
import ast
from typing import Any

_QUOTIENTS = "legacy_towers.oldtf.changed.quotients"
HELD_AS = "_legacy_towers_quotients"


def rewrite(module: ast.Module) -> bool:
    """Changes the divisions of `module`; returns whether there were any."""
    rewriting = _Rewriting()
    rewriting.visit(module)
    return rewriting.changed


def import_statement() -> ast.Import:
    """Returns the statement that the rewritten module needs."""
    return ast.Import(names=[ast.alias(name=_QUOTIENTS, asname=HELD_AS)])


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
        function = ast.Attribute(value=ast.Name(id=HELD_AS, ctx=ast.Load()), attr=name, ctx=ast.Load())
        call = ast.Call(func=function, args=list(operands), keywords=[])
        for part in (function.value, function, call):
            ast.copy_location(part, at)
        return call


def _is_float(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(getattr(node, "value", None), float)
