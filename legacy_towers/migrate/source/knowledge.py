"""What is known of a project while its files are read; it only grows, until another reading adds nothing."""
import ast
from typing import Any, Dict, Hashable, List, Set, Tuple

from legacy_towers.migrate.source.values import (
    NOTHING,
    Class,
    Function,
    Scope,
    Site,
    Value,
    Values,
    sort_key,
    union,
)

# The most values that are kept for one expression, variable, parameter or attribute, and the most parameters that one
# is followed through: where functions are called through tables of functions, each call may be of all of them.
MOST_VALUES = 64
MOST_PARAMETERS = 256


class Knowledge:
    """What names are bound to, what functions take and return, and which calls of queues there are.

    Attributes:
      scopes: path -> what the module binds at its top level.
      sites: the calls of queues, in the order in which they were found.
      api_names: (path, line, column from 0 of a call) -> the names of TensorFlow's API that it may call.
      calls: path -> {(line, column from 0 of a call): the project's functions that it may call}.
      grew: whether something was added since it was last set to False.
      limited: the files in which an expression may be more than MOST_VALUES things: some calls may not be connected.
    """

    def __init__(self) -> None:
        self.scopes: Dict[str, Scope] = {}
        self.sites: Dict[Tuple[str, int, int, str], Site] = {}
        self.api_names: Dict[Tuple[str, int, int], Set[str]] = {}
        self.calls: Dict[str, Dict[Tuple[int, int], Set[Function]]] = {}
        self.grew = False
        self.limited: Set[str] = set()
        self._resolved: Dict[Value, Values] = {}
        self._functions: Dict[int, Function] = {}
        self._classes: Dict[int, Class] = {}
        self._tables: Dict[Tuple[Hashable, str], Values] = {}
        self._callers: Dict[Function, Set[Tuple[str, str]]] = {}

    def function(self, path: str, node: Any, name: str, scopes: List[Scope], owner: Any) -> Function:
        """Returns the function that `node` defines; it is the same at each reading."""
        if id(node) not in self._functions:
            self._functions[id(node)] = Function(path, node, name, scopes, owner)
        self._functions[id(node)].scopes = scopes
        return self._functions[id(node)]

    def class_(self, path: str, node: ast.ClassDef, name: str) -> Class:
        """Returns the class that `node` defines; it is the same at each reading."""
        if id(node) not in self._classes:
            self._classes[id(node)] = Class(path, name)
        return self._classes[id(node)]

    def site(self, path: str, name: str, node: ast.AST, function: str) -> Site:
        """Returns the call `node` of the function `name`, which is in `function`."""
        key = (path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0), name)
        if key not in self.sites:
            self.sites[key] = Site(path, name, node, function)
            self.grew = True
        return self.sites[key]

    def add_arguments(self, site: Site, arguments: Dict[Any, Values]) -> None:
        for key, values in arguments.items():
            before = site.arguments.get(key, NOTHING)
            after = self.bounded(before | values, site.path, before)
            if key not in site.arguments or after != before:
                site.arguments[key] = after
                self.grew = True

    def add(self, owner: Hashable, name: str, values: Values) -> None:
        """Adds `values` to what `name` of a function (a parameter) or class (an attribute) may be."""
        before = self._tables.get((owner, name), NOTHING)
        if values <= before:
            return
        path = getattr(owner[0] if isinstance(owner, tuple) else owner, "path", "")
        after = self.bounded(before | values, path, before)
        if after != before:
            self._tables[(owner, name)] = after
            self.grew = True

    def bounded(self, values: Values, path: str, before: Values = NOTHING) -> Values:
        """Returns at most MOST_VALUES of `values`, those in `before` first, and notes the file if some are left out."""
        if len(values) <= MOST_VALUES:
            return values
        self.limited.add(path)
        if len(before) >= MOST_VALUES:
            return before
        return before | frozenset(sorted(values - before, key=sort_key)[: MOST_VALUES - len(before)])

    def get(self, owner: Hashable, name: str) -> Values:
        """Returns what `name` of a function or class may be."""
        return self._tables.get((owner, name), NOTHING)

    def add_caller(self, function: Function, path: str, caller: str) -> None:
        """Records that the function `caller` in the file `path` calls `function`."""
        callers = self._callers.setdefault(function, set())
        if (path, caller) not in callers:
            callers.add((path, caller))
            self.grew = True

    def add_call(self, function: Function, path: str, node: ast.Call) -> None:
        """Records that the call `node` in the file `path` may be of `function`."""
        self.calls.setdefault(path, {}).setdefault((node.lineno, node.col_offset), set()).add(function)

    def callers(self) -> Dict[Tuple[str, str], Set[Tuple[str, str]]]:
        """Returns (path, name of a function) -> (path, name) of the functions that call it; "" is a module's code."""
        return {(function.path, function.name): set(each) for function, each in self._callers.items()}

    def resolved(self, values: Values) -> Values:
        """Replaces parameters by what all callers pass for them, as known when `forget_resolved` was last called."""
        parameters = [each for each in values if each.kind == "parameter"]
        if not parameters:
            return values
        others = frozenset(each for each in values if each.kind != "parameter")
        return union([others] + [self._passed(each) for each in parameters])

    def forget_resolved(self) -> None:
        """Lets `resolved` use what has been added since."""
        self._resolved.clear()

    def _passed(self, parameter: Value) -> Values:
        if parameter in self._resolved:
            return self._resolved[parameter]
        found: Values = NOTHING
        seen = {parameter}
        level = {parameter}
        while level:
            below = frozenset().union(*(self._resolved.get(each) or self.get(each.what, each.name) for each in level))
            level = {each for each in below if each.kind == "parameter"}
            found |= below - level
            level -= seen
            if len(seen) + len(level) > MOST_PARAMETERS:
                self.limited.add(parameter.what.path)
                level = set(sorted(level, key=sort_key)[: MOST_PARAMETERS - len(seen)])
            seen |= level
        self._resolved[parameter] = self.bounded(found, parameter.what.path)
        return self._resolved[parameter]

    def methods(self, class_: Class, name: str) -> Values:
        """Returns what the attribute `name` of the objects of `class_` may be, base classes included."""
        found = [class_.scope.get(name, NOTHING), self.get(class_, name)]
        seen = {class_}
        waiting = list(class_.bases)
        while waiting:
            base = waiting.pop()
            if base.kind == "class" and base.what not in seen:
                seen.add(base.what)
                found += [base.what.scope.get(name, NOTHING), self.get(base.what, name)]
                waiting += base.what.bases
        return union(found)

    def api_bases(self, class_: Class) -> List[str]:
        """Returns the classes of TensorFlow that `class_` is derived from."""
        found: List[str] = []
        seen = {class_}
        waiting = list(class_.bases)
        while waiting:
            base = waiting.pop()
            if base.kind == "api":
                found.append(base.what)
            elif base.kind == "class" and base.what not in seen:
                seen.add(base.what)
                waiting += base.what.bases
        return found
