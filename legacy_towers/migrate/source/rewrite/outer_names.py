"""What the functions that compute an example read of the code around them: `size` and `self.size` in

    size = tf.placeholder_with_default(8, [])            self.size = tf.Variable(8)

    def parse(record):                                   def parse(self, record):
        return tf.decode_raw(record, tf.uint8)[:size]        return tf.decode_raw(record, tf.uint8)[:self.size]
"""
import ast
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.migrate.source.knowledge import Knowledge
from legacy_towers.migrate.source.values import Class, Function

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# The functions that code is in, the outermost first.
Chain = Tuple[Any, ...]
# Returns why a function can't use what a call of one of these names of the API gives; None if it can.
WhyNot = Callable[[Set[str]], Optional[str]]


class Bindings(NamedTuple):
    """What the names of a file are assigned.

    Attributes:
      values: name -> what it is assigned, each with the functions that the assignment is in; none for a global name.
      chains: function -> the functions that it is in.
    """

    values: Dict[str, List[Tuple[ast.expr, Chain]]]
    chains: Dict[Any, Chain]


def problem_of_outer(knowledge: Knowledge, function: Function, why_not: WhyNot) -> Optional[str]:
    """Returns why a function of Dataset.map can't use a name or attribute that `function` reads; None if it can.

    Args:
      knowledge: what is known of the project.
      function: a function that computes an example, or that is called by one.
      why_not: judges the calls in what these names are assigned.
    """
    tree = knowledge.trees.get(function.path)
    if tree is None or isinstance(function.node, ast.Module):
        return None
    bindings = _bindings(knowledge, function.path)
    around = bindings.chains.get(function.node, ())
    read, attributes = _read(function.node)
    seen: Set[str] = set()
    waiting = sorted(read)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for value, place in bindings.values.get(name, ()):
            if place != around[: len(place)]:
                continue
            why = _why(knowledge, function.path, value, why_not)
            if why is not None:
                return "{}:{}: it computes examples with {!r}, which {}".format(
                    function.path, value.lineno, name, why)
            waiting += sorted(_loaded(value))
    for owner in _with_bases(function.owner):
        for attribute, value in _kept(knowledge.trees.get(owner.path), owner):
            why = _why(knowledge, owner.path, value, why_not) if attribute in attributes else None
            if why is not None:
                return "{}:{}: it computes examples with 'self.{}', which {}".format(
                    owner.path, value.lineno, attribute, why)
    return None


def _why(knowledge: Knowledge, path: str, value: ast.AST, why_not: WhyNot) -> Optional[str]:
    for node in _walk(value):
        names = knowledge.api_names.get((path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
        why = why_not(names) if names and isinstance(node, ast.Call) else None
        if why is not None:
            return why
    return None


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of an expression that are computed where it stands: not those of a lambda."""
    waiting = [node]
    while waiting:
        current = waiting.pop(0)
        if not isinstance(current, ast.Lambda):
            yield current
            waiting += list(ast.iter_child_nodes(current))


def _loaded(value: ast.AST) -> Set[str]:
    return {node.id for node in _walk(value) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _read(function: Any) -> Tuple[Set[str], Set[str]]:
    """Returns the names that a function reads and does not bind, and the attributes of its object that it reads."""
    bound: Set[str] = set()
    read: Set[str] = set()
    attributes: Set[str] = set()
    outer: Set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer |= set(node.names)
        elif isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
            attributes.add(node.attr)
        elif isinstance(node, _FUNCTIONS) and node is not function:
            bound.add(node.name)
    return read - (bound - outer), attributes


def _bindings(knowledge: Knowledge, path: str) -> Bindings:
    """Returns what the names of a file are assigned, by its syntax tree, which is gone through once."""
    if path not in knowledge.bindings:
        found = Bindings({}, {})
        for node in ast.iter_child_nodes(knowledge.trees[path]):
            _add_bindings(node, (), frozenset(), False, found)
        knowledge.bindings[path] = found
    return knowledge.bindings[path]


def _add_bindings(node: Any, around: Chain, outer: FrozenSet[str], in_class: bool, found: Bindings) -> None:
    if isinstance(node, _FUNCTIONS):
        found.chains[node] = around
        around, in_class = around + (node,), False
        outer = frozenset(name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names)
    elif isinstance(node, ast.ClassDef):
        in_class = True
    elif isinstance(node, ast.expr):
        return
    elif isinstance(node, ast.Assign) and not in_class:
        for each in (one for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)):
            values = found.values.setdefault(each.id, [])
            values.append((node.value, () if each.id in outer else around))
    for child in ast.iter_child_nodes(node):
        _add_bindings(child, around, outer, in_class, found)


def _with_bases(owner: Optional[Class]) -> List[Class]:
    found: List[Class] = []
    waiting = [owner] if owner is not None else []
    while waiting:
        current = waiting.pop(0)
        if current not in found:
            found.append(current)
            waiting += [each.what for each in current.bases if each.kind == "class"]
    return found


def _kept(tree: Optional[ast.AST], owner: Class) -> Iterator[Tuple[str, ast.expr]]:
    """Yields what the methods of a class assign to attributes of their object, with the attributes."""
    name = owner.name.rpartition(".")[2]
    for class_ in ast.walk(tree) if tree is not None else ():
        for node in ast.walk(class_) if isinstance(class_, ast.ClassDef) and class_.name == name else ():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self":
                        yield target.attr, node.value
