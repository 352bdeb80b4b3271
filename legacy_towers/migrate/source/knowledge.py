"""What is known of a project while its files are read; it only grows, until another reading adds nothing."""
import ast
from typing import AbstractSet, Any, Dict, Hashable, List, Set, Tuple

from legacy_towers.migrate.source.queue_api import NO_EXAMPLES
from legacy_towers.migrate.source.values import (
    EXAMPLES,
    NOTHING,
    Class,
    Function,
    Scope,
    Site,
    Value,
    Values,
    in_order,
    sort_key,
    union,
)

# The most values that are kept for one expression, variable, parameter or attribute, and the most parameters that one
# is followed through: where functions are called through tables of functions, each call may be of all of them.
MOST_VALUES = 24
MOST_PARAMETERS = 96
# (kind of lookup, what it is of, name): "value" of a function or class, "flow" and "passed" of a parameter, "method"
# and "bases" of a class, "name" in the scopes around a function, "module" for a name of a module.
Use = Tuple[str, Any, str]


class Knowledge:
    """What names are bound to, what functions take and return, and which calls of queues there are.

    Args:
      with_queues: the files whose text has names of queues.

    Attributes:
      scopes: path -> what the module binds at its top level.
      sites: the calls of queues, in the order in which they were found.
      api_names: (path, line, column from 0 of a call) -> the names of TensorFlow's API that it may call.
      calls: path -> {(line, column from 0 of a call): the project's functions that it may call}.
      trees: path -> the syntax tree of the file.
      grew: whether something was added since it was last set to False.
      limited: the files in which an expression may be more than MOST_VALUES things: some calls may not be connected.
    """

    def __init__(self, with_queues: AbstractSet[str] = frozenset()) -> None:
        self.with_queues = with_queues
        self.scopes: Dict[str, Scope] = {}
        self.trees: Dict[str, ast.Module] = {}
        # path -> what its names are assigned, where that is asked for.
        self.bindings: Dict[str, Any] = {}
        self.sites: Dict[Tuple[str, int, int, str], Site] = {}
        self.api_names: Dict[Tuple[str, int, int], Set[str]] = {}
        self.calls: Dict[str, Dict[Tuple[int, int], Set[Function]]] = {}
        # The same of calls that make objects: their `__init__`.
        self.constructions: Dict[str, Dict[Tuple[int, int], Set[Function]]] = {}
        self.grew = False
        self.limited: Set[str] = set()
        # What is looked up while a function is read: it need not be read again while all of that stays.
        self.uses: Dict[Use, Any] = {}
        self._resolved: Dict[Value, Values] = {}
        self._functions: Dict[int, Function] = {}
        self._classes: Dict[int, Class] = {}
        self._tables: Dict[Tuple[Hashable, str], Values] = {}
        self._callers: Dict[Function, Set[Tuple[str, str]]] = {}
        # (function, parameter) that examples may be passed for, and what each other parameter is passed on as.
        self._live: Set[Tuple[Function, str]] = set()
        self._passed_on: Dict[Tuple[Function, str], List[Tuple[Function, str]]] = {}

    def function(self, path: str, node: Any, name: str, scopes: List[Scope], owner: Any) -> Function:
        """Returns the function that `node` defines; it is the same at each reading."""
        if id(node) not in self._functions:
            self._functions[id(node)] = Function(path, node, name, scopes, owner)
        function = self._functions[id(node)]
        if len(function.scopes) != len(scopes) or any(a is not b for a, b in zip(function.scopes, scopes)):
            function.reading = None
        function.scopes = scopes
        return function

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
            if isinstance(owner, Function) and (owner, name) not in self._live:
                self._add_flow((owner, name), after - before)

    def flowing(self, values: Values) -> Values:
        """Returns those of `values` that a computation with them depends on, as far as examples may be among them."""
        if not values:
            return values
        found = []
        for each in values:
            if each.kind in EXAMPLES:
                found.append(each)
            elif each.kind == "parameter":
                is_live = (each.what, each.name) in self._live
                self.uses[("flow", each.what, each.name)] = is_live
                if is_live:
                    found.append(each)
        return values if len(found) == len(values) else frozenset(found)

    def _add_flow(self, parameter: Tuple[Function, str], values: Values) -> None:
        """Records that a parameter gets `values`, and which parameters may hold examples then."""
        for each in values:
            if each.kind == "parameter":
                self._passed_on.setdefault((each.what, each.name), []).append(parameter)
        if not any(self._makes_live(each, parameter[0].path) for each in values):
            return
        waiting = [parameter]
        while waiting:
            current = waiting.pop()
            if current not in self._live:
                self._live.add(current)
                waiting += self._passed_on.get(current, ())

    def _makes_live(self, value: Value, path: str) -> bool:
        """Returns whether a parameter of a function in the file `path` may hold examples with `value`."""
        if value.kind == "made" and value.what.name in NO_EXAMPLES:
            # What is fed flows through all of a model; it matters where queues are made.
            return path in self.with_queues
        return value.kind in EXAMPLES or value.kind == "parameter" and value[1:] in self._live

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
        found = self._tables.get((owner, name), NOTHING)
        self.uses[("value", owner, name)] = found
        return found

    def add_caller(self, function: Function, path: str, caller: str) -> None:
        """Records that the function `caller` in the file `path` calls `function`."""
        callers = self._callers.setdefault(function, set())
        if (path, caller) not in callers:
            callers.add((path, caller))
            self.grew = True

    def add_call(self, function: Function, path: str, node: ast.Call) -> None:
        """Records that the call `node` in the file `path` may be of `function`."""
        self.calls.setdefault(path, {}).setdefault((node.lineno, node.col_offset), set()).add(function)

    def add_construction(self, function: Function, path: str, node: ast.Call) -> None:
        """Records that the call `node` in the file `path` makes an object by the method `function`."""
        self.constructions.setdefault(path, {}).setdefault((node.lineno, node.col_offset), set()).add(function)

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
        found = self._resolved.get(parameter)
        if found is None:
            found = self._resolved[parameter] = self._found_passed(parameter)
        self.uses[("passed", parameter, "")] = found
        return found

    def _found_passed(self, parameter: Value) -> Values:
        found: Values = NOTHING
        seen = {parameter}
        level = {parameter}
        while level:
            below = union(self._resolved.get(each) or self._tables.get(each[1:], NOTHING) for each in level)
            level = {each for each in below if each.kind == "parameter"}
            found |= below - level
            level -= seen
            if len(seen) + len(level) > MOST_PARAMETERS:
                self.limited.add(parameter.what.path)
                level = set(sorted(level, key=sort_key)[: MOST_PARAMETERS - len(seen)])
            seen |= level
        return self.bounded(found, parameter.what.path)

    def methods(self, class_: Class, name: str) -> Values:
        """Returns what the attribute `name` of the objects of `class_` may be, base classes included."""
        found = self._found_methods(class_, name)
        self.uses[("method", class_, name)] = found
        return found

    def _found_methods(self, class_: Class, name: str) -> Values:
        found = []
        seen = {class_}
        # (class, whether a class derived from it has the name itself: then Python looks no further)
        waiting = [(class_, False)]
        while waiting:
            each, is_overridden = waiting.pop()
            own = each.scope.get(name, NOTHING)
            # What methods assign to `self.name`, in whichever class.
            found.append(self._tables.get((each, name), NOTHING))
            if own and not is_overridden:
                found.append(own)
            for base in in_order(each.bases):
                if base.kind == "class" and base.what not in seen:
                    seen.add(base.what)
                    waiting.append((base.what, is_overridden or bool(own)))
        return union(found)

    def api_bases(self, class_: Class) -> List[str]:
        """Returns the classes of TensorFlow that `class_` is derived from."""
        found = self._found_bases(class_)
        self.uses[("bases", class_, "")] = found
        return found

    def is_as_used(self, uses: Dict[Use, Any]) -> bool:
        """Returns whether all that was looked up while a function was read is as it was then."""
        for (kind, what, name), found in uses.items():
            if kind == "value":
                now: Any = self._tables.get((what, name), NOTHING)
            elif kind == "flow":
                now = (what, name) in self._live
            elif kind == "passed":
                now = self._passed(what)
            elif kind == "method":
                now = self._found_methods(what, name)
            elif kind == "name":
                continue
            elif kind == "module":
                now = self.scopes.get(what, {}).get(name, NOTHING)
            else:
                now = self._found_bases(what)
            if now is not found and now != found:
                return False
        return True

    def _found_bases(self, class_: Class) -> List[str]:
        found: List[str] = []
        seen = {class_}
        waiting = list(in_order(class_.bases))
        while waiting:
            base = waiting.pop()
            if base.kind == "api":
                found.append(base.what)
            elif base.kind == "class" and base.what not in seen:
                seen.add(base.what)
                waiting += in_order(base.what.bases)
        return found
