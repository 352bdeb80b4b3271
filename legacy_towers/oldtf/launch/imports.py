"""Sends the imports of a syntax tree to where an old script's modules are.

    import tensorflow as tf                    import legacy_towers.oldtf.tf1 as tf
    import tensorflow.contrib.slim as slim     import legacy_towers.oldtf.tf1.contrib.slim as slim
    from tensorflow import flags               from legacy_towers.oldtf.tf1 import flags
    import tensorflow.contrib, os              import legacy_towers.oldtf.tf1.contrib as tensorflow
                                               import legacy_towers.oldtf.tf1 as tensorflow
                                               import os

A module is sent elsewhere by its top name, wherever the statement stands; relative imports are the script's own. A
call of `__import__`, which is no statement, goes through `dynamic.import_name`, and so does text that is run:

    exec(text, names)                          exec(dynamic.code(text), names)
    eval(text, names)                          eval(dynamic.expression(text), names)
    compile(text, path, mode)                  dynamic.compiler(compile)(text, path, mode)

What `mock.patch` and pytest's `monkeypatch.setattr` are told in words is what the script has imported:

    mock.patch("tensorflow.get_variable")      mock.patch("legacy_towers.oldtf.tf1.get_variable")
"""
import ast
from typing import Any, List, Mapping, Set

from legacy_towers.oldtf.changed.rewriting import bound_names
from legacy_towers.oldtf.launch import VIEWS

# Functions whose first argument, if it is text, says where something is that they replace: mock.patch.dict.
_REPLACING = ("patch", "patch.dict", "patch.multiple", "patch.object", "monkeypatch.setattr", "monkeypatch.delattr")
# What runs text in the namespace of its caller -> what is made of the text first.
_ON_TEXT = {"exec": "code", "eval": "expression"}


class Imports(ast.NodeTransformer):
    """Rewrites the import statements of a module.

    Args:
      trees: module -> the module to import instead, for those below it too: {"tensorflow": "a.b"} sends
        `tensorflow.contrib` to `a.b.contrib`.
      views: module -> the module to import instead, for itself only: {"importlib": "c"} leaves `importlib.util`.
    """

    def __init__(self, trees: Mapping[str, str], views: Mapping[str, str]) -> None:
        self._trees = trees
        self._views = views
        self._own: Set[str] = set()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._own = bound_names(node)
        self.generic_visit(node)
        return node

    def visit_Import(self, node: ast.Import) -> Any:
        if all(self._imports(alias) == [(alias.name, alias.asname)] for alias in node.names):
            return node
        statements: List[ast.stmt] = []
        for alias in node.names:
            for name, bound in self._imports(alias):
                statement = ast.Import(names=[ast.copy_location(ast.alias(name=name, asname=bound), node)])
                statements.append(ast.copy_location(statement, node))
        return statements

    def _imports(self, alias: ast.alias) -> Any:
        """Returns (module, name that it is bound to or None) for each import that stands for `alias`."""
        top = alias.name.split(".")[0]
        instead = self._instead(alias.name)
        if alias.asname is not None or "." not in alias.name:
            bound = alias.asname or (alias.name if instead != alias.name else None)
            return [(instead, bound)]
        if self._instead(top) == top and instead == alias.name:
            return [(alias.name, None)]
        # `import a.b` binds `a`. The first import is for its effect; its name is given to the top at once.
        return [(instead, top), (self._instead(top), top)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        if node.level or not node.module:
            return node
        node.module = self._instead(node.module)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != "__import__" or not isinstance(node.ctx, ast.Load):
            return node
        return _dynamic("import_name", node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if node.args and _replaces(node.func):
            self._replaced(node.args[0])
        if not isinstance(node.func, ast.Name) or node.func.id in self._own:
            return node
        if node.func.id == "compile":
            node.func = _call("compiler", node.func)
        elif node.func.id in _ON_TEXT and node.args and not isinstance(node.args[0], ast.Starred):
            node.args[0] = _call(_ON_TEXT[node.func.id], node.args[0])
        return node

    def _replaced(self, place: Any) -> None:
        field = "value" if hasattr(place, "value") else "s"  # of Python 3.7
        value = getattr(place, field, None)
        if isinstance(value, str) and value.split(".")[0] in self._trees:
            setattr(place, field, self._instead(value))

    def _instead(self, module: str) -> str:
        """Returns what is imported in place of `module`."""
        if module in self._views:
            return self._views[module]
        top, _, below = module.partition(".")
        if top not in self._trees:
            return module
        return self._trees[top] + ("." + below if below else "")


def _replaces(function: ast.expr) -> bool:
    """Returns whether `function` is written patch, mock.patch, patch.dict, or another of `_REPLACING`."""
    names: List[str] = []
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    names.insert(0, getattr(function, "id", ""))
    return names[-1] == "patch" or ".".join(names[-2:]) in _REPLACING


def _dynamic(name: str, at: ast.expr) -> ast.expr:
    # __import__(dynamic, None, None, ("import_name",)).import_name: an expression that needs no name in the module.
    text = "__import__({!r}, None, None, ({!r},)).{}".format(VIEWS["importlib"], name, name)
    function = ast.parse(text, mode="eval")
    for part in ast.walk(function):
        ast.copy_location(part, at)
    return function.body


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(func=_dynamic(name, argument), args=[argument], keywords=[]), argument)
