"""Rewrites the imports of a syntax tree to the modules that an old script needs.

    import tensorflow as tf                    import TREE as tf
    import tensorflow.contrib.slim as slim     import TREE.contrib.slim as slim
    from tensorflow import flags               from TREE import flags
    import tensorflow.contrib, os              import TREE.contrib as tensorflow
                                               import TREE as tensorflow
                                               import os

where TREE is legacy_towers.compat.tf1.importable.tensorflow.

A module is replaced by its top-level name; relative imports are unchanged. Calls of `__import__` become calls of
`dynamic.import_name`, and code that is compiled at run time is rewritten, too:

    exec(text, names)                          exec(dynamic.code(text), names)
    eval(text, names)                          eval(dynamic.expression(text), names)
    compile(text, path, mode)                  dynamic.compiler(compile)(text, path, mode)

The strings of `mock.patch` and pytest's `monkeypatch.setattr` name the replacing module:

    mock.patch("tensorflow.get_variable")      mock.patch("TREE.get_variable")
"""
import ast
from typing import Any, List, Mapping, Set

from legacy_towers.run.rewriting.rewriter import bound_names

# Functions that replace an object whose dotted name is their first argument, if it is a string.
_PATCHING = ("patch", "patch.dict", "patch.multiple", "patch.object", "monkeypatch.setattr", "monkeypatch.delattr")
# Function that runs a string in the caller's namespace -> the function of `dynamic` that rewrites the string.
_RUNS_CODE = {"exec": "code", "eval": "expression"}


class Imports(ast.NodeTransformer):
    """Rewrites the import statements of a module.

    Args:
      packages: package -> the package to import instead, with its submodules: {"tensorflow": "a.b"} replaces
        `tensorflow.contrib` by `a.b.contrib`.
      modules: module -> the module to import instead, without submodules: {"importlib": "c"} keeps `importlib.util`.
      dynamic: the module with `import_name`, `code`, `expression` and `compiler`.
    """

    def __init__(self, packages: Mapping[str, str], modules: Mapping[str, str], dynamic: str) -> None:
        self._packages = packages
        self._modules = modules
        self._dynamic = dynamic
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
        """Returns (module, the name that it is bound to or None) for each import that replaces `alias`."""
        top = alias.name.split(".")[0]
        replacement = self._replacement(alias.name)
        if alias.asname is not None or "." not in alias.name:
            bound = alias.asname or (alias.name if replacement != alias.name else None)
            return [(replacement, bound)]
        if self._replacement(top) == top and replacement == alias.name:
            return [(alias.name, None)]
        # `import a.b` binds `a`: the first import loads the submodule, the second one binds `a`.
        return [(replacement, top), (self._replacement(top), top)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        if node.level or not node.module:
            return node
        node.module = self._replacement(node.module)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != "__import__" or not isinstance(node.ctx, ast.Load):
            return node
        return self._of_dynamic("import_name", node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if node.args and _is_patching(node.func):
            self._rewrite_target(node.args[0])
        if not isinstance(node.func, ast.Name) or node.func.id in self._own:
            return node
        if node.func.id == "compile":
            node.func = self._call("compiler", node.func)
        elif node.func.id in _RUNS_CODE and node.args and not isinstance(node.args[0], ast.Starred):
            node.args[0] = self._call(_RUNS_CODE[node.func.id], node.args[0])
        return node

    def _rewrite_target(self, node: Any) -> None:
        field = "value" if hasattr(node, "value") else "s"  # "s" in Python 3.7
        value = getattr(node, field, None)
        if isinstance(value, str) and value.split(".")[0] in self._packages:
            setattr(node, field, self._replacement(value))

    def _replacement(self, module: str) -> str:
        """Returns the module that replaces `module`; `module` itself if it is not replaced."""
        if module in self._modules:
            return self._modules[module]
        top, _, below = module.partition(".")
        if top not in self._packages:
            return module
        return self._packages[top] + ("." + below if below else "")

    def _of_dynamic(self, name: str, at: ast.expr) -> ast.expr:
        # __import__(dynamic, None, None, ("import_name",)).import_name, which needs no import statement.
        text = "__import__({!r}, None, None, ({!r},)).{}".format(self._dynamic, name, name)
        function = ast.parse(text, mode="eval")
        for part in ast.walk(function):
            ast.copy_location(part, at)
        return function.body

    def _call(self, name: str, argument: ast.expr) -> ast.expr:
        function = self._of_dynamic(name, argument)
        return ast.copy_location(ast.Call(func=function, args=[argument], keywords=[]), argument)


def _is_patching(function: ast.expr) -> bool:
    """Returns whether `function` is patch, mock.patch or another of `_PATCHING`."""
    names: List[str] = []
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    names.insert(0, getattr(function, "id", ""))
    return names[-1] == "patch" or ".".join(names[-2:]) in _PATCHING
