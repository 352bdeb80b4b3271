"""What can't run in the function of Dataset.map: variables, summaries, collections, tables; and what it can't use."""
import ast
from typing import Any, Callable, List, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.knowledge import Knowledge
from legacy_towers.migrate.source.rewrite import summary_names
from legacy_towers.migrate.source.rewrite.names import base_name, names_of, parameters
from legacy_towers.migrate.source.rewrite.outer_names import problem_of_outer
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Function, place_of

_ADD = "tf.add_to_collection"
# Beginning of a name of the API -> why a call of it can't be in the function of Dataset.map.
_NEVER_INSIDE = tuple(
    (each, "summarizes each example, which Dataset.map can't: summarize the batch") for each in summary_names.STARTS
) + (
    ("tf.Variable", "makes a variable for examples, which Dataset.map can't"),
    ("tf.get_variable", "makes a variable for examples, which Dataset.map can't"),
    ("tf.get_local_variable", "makes a variable for examples, which Dataset.map can't"),
    ("tf.layers.", "makes variables for examples, which Dataset.map can't"),
    ("tf.contrib.layers.", "makes variables for examples, which Dataset.map can't"),
    ("tf.contrib.slim.", "is of slim, and may make variables"),
    ("tf.keras.", "is of Keras, and may make variables"),
    ("tf.placeholder", "is fed, which Dataset.map can't be"),
    (_ADD, "adds to a collection of the graph, which Dataset.map can't"),
    ("tf.assign", "changes a variable for each example"),
    ("tf.scatter_", "changes a variable for each example"),
    ("tf.contrib.lookup.", "makes a table for examples"),
    ("tf.lookup.", "makes a table for examples"),
    ("tf.train.", "can't be in Dataset.map"),
    ("tf.Session", "runs a session"),
)
# They make no variables, whatever the beginning of their names says.
_ALWAYS_INSIDE = ("tf.contrib.layers.one_hot_encoding", "tf.contrib.slim.one_hot_encoding", "tf.scatter_nd")
_RANDOM = (
    "tf.random", "tf.truncated_normal", "tf.multinomial", "tf.image.random_", "tf.image.sample_distorted_bounding_box",
    "tf.nn.dropout", "tf.image.stateless_random_",
)
# Beginning of a name -> why its result can't be used by the function.
_NEVER_CAPTURED = (
    ("tf.placeholder", "is fed"),
    ("tf.Variable", "is a variable"),
    ("tf.get_variable", "is a variable"),
    ("tf.get_local_variable", "is a variable"),
)
# Why examples that are batched can't be fetched one by one, too.
FETCHED = "single examples are fetched beside the batch: a queue divides its examples between both, and a dataset " \
          "would give all of them to each; read the single ones from a dataset of their own"
_DRAWN = "has random numbers that are drawn outside of it"
_TABLES = ("tf.contrib.lookup.", "tf.lookup.")


