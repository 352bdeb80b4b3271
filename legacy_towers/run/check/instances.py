"""Objects of TensorFlow's classes in local names: `saver = tf.train.Saver()`, then `saver.no_such`.

An attribute is missing only where it is certain: the name is bound once in its file, and used by its attributes alone;
and neither the class nor the modules of its bases, whose source is read, mention the attribute.
"""
import ast
import functools
import inspect
import re
import sys
from typing import Any, Dict, FrozenSet, Set

from legacy_towers.run.check.findings import ROOT

# After the name of a class: an object of it.
CALLED = "()"
# Packages of Python whose classes have no attributes of their own in objects.
_STANDARD = ("abc", "collections", "typing")


def names_of_objects(module: ast.Module) -> FrozenSet[str]:
    """Returns the names that are bound once in a file, to a call of a name of TensorFlow's modules.

    All else that the file does with them is to read attributes that it sets nowhere.
    """
    modules = _modules(module)
    bound: Dict[str, int] = {}
    of_calls: Set[str] = set()
    bare: Set[str] = set()
    stored = {each.attr for each in ast.walk(module) if isinstance(each, ast.Attribute)
              and not isinstance(each.ctx, ast.Load)}
    owners = [each for each in ast.walk(module) if isinstance(each, ast.Attribute)]
    of_attributes = {id(each.value) for each in owners if each.attr not in stored}
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if id(node) not in of_attributes:
                bare.add(node.id)
        elif isinstance(node, ast.Name):
            bound[node.id] = bound.get(node.id, 0) + 1
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bare.update(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            bare.add(node.name or "")
        elif isinstance(node, ast.arg):
            bare.add(node.arg)
        elif isinstance(node, ast.alias):
            bare.add((node.asname or node.name).split(".")[0])
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.Call) and _root(node.value.func) in modules:
                of_calls.add(node.targets[0].id)
    return frozenset(name for name in of_calls if bound[name] == 1 and name not in bare)


def _root(node: ast.AST) -> str:
    """Returns "tf" for tf.train.Saver; "" for a name without attributes, and for any other expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Name):
            return node.id
    return ""


def _modules(module: ast.Module) -> Set[str]:
    """Returns the names that only import statements of TensorFlow bind."""
    found: Dict[str, bool] = {}
    for node in ast.walk(module):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for each in node.names:
                name = each.name if isinstance(node, ast.Import) else node.module or ""
                bound = (each.asname or each.name).split(".")[0]
                is_tensorflow = name.split(".")[0] == ROOT and not getattr(node, "level", 0)
                found[bound] = is_tensorflow and found.get(bound, True)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = False
    return {name for name, is_tensorflow in found.items() if is_tensorflow}


@functools.lru_cache(maxsize=None)
def lacks(cls: Any, attribute: str) -> bool:
    """Returns whether it is certain that an object that `cls()` makes has no such attribute."""
    if not inspect.isclass(cls) or attribute.startswith("_") or hasattr(cls, attribute):
        return False
    # A class may make objects of another one.
    if type(cls).__call__ is not type.__call__ or cls.__new__ is not object.__new__:
        return False
    own = [each for each in cls.__mro__ if each is not object and each.__module__.split(".")[0] not in _STANDARD]
    sources = [_source(each) for each in sorted({each.__module__ for each in own})]
    return all(sources) and not any(re.search(r"\b{}\b".format(re.escape(attribute)), each) for each in sources)


@functools.lru_cache(maxsize=None)
def _source(module: str) -> str:
    """Returns the source of a module; "" if it has none, as one of C++, or may set attributes by their names."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return ""
    return "" if re.search(r"\bsetattr\(|__dict__|__getattr__|__getattribute__", source) else source
