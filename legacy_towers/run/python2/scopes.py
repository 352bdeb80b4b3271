"""The names that a file binds, and the statements in it that support both Python 2 and 3."""
import ast
import importlib.machinery
import importlib.util
import sys
from typing import Any, Dict, List, Optional, Set

from legacy_towers.run.python2 import names
from legacy_towers.run.python2.nodes import dotted

_VERSION_NAMES = ("version_info", "version", "PY2", "PY3", "python_version", "hexversion")
_MISSING = {"ImportError", "ModuleNotFoundError", "NameError", "AttributeError"}
_ALL_ERRORS = {None, "Exception", "BaseException"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def bound_below(tree: ast.AST) -> Set[str]:
    """Returns the names that are bound in `tree` or below: as a variable, function, class, argument or import."""
    return {name for node in ast.walk(tree) if node is not tree for name in _bound_by(node)}


def bound_at_module_level(tree: ast.Module) -> Set[str]:
    """Returns the names that the file binds at module level, by `global` in functions too."""
    found: Set[str] = set()
    waiting: List[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        found.update(_bound_by(node))
        if isinstance(node, _SCOPES):
            found.update(name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names)
        else:
            waiting += ast.iter_child_nodes(node)
    return found


def _bound_by(node: ast.AST) -> List[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [node.name]
    return []


def module_aliases(tree: ast.Module) -> Dict[str, str]:
    """Returns dotted name -> module for the imported modules of `names.ATTRIBUTES`: {"string": "string"}."""
    known = {module for module, _ in list(names.ATTRIBUTES) + list(names.CHANGED_ATTRIBUTES)}
    found: Dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                bound, module = (alias.asname, alias.name) if alias.asname else (top, top)
                for name in known:
                    if name == module or name.startswith(module + "."):
                        found[bound + name[len(module) :]] = name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                module = "{}.{}".format(node.module, alias.name)
                if module in known:
                    found[alias.asname or alias.name] = module
    return found


def handles_missing_names(node: Any) -> bool:
    """Returns whether the `try` statement handles missing names or modules."""
    caught: Set[Optional[str]] = set()
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        caught.update(dotted(kind) if kind is not None else None for kind in kinds)
    if caught & _MISSING:
        return True
    # Many scripts have a whole training loop in a `try` that catches all errors: only short bodies count.
    is_simple = all(isinstance(part, (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)) for part in node.body)
    return bool(caught & _ALL_ERRORS) and is_simple and len(node.body) <= 3


def is_importable(module: str) -> bool:
    """Returns whether `module` can be imported, without importing it."""
    top = module.split(".")[0]
    if top != module:
        return module in sys.modules or (is_importable(top) and importlib.util.find_spec(module) is not None)
    if top in sys.modules or top in sys.builtin_module_names:
        return True
    return importlib.machinery.PathFinder.find_spec(top) is not None


def checks_python_version(test: ast.expr) -> bool:
    """Returns whether the condition of an `if` depends on the version of Python."""
    return any(
        (isinstance(part, ast.Name) and part.id in _VERSION_NAMES)
        or (isinstance(part, ast.Attribute) and part.attr in _VERSION_NAMES)
        for part in ast.walk(test)
    )