class Checks:
    """Checks what is moved into the function of Dataset.map.

    Args:
      knowledge: what is known of the project.
      source: the file of the statements.
      removes: removes a statement that adds to a collection, by its path and line; returns whether it did.
      keeps_summaries: whether summaries in the function are kept by one more call of it.

    Attributes:
      summarizes: whether one of the nodes that were checked makes a summary.
    """

    def __init__(
        self, knowledge: Knowledge, source: Source, removes: Callable[[str, int], bool] = lambda path, line: False,
        keeps_summaries: bool = False,
    ) -> None:
        self._knowledge = knowledge
        self._source = source
        self._removes = removes
        self._keeps_summaries = keeps_summaries
        self.summarizes = False

    def names(self, node: Any) -> List[Tuple[str, cst.Call]]:
        """Returns the names of the API that are called in `node`, with the calls."""
        return [
            (name, call) for call in calls_in(node)
            for name in sorted(self._knowledge.api_names.get((self._source.path,) + self._source.key(call), ()))
        ]

    def is_random(self, node: Any) -> bool:
        """Returns whether a statement draws random numbers itself."""
        return any(name.startswith(_RANDOM) for name, _ in self.names(node))

    def is_summary(self, statement: Any) -> bool:
        """Returns whether a statement only makes a summary."""
        call = statement.value if isinstance(statement, cst.Expr) else None
        return any(name in summary_names.SUMMARIES and each is call for name, each in self.names(statement))

    def problem_inside(self, nodes: Sequence[Any], skipped: Sequence[cst.Call] = ()) -> Optional[Tuple[str, int]]:
        """Returns why `nodes` can't be in the function, and the line in this file; None if they can.

        Args:
          nodes: statements.
          skipped: calls in them that do not go there.
        """
        for node in nodes:
            for name, call in self.names(node):
                why = _why_not_inside(name)
                line = self._source.line(call)
                is_removed = name == _ADD and self._removes(self._source.path, line)
                if why is not None and call not in skipped and not is_removed and not self._keeps(name):
                    return "{} {}".format(name, why), line
            for call in calls_in(node):
                if self._is_fetch(call):
                    return FETCHED, self._source.line(call)
                for function in sorted(self.functions(call), key=place_of):
                    why = self._problem_of(function, set())
                    if why is not None:
                        return why, self._source.line(call)
        return None

    def _is_fetch(self, call: cst.Call) -> bool:
        """Returns whether a call is `session.run(image)` or `image.eval()`, and no method of the project."""
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        return (name == "run" and bool(call.args) or name == "eval") and not self.functions(call)

    def functions(self, call: cst.Call) -> Set[Function]:
        """Returns the functions of the project that `call` may be of."""
        return self._knowledge.calls.get(self._source.path, {}).get(self._source.key(call), set())

    def _problem_of(self, function: Function, seen: Set[Function]) -> Optional[str]:
        if function in seen:
            return None
        seen.add(function)
        why = self.problem_of_outer(function)
        if why is not None:
            return why
        node = function.node
        first, last = node.lineno, max(getattr(each, "lineno", 0) for each in ast.walk(node))
        for (path, line, _), names in self._knowledge.api_names.items():
            if path == function.path and first <= line <= last:
                for name in sorted(names):
                    why = _why_not_inside(name)
                    if why is not None and not (name == _ADD and self._removes(path, line)) and not self._keeps(name):
                        return "{}:{}: {} {}".format(path, line, name, why)
        for (line, _), functions in self._knowledge.calls.get(function.path, {}).items():
            if first <= line <= last:
                for each in sorted(functions, key=place_of):
                    why = self._problem_of(each, seen)
                    if why is not None:
                        return why
        return None

    def problem_of_outer(self, function: Function) -> Optional[str]:
        """Returns why the function can't use what a function of the project reads of the code around it, or None."""
        return problem_of_outer(self._knowledge, function, _why_not_used)

    def _keeps(self, name: str) -> bool:
        is_kept = self._keeps_summaries and name in summary_names.SUMMARIES
        self.summarizes = self.summarizes or is_kept
        return is_kept

    def calls_unknown(self, nodes: Sequence[Any], scope: Scope, skipped: Sequence[cst.Call]) -> bool:
        """Returns whether `nodes` call what a variable of `scope` has, and the source does not show what that is."""
        own = set(parameters(scope.function)) if scope.function is not None else set()
        bound = names_of(*nodes).bound
        for call in (each for node in nodes for each in calls_in(node)):
            name = base_name(call.func)
            is_known = call in skipped or bool(self.functions(call)) or bool(
                self._knowledge.api_names.get((self._source.path,) + self._source.key(call)))
            if not is_known and name not in bound and (name in own or assigned_to(scope, name)):
                return True
        return False

    def uses_table(self, names: Set[str], scope: Scope) -> bool:
        """Returns whether one of `names`, which `scope` binds, is a table."""
        return any(
            called.startswith(_TABLES) for name in names for value in assigned_to(scope, name)
            for called, _ in self.names(value)
        )

    def problem_of_value(self, node: Any) -> Optional[str]:
        """Returns why a dataset can't be made from the expression `node` itself; None if it can."""
        why = self._why_not_captured(node, random="is drawn at random in each epoch")
        return None if why is None else "it reads from what {}".format(why)

    def problem_of_captured(
        self, names: Set[str], scope: Scope, moved: Sequence[Any], place: Any = None
    ) -> Optional[str]:
        """Returns why the function can't use one of `names`, which `scope` binds, or an attribute; None if it can.

        Args:
          names: the names.
          scope: where they are read.
          moved: the code that reads them.
          place: the call that they are passed to, which does not read what they are bound to after it.
        """
        seen: Set[str] = set()
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for value in assigned_to(scope, name):
                if place is not None and _is_after(scope.source, value, place):
                    continue
                why = self._why_not_captured(value)
                if why is not None:
                    return "it computes examples with {!r}, which {}".format(name, why)
                waiting += sorted(names_of(value).read)
        attributes = {each.attr.value for node in moved for each in _attributes(node)}
        for target, value in _kept(self._source.module):
            if target in attributes:
                why = self._why_not_captured(value)
                if why is not None:
                    return "it computes examples with the attribute {!r}, which {}".format(target, why)
        return None

    def _why_not_captured(self, value: Any, random: str = _DRAWN) -> Optional[str]:
        return _why_not_used({called for called, _ in self.names(value)}, random)


