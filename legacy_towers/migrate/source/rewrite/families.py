"""Classes of a project that may be those of one object: a class, what it is derived from, and what is derived from it.

`self.image` in a method of another class is an attribute of another object.
"""
import ast
from typing import Any, Dict, Iterable, List, Optional, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source

Families = Dict[str, Set[str]]


def families_of(trees: Iterable[Optional[ast.AST]]) -> Families:
    """Returns the name of each class -> the names of all classes that its bases and derived classes join it with.

    Args:
      trees: the syntax trees of a project's files.
    """
    bases: Dict[str, Set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef):
                names = [getattr(each, "attr", getattr(each, "id", "")) for each in node.bases]
                bases.setdefault(node.name, set()).update(names)
    found: Families = {}
    for name in sorted(bases):
        joined = {name} | {each for each in bases[name] if each in bases}
        for each in list(joined):
            joined |= found.get(each, set())
        for each in joined:
            found[each] = joined
    return found


def is_of_another(
    families: Families, source: Source, node: cst.Attribute, owner: Optional[cst.ClassDef],
    home: Optional[Source] = None,
) -> bool:
    """Returns whether an attribute is of an object that is not one of a class.

    This is known of `self.name` in a method of another class, and of `record.name` after `record = Record()`.

    Args:
      families: what `families_of` returns.
      source: the file of the attribute.
      node: the attribute.
      owner: the other class.
      home: the file of the other class, None if it is the same one.
    """
    if owner is None or not isinstance(node.value, cst.Name):
        return False
    here = class_around(source, node)
    if node.value.value == "self":
        if here is not None and home is not None and home is not source and _are_copies(here, owner):
            return True
        return here is not None and here.name.value not in families.get(owner.name.value, {here.name.value})
    made = Scope(source, source.function(node)).resolved(node.value)
    name = made.func.value if isinstance(made, cst.Call) and isinstance(made.func, cst.Name) else ""
    return name in families and name not in families.get(owner.name.value, {name})


def _are_copies(one: cst.ClassDef, other: cst.ClassDef) -> bool:
    """Returns whether two classes of different files have one name, and neither is derived from one of this name."""
    bases = [each.value for node in (one, other) for each in node.bases]
    return one.name.value == other.name.value and not any(
        dotted(each).rpartition(".")[2] == one.name.value for each in bases)


def class_around(source: Source, node: Any) -> Optional[cst.ClassDef]:
    """Returns the class whose method the code of a node is in; None where it is in none, or in a class in a method."""
    above: List[Any] = [
        each for each in [node] + source.above(node) if isinstance(each, (cst.FunctionDef, cst.ClassDef))
    ]
    classes = [each for each in above if isinstance(each, cst.ClassDef)]
    return classes[0] if len(classes) == 1 and above[-1] is classes[0] else None
