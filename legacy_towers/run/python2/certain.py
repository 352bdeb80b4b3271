"""Gives expressions that fail in Python 3 in every case their meaning in Python 2, in a file that Python 3 can read.

    len(map(f, x))                      len(lists.listed(map(f, x), "map()"))
    zip(*x)[0]                          lists.listed(zip(*x), "zip()")[0]
    names = d.keys(); names.sort()      names = lists.listed(d.keys(), "keys()"); names.sort()
    range(3) + [7]                      lists.listed(range(3), "range()") + [7]
    x[n / 2]                            x[lists.index(x, n, 2)]
    x[: n / 2]                          x[: lists.whole(n, 2)]
    range(n / 2)                        range(lists.whole(n, 2))

The variable is rewritten if its scope assigns it nothing but such calls, and uses it as a list. Not rewritten are calls
of names that the file binds itself, and divisions after `from __future__ import division`.
"""
import ast
import copy
from typing import Any, Dict, List, Set

from legacy_towers.run.python2.names import ITERATORS, VIEWS
from legacy_towers.run.python2.nodes import at, constant, dotted
from legacy_towers.run.python2.scopes import bound_below
from legacy_towers.run.rewriting import import_statements

LISTS = "legacy_towers.run.python2.lists"
LISTS_NAME = "__python2_lists__"
# Methods of lists that iterators, views and ranges lack; a range has index and count.
_METHODS = ("append", "extend", "insert", "pop", "remove", "reverse", "sort")
_OF_SEQUENCES = ("index", "count")
# Attributes of pandas whose slices may be floats.
_LABELS = ("loc", "iloc", "ix")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LIST_LITERALS = (ast.List, ast.ListComp)


def rewrite(tree: ast.Module) -> ast.Module:
    """Returns the rewritten tree of a file."""
    own = bound_below(tree)
    rewriting = _Rewriting(own)
    for scope in [tree] + [node for node in ast.walk(tree) if isinstance(node, _SCOPES[:2])]:
        rewriting.assigned += _lists_of(scope, own)
    tree = rewriting.visit(tree)
    if rewriting.changed:
        import_statements.add_import(tree, LISTS, LISTS_NAME)
    return tree


def _kind(node: Any, own: Set[str]) -> str:
    """Returns "map", "keys", "range" and so on for a call that returns a list in Python 2, "" for other nodes."""
    if not isinstance(node, ast.Call) or node.keywords:
        return ""
    if isinstance(node.func, ast.Name) and node.func.id in ITERATORS + ("range",) and node.func.id not in own:
        return node.func.id
    if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args:
        return node.func.attr
    return ""


class _Rewriting(ast.NodeTransformer):
    def __init__(self, own: Set[str]) -> None:
        self._own = own
        # The calls whose values are assigned to variables that are used as lists.
        self.assigned: List[ast.expr] = []
        self.changed = False
        self._divides_integers = True

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.module == "__future__" and any(alias.name == "division" for alias in node.names):
            self._divides_integers = False
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        is_assigned = any(node is each for each in self.assigned)
        self.generic_visit(node)
        name = getattr(node.func, "id", None)
        if name == "len" and name not in self._own and len(node.args) == 1:
            if _kind(node.args[0], self._own) in ITERATORS:
                node.args[0] = self._listed(node.args[0])
        elif isinstance(node.func, ast.Attribute):
            kind = _kind(node.func.value, self._own)
            if kind and (node.func.attr in _METHODS or kind != "range" and node.func.attr in _OF_SEQUENCES):
                node.func.value = self._listed(node.func.value)
        elif name == "range" and name not in self._own:
            node.args = [self._whole(each) for each in node.args]
        return self._listed(node) if is_assigned else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if _kind(node.value, self._own) in ITERATORS + VIEWS:
            node.value = self._listed(node.value)
        key: Any = node.slice
        holder, field = (key, "value") if type(key).__name__ == "Index" else (node, "slice")  # until Python 3.8
        key = getattr(holder, field)
        if isinstance(key, ast.Slice) and getattr(node.value, "attr", None) not in _LABELS:
            key.lower, key.upper = self._whole(key.lower), self._whole(key.upper)
        elif _is_quotient(key) and self._divides_integers and dotted(node.value):
            container = copy.deepcopy(node.value)
            for part in ast.walk(container):
                if hasattr(part, "ctx"):
                    part.ctx = ast.Load()
            setattr(holder, field, self._call(key, "index", container, key.left, key.right))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and (self._is_list(node.left) and self._is_list(node.right)):
            node.left, node.right = self._listed_call(node.left), self._listed_call(node.right)
        return node

    def _is_list(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._is_list(node.left) and self._is_list(node.right)
        return isinstance(node, _LIST_LITERALS) or bool(_kind(node, self._own)) or _is_listed(node)

    def _listed_call(self, node: ast.expr) -> ast.expr:
        return self._listed(node) if _kind(node, self._own) else node

    def _whole(self, node: Any) -> Any:
        if not _is_quotient(node) or not self._divides_integers:
            return node
        return self._call(node, "whole", node.left, node.right)

    def _listed(self, node: Any) -> ast.expr:
        return self._call(node, "listed", node, constant(_kind(node, self._own) + "()"))

    def _call(self, position: Any, name: str, *arguments: ast.expr) -> ast.expr:
        self.changed = True
        function = ast.Attribute(ast.Name(LISTS_NAME, ast.Load()), name, ast.Load())
        return at(ast.Call(function, list(arguments), []), position)


def _is_quotient(node: Any) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _is_listed(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == LISTS_NAME + ".listed"


def _lists_of(scope: Any, own: Set[str]) -> List[ast.expr]:
    """Returns the calls that a scope assigns to variables which it uses as lists and assigns nothing else."""
    values: Dict[str, List[ast.expr]] = {}
    targets = set()
    for node in _nodes_of(scope):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(target, ast.Name) and _kind(node.value, own):
            values.setdefault(target.id, []).append(node.value)
            targets.add(id(target))
    others = {each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in targets:
            others.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            others.update(node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "next":
            others.update(each.id for each in node.args[:1] if isinstance(each, ast.Name))
    found = []
    for name in set(values) - others:
        kinds = {_kind(each, own) for each in values[name]}
        if any(_uses_list(node, name, kinds, own) for node in ast.walk(scope)):
            found += values[name]
    return found


def _nodes_of(scope: Any) -> List[Any]:
    """Returns the nodes of a scope, without those of functions and classes in it."""
    found, waiting = [], list(scope.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _SCOPES):
            found.append(node)
            waiting += ast.iter_child_nodes(node)
    return found


def _uses_list(node: Any, name: str, kinds: Set[str], own: Set[str]) -> bool:
    """Returns whether a node is a use of the variable that fails for each of the kinds that it may be."""

    def is_it(each: Any) -> bool:
        return isinstance(each, ast.Name) and each.id == name

    if isinstance(node, ast.Subscript) and is_it(node.value):
        is_written = not isinstance(node.ctx, ast.Load)
        return is_written or "range" not in kinds
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if is_it(node.func.value):
            return node.func.attr in _METHODS or node.func.attr in _OF_SEQUENCES and "range" not in kinds
        return node.func.attr == "shuffle" and len(node.args) == 1 and is_it(node.args[0])
    if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "len" and "len" not in own:
        return len(node.args) == 1 and is_it(node.args[0]) and kinds <= set(ITERATORS)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        pair = (node.left, node.right)
        return any(is_it(each) and isinstance(other, _LIST_LITERALS) for each, other in (pair, pair[::-1]))
    return False