def _why_not_used(names: Set[str], random: str = _DRAWN) -> Optional[str]:
    """Returns why the function can't use what calls of these names give; None if it can."""
    for called in sorted(names):
        why = next((why for start, why in _NEVER_CAPTURED if called.startswith(start)), None)
        if called.startswith(_RANDOM):
            why = random
        if why is not None:
            return "{} ({})".format(why, called)
    return None


def _why_not_inside(name: str) -> Optional[str]:
    if name in _ALWAYS_INSIDE:
        return None
    return next((why for start, why in _NEVER_INSIDE if name.startswith(start)), None)


def assigned_to(scope: Scope, name: str) -> List[Any]:
    """Returns the values that a name is assigned in a function, or else in its module, tuples included."""
    blocks = ([scope.function.body] if scope.function is not None else []) + [scope.source.module]
    for block in blocks:
        finder = _Values(name)
        finder.visit(block)
        if finder.found:
            return finder.found
    return []


def _is_after(source: Source, node: Any, place: Any) -> bool:
    """Returns whether code runs after other code of the same function, in each run of the function."""
    function = source.function(place)
    is_repeated = any(
        isinstance(each, LOOPS) and source.function(each) is function for each in source.above(place))
    return not is_repeated and source.function(node) is function and source.line(node) > source.line(place)


def is_controlled(scope: Scope, node: Any) -> bool:
    """Returns whether an expression depends on what is computed under tf.control_dependencies, such as an assertion."""
    seen: Set[str] = set()
    waiting = sorted(names_of(node).read)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for value in assigned_to(scope, name):
            around = [each for each in scope.source.above(value) if isinstance(each, cst.With)]
            if any("control_dependencies" in scope.code(item.item) for each in around for item in each.items):
                return True
            waiting += sorted(names_of(value).read)
    return False


def calls_in(node: Any) -> List[cst.Call]:
    """Returns the calls in a node."""
    finder = _CallFinder()
    finder.visit(node)
    return finder.found


class _CallFinder(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: List[cst.Call] = []

    def visit_Call(self, node: cst.Call) -> None:
        self.found.append(node)


class _Values(Visitor):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.found: List[Any] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        if any(self._name in names_of(each).bound for each in node.targets):
            self.found.append(node.value)


def _attributes(node: Any) -> List[cst.Attribute]:
    found: List[cst.Attribute] = []

    class _Finder(Visitor):
        def visit_Attribute(self, node: cst.Attribute) -> None:
            if isinstance(node.value, cst.Name):
                found.append(node)

    _Finder().visit(node)
    return found


def _kept(module: cst.Module) -> List[Tuple[str, Any]]:
    found: List[Tuple[str, Any]] = []

    class _Finder(Visitor):
        def visit_Assign(self, node: cst.Assign) -> None:
            for each in node.targets:
                if isinstance(each.target, cst.Attribute):
                    found.append((each.target.attr.value, node.value))

    _Finder().visit(module)
    return found
