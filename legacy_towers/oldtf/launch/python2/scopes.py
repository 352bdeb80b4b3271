"""What a module binds, and what of it is ready for both Pythons."""
import ast
import importlib.machinery
import importlib.util
import sys
from typing import Any, Dict, List, Optional, Set

from legacy_towers.oldtf.launch.python2 import names
from legacy_towers.oldtf.launch.python2.nodes import dotted

_VERSION_WORDS = ("version_info", "version", "PY2", "PY3", "python_version", "hexversion")
_MISSING = {"ImportError", "ModuleNotFoundError", "NameError", "AttributeError"}
_EVERYTHING = {None, "Exception", "BaseException"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def bound_below(tree: ast.AST) -> Set[str]:
    """Returns the names that are bound in `tree` or below: as a variable, function, class, argument or import."""
    return {name for node in ast.walk(tree) if node is not tree for name in _bound_by(node)}


def bound_at_module_level(tree: ast.Module) -> Set[str]:
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
    """Returns dotted name -> module for the modules that the names table speaks of: {"string": "string"}."""
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


def goes_on(node: Any) -> bool:
    """Returns whether a `try` is there for names or modules that may be missing."""
    caught: Set[Optional[str]] = set()
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        caught.update(dotted(kind) if kind is not None else None for kind in kinds)
    if caught & _MISSING:
        return True
    # What catches everything is often around a whole training loop.
    few = all(isinstance(part, (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)) for part in node.body)
    return bool(caught & _EVERYTHING) and few and len(node.body) <= 3


def is_there(module: str) -> bool:
    """Returns whether `module` can be imported, without doing so."""
    top = module.split(".")[0]
    if top != module:
        return module in sys.modules or (is_there(top) and importlib.util.find_spec(module) is not None)
    if top in sys.modules or top in sys.builtin_module_names:
        return True
    return importlib.machinery.PathFinder.find_spec(top) is not None


def asks_for_the_version(test: ast.expr) -> bool:
    """Returns whether the condition of an `if` is about the version of Python."""
    return any(
        (isinstance(part, ast.Name) and part.id in _VERSION_WORDS)
        or (isinstance(part, ast.Attribute) and part.attr in _VERSION_WORDS)
        for part in ast.walk(test)
    )
