"""Evaluates the calls of one file: of TensorFlow, of the project's functions and classes, and of all others."""
import ast
from typing import Any, Dict, List, NamedTuple, Set

from legacy_towers.migrate.source.expressions import ExpressionReader
from legacy_towers.migrate.source.queue_api import TRACKED
from legacy_towers.migrate.source.values import NOTHING, Class, Function, Value, Values, in_order, union

# Methods that put their arguments into the object.
_ADDING = ("add", "append", "extend", "insert", "put", "setdefault", "update")
# What gives the content of its arguments.
_SAME_CONTENT = ("dict", "enumerate", "items", "iter", "list", "next", "reversed", "sorted", "tuple", "values", "zip")
# What runs an enqueue operation: sess.run(enqueue, feed_dict=...).
_RUNS = ("run", "partial_run")


class Given(NamedTuple):
    """What a call passes.

    Attributes:
      positional: what is passed by position.
      named: what is passed by name.
      rest: what is passed by *arguments and **keywords.
    """

    positional: List[Values]
    named: Dict[str, Values]
    rest: Values

    def all(self) -> Values:
        return union(self.positional + list(self.named.values()) + [self.rest])


class CallReader(ExpressionReader):
    """Evaluates calls: records those of queues, and passes values to the project's functions."""

    def call(self, node: ast.Call) -> Values:
        """Evaluates a call and returns what it may give."""
        receiver = NOTHING
        if isinstance(node.func, ast.Attribute):
            receiver = self.values(node.func.value)
            called = self.attribute(node.func, receiver, node.func.attr)
        else:
            called = self.values(node.func)
        given = self._given(node)
        found: Set[Value] = set()
        is_known = False
        for each in in_order(self.knowledge.resolved(called)):
            if each.kind in ("api", "function", "class", "method"):
                is_known = True
                found |= self._called(node, each, given)
        if not is_known:
            found |= self._unknown(node, receiver, given)
        return self.knowledge.bounded(frozenset(found), self.path)

    def _given(self, node: ast.Call) -> Given:
        given = Given([], {}, NOTHING)
        rest: List[Values] = []
        for part in node.args:
            values = self.values(part)
            if isinstance(part, ast.Starred) or rest:
                rest.append(values)
            else:
                given.positional.append(values)
        for keyword in node.keywords:
            values = self.values(keyword.value)
            if keyword.arg is None:
                rest.append(values)
            else:
                given.named[keyword.arg] = values
        return given._replace(rest=union(rest))

    def _called(self, node: ast.Call, called: Value, given: Given) -> Values:
        if called.kind == "api":
            return self._api(node, called.what, given)
        if called.kind == "method":
            return self._tracked(node, called.name, given, frozenset([Value("made", called.what)]))
        if called.kind == "class":
            return self._instance(node, called.what, given)
        self.knowledge.add_call(called.what, self.path, node)
        return self._own(called.what, given)

    def _api(self, node: ast.Call, name: str, given: Given) -> Values:
        names = self.knowledge.api_names.setdefault((self.path, node.lineno, node.col_offset), set())
        names.add(name)
        if name in TRACKED:
            return self._tracked(node, name, given, NOTHING)
        if name.startswith("tf.QueueBase.") or name.startswith("tf.ReaderBase."):
            return self._tracked(node, name, given, NOTHING)
        return self.knowledge.flowing(given.all()) | self._passed_functions(given)

    def _tracked(self, node: ast.AST, name: str, given: Given, receiver: Values) -> Values:
        site = self.knowledge.site(self.path, name, node, self.where())
        arguments: Dict[Any, Values] = dict(enumerate(given.positional))
        arguments.update(given.named)
        if given.rest:
            arguments["*"] = given.rest
        if receiver:
            arguments["self"] = receiver
        passed = self._passed_functions(given)
        if passed:
            arguments["()"] = passed
        self.knowledge.add_arguments(site, arguments)
        return frozenset([Value("made", site)])

    def _instance(self, node: ast.Call, class_: Class, given: Given) -> Values:
        found = {Value("instance", class_)}
        for each in in_order(self.knowledge.methods(class_, "__init__")):
            if each.kind == "function":
                self.knowledge.add(each.what, "self", frozenset([Value("instance", class_)]))
                self.knowledge.add_construction(each.what, self.path, node)
                self._own(each.what, given)
        for base in self.knowledge.api_bases(class_):
            if base in TRACKED:
                found |= self._tracked(node, base, given, NOTHING)
        return frozenset(found)

    def _own(self, function: Function, given: Given) -> Values:
        """Passes arguments to a function of the project, and returns what it returns for them."""
        bound = self._bound(function, given)
        for name, values in bound.items():
            self.knowledge.add(function, name, values)
        self.knowledge.add_caller(function, self.path, self.where())
        found: Set[Value] = set()
        for each in self.knowledge.get(function, "return"):
            if each.kind == "parameter" and each.what is function:
                found |= bound.get(each.name) or self.knowledge.get((function, "defaults"), each.name)
            else:
                found.add(each)
        return frozenset(found)

    def _bound(self, function: Function, given: Given) -> Dict[str, Values]:
        arguments = function.node.args
        names = function.parameters()
        bound: Dict[str, Values] = {}
        more = list(given.positional[len(names) :])
        for name, values in zip(names, given.positional):
            bound[name] = values
        known = set(names) | {each.arg for each in arguments.kwonlyargs}
        others = []
        for name, values in given.named.items():
            if name in known:
                bound[name] = values
            else:
                others.append(values)
        if given.rest:
            for name in known - set(bound):
                bound[name] = given.rest
        if arguments.vararg is not None:
            bound[arguments.vararg.arg] = union(more + [given.rest])
        if arguments.kwarg is not None:
            bound[arguments.kwarg.arg] = union(others + [given.rest])
        return bound

    def _passed_functions(self, given: Given) -> Values:
        """Calls the functions among the arguments with what the other arguments depend on: tf.map_fn(decode, x)."""
        passed = in_order(self.knowledge.resolved(given.all()))
        functions = [each.what for each in passed if each.kind == "function"]
        if not functions:
            return NOTHING
        others = self.knowledge.flowing(given.all())
        return union([
            self.knowledge.flowing(self._own(function, Given([others for _ in function.parameters()], {}, NOTHING)))
            for function in functions
        ])

    def _unknown(self, node: ast.Call, receiver: Values, given: Given) -> Values:
        name = str(getattr(node.func, "attr", getattr(node.func, "id", "")))
        if name == "partial" and given.positional:
            return self._partial(given)
        if "target" in given.named:
            return self._thread(node, given)
        if name in _RUNS:
            self._run(node, given)
        everything = given.all()
        if name in _ADDING and isinstance(node.func, ast.Attribute):
            self.add_content(node.func.value, everything)
        if name in _SAME_CONTENT:
            return everything | receiver
        if name == "super":
            return self._base_objects()
        return self.knowledge.flowing(everything) | self.knowledge.flowing(receiver) | self._passed_functions(given)

    def _base_objects(self) -> Values:
        owner = self.function.owner if self.function is not None else None
        bases = owner.bases if owner is not None else NOTHING
        return frozenset(Value("instance", each.what) for each in bases if each.kind == "class")

    def _partial(self, given: Given) -> Values:
        """functools.partial(function, arguments): the function, which gets the arguments."""
        rest = given._replace(positional=given.positional[1:])
        for each in in_order(self.knowledge.resolved(given.positional[0])):
            if each.kind == "function":
                self._own(each.what, rest)
        return given.positional[0]

    def _thread(self, node: ast.Call, given: Given) -> Values:
        """threading.Thread(target=function, args=(a, b)): the function is called with the arguments."""
        passed: List[Values] = []
        for keyword in node.keywords:
            if keyword.arg == "args" and isinstance(keyword.value, (ast.Tuple, ast.List)):
                passed = [self.values(part) for part in keyword.value.elts]
        for each in in_order(self.knowledge.resolved(given.named["target"])):
            if each.kind == "function":
                self._own(each.what, Given(passed, {}, NOTHING))
        return NOTHING

    def _run(self, node: ast.Call, given: Given) -> None:
        """Records `session.run(enqueue, feed_dict=...)`: a queue that Python code fills."""
        fetched = given.positional[0] if given.positional else given.named.get("fetches", NOTHING)
        for each in in_order(self.knowledge.resolved(fetched)):
            if each.kind == "made" and each.what.name.startswith("tf.QueueBase.enqueue"):
                site = self.knowledge.site(self.path, "tf.Session.run", node, self.where())
                self.knowledge.add_arguments(site, {0: fetched})
