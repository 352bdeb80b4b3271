"""The project's functions that a pipeline goes through, the calls of them, and names for what is written."""
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import returned, returns_of
from legacy_towers.migrate.source.rewrite.families import Families, families_of
from legacy_towers.migrate.source.rewrite.names import NameVisitor, names_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.values import Function, Site, place_of

# What runs the initializers in tf.GraphKeys.TABLE_INITIALIZERS.
_INITIALIZING = (
    b"tables_initializer", b"initialize_all_tables", b"MonitoredSession", b"MonitoredTrainingSession", b"Supervisor",
)

# Functions of Python that give a function by its name, as in `getattr(inputs, "read")(queue)`.
_FINDING = ("getattr", "globals")


class Defined(NamedTuple):
    """A function of the project.

    Attributes:
      draft: its file.
      node: its definition.
      function: what is known of it.
    """

    draft: Draft
    node: cst.FunctionDef
    function: Function

    @property
    def is_method(self) -> bool:
        return self.function.takes_self()


class Calls:
    """The functions and calls of one pipeline.

    Args:
      project: the project.
      pipeline: the pipeline.
      draft: returns the draft of a file, for a call that is to be rewritten.
      is_only_pipeline: whether the project has no other pipeline.
    """

    def __init__(
        self, project: Project, pipeline: Pipeline, draft: Callable[[str, Site], Draft], is_only_pipeline: bool
    ) -> None:
        self.project = project
        self.is_only_pipeline = is_only_pipeline
        self._site = pipeline.sites[0]
        self._draft = draft
        self._changed: Dict[Function, Tuple[List[str], str]] = {}
        self._handled: Set[Any] = set()
        self._edited: Set[Tuple[Function, str]] = set()
        # Statements that read, whose key is kept in an object.
        self.keeping: Set[Any] = set()
        # Queues that are filled before they are read -> their elements.
        self.filled: Dict[Site, Any] = {}
        # (function, parameter that was a queue) -> where the function reads now.
        self.entries: Dict[Tuple[Function, str], Any] = {}
        # Call of one of several functions that read -> the dataset that it is passed, and the number of its readers.
        self.passed: Dict[Any, Tuple[str, str]] = {}
        # (function, name of a dataset) -> where datasets of this name are made, each in another branch of an `if`.
        self.in_branches: Dict[Tuple[Any, str], List[Any]] = {}
        self._families: Optional[Families] = None

    def draft(self, path: str) -> Draft:
        """Returns the draft of a file."""
        return self._draft(path, self._site)

    def call(self, site: Site) -> cst.Call:
        """Returns the call of a site."""
        call = self.draft(site.path).source.call(site)
        if call is None:
            raise Irregular(site, "a class is derived from it")
        return call

    def among(self, sites: Sequence[Site], path: str, statement: Any) -> List[Tuple[Site, cst.Call]]:
        """Returns those of `sites` whose call is in `statement` of the file `path`, with their calls."""
        inside = set(calls_in(statement))
        return [(site, self.call(site)) for site in sites if site.path == path and self.call(site) in inside]

    def function_of(self, draft: Draft, call: cst.Call) -> Optional[Defined]:
        """Returns the function of the project that `call` calls; None if it may be of several, or of another."""
        found = self._called(draft, call)
        return self._defined(next(iter(found))) if len(found) == 1 else None

    def _called(self, draft: Draft, call: cst.Call) -> Set[Function]:
        """Returns the functions that `call` may be of, without those of calls that begin at the same place."""
        source = draft.source
        found = self.project.knowledge.calls.get(source.path, {}).get(source.key(call), set())
        others = {_last_name(each) for each in _from_same_place(source, call)}
        if not others:
            return found
        return {each for each in found if _last(each) == _last_name(call) or _last(each) not in others}

    def functions_of(self, draft: Draft, call: cst.Call) -> List[Defined]:
        """Returns the functions of the project that `call` may be of."""
        found = sorted(self._called(draft, call), key=place_of)
        return [each for each in map(self._defined, found) if each is not None]

    def shown(self, draft: Draft, node: Any) -> Any:
        """Returns the expression that a call of a function of the project returns; a node that shows none as it is."""
        found = node
        for _ in range(8):
            defined = self.function_of(draft, found) if isinstance(found, cst.Call) else None
            value = returned(defined.node) if defined is not None else None
            if defined is None or value is None:
                break
            draft, found = defined.draft, Scope(defined.draft.source, defined.node).resolved(value)
        return found

    def gives_list(self, draft: Draft, node: Any) -> bool:
        """Returns whether a call is of a function of the project that returns a list or tuple for sure."""
        defined = self.function_of(draft, node) if isinstance(node, cst.Call) else None
        if defined is None:
            return False
        scope = Scope(defined.draft.source, defined.node)
        found = returns_of(defined.node)
        return bool(found) and all(each.value is not None and scope.is_list(each.value) for each in found)

    def of_node(self, draft: Draft, node: cst.FunctionDef) -> Defined:
        """Returns the function that a definition makes."""
        for calls in self.project.knowledge.calls.values():
            for functions in calls.values():
                for each in functions:
                    if each.path == draft.source.path:
                        defined = self._defined(each)
                        if defined is not None and defined.node is node:
                            return defined
        raise Irregular(self._site, "nothing in the project calls the function {!r} that reads".format(node.name.value),
                        draft.source.line(node))

    def _defined(self, function: Function) -> Optional[Defined]:
        draft = self.draft(function.path)
        for node in draft.source.functions:
            first = draft.source.line(node)
            last = draft.source.positions[node.name].start.line
            if node.name.value == getattr(function.node, "name", "") and first <= function.node.lineno <= last:
                return Defined(draft, node, function)
        return None

    def is_inside(self, site: Site, defined: Defined) -> bool:
        """Returns whether the call of `site` is in a function."""
        if site.path != defined.draft.source.path:
            return False
        return any(each is defined.node for each in defined.draft.source.above(self.call(site)))

    def families(self) -> Families:
        """Returns which classes of the project may be those of one object."""
        if self._families is None:
            self._families = families_of(file.tree for file in self.project.files.values())
        return self._families

    def callers_of(self, draft: Draft, node: cst.FunctionDef) -> List[Tuple[Draft, cst.Call]]:
        """Returns the calls of the function that a definition makes."""
        for calls in self.project.knowledge.calls.values():
            for functions in calls.values():
                for each in functions:
                    if each.path == draft.source.path and each.node.lineno <= draft.source.line(node.name):
                        defined = self._defined(each)
                        if defined is not None and defined.node is node:
                            return self.callers(defined)
        return []

    def constructions(self, draft: Draft, node: cst.FunctionDef) -> List[Tuple[Defined, Draft, cst.Call]]:
        """Returns the calls that make objects by the `__init__` that a definition makes, with it and their files."""
        found = []
        for path, places in sorted(self.project.knowledge.constructions.items()):
            for place, functions in sorted(places.items()):
                for each in functions:
                    defined = self._defined(each) if each.path == draft.source.path else None
                    if defined is not None and defined.node is node:
                        there = self.draft(path)
                        here = [one for one in there.source.calls() if there.source.key(one) == place]
                        # `Reader` in `Reader(queue).read()`, which begins at the same place.
                        found += [(defined, there, one) for one in here if not _from_same_place(
                            there.source, one, within=True)]
        return found

    def constructor_of(self, draft: Draft, call: cst.Call) -> Optional[Defined]:
        """Returns the constructor that a call of a class of the project runs; None if it may run several, or none."""
        source = draft.source
        found = self.project.knowledge.constructions.get(source.path, {}).get(source.key(call), set())
        if _from_same_place(source, call, within=True):
            # `read` in `Reader(queue).read()`.
            return None
        return self._defined(next(iter(found))) if len(found) == 1 else None

    def callers(self, defined: Defined) -> List[Tuple[Draft, cst.Call]]:
        """Returns the calls of a function, with their files."""
        found = []
        for path, calls in sorted(self.project.knowledge.calls.items()):
            places = {place for place, functions in calls.items() if defined.function in functions}
            if places:
                draft = self.draft(path)
                for place in sorted(places):
                    here = [call for call in draft.source.calls() if draft.source.key(call) == place and (
                        _last_name(call) not in _FINDING)]
                    # Calls that begin at one place: f(x).g().
                    named = [call for call in here if _last_name(call) == defined.node.name.value]
                    found += [(draft, call) for call in named or here]
        return found

    def handled(self, draft: Draft, call: cst.Call, defined: Defined) -> None:
        """Records that a call of a function that is changed is rewritten."""
        self._handled.add(call)
        self._changed.setdefault(defined.function, ([], ""))

    def is_first(self, defined: Defined, parameter: str) -> bool:
        """Returns whether this is asked for a parameter for the first time: the function is edited once."""
        key = (defined.function, parameter)
        is_first = key not in self._edited
        self._edited.add(key)
        return is_first

    def check_all_handled(self) -> None:
        """Raises Irregular if a function is changed, and a call of it is not."""
        for function in self._changed:
            defined = self._defined(function)
            other = self.project.imports.unresolved(function.path, function.name.partition(".")[0])
            if other is not None:
                raise Irregular(self._site, "{} imports {!r}, and the project does not show from which file".format(
                    other, function.name.partition(".")[0]))
            if defined is None:
                continue
            # A constructor is run by calls of its class.
            made = self.constructions(defined.draft, defined.node) if defined.node.name.value == "__init__" else []
            for draft, call in self.callers(defined) + [(there, call) for _, there, call in made]:
                if call not in self._handled:
                    raise Irregular(self._site, "{}:{}: {!r} is also called here".format(
                        draft.source.path, draft.source.line(call), function.name))

    def change_parameters(self, defined: Defined, taken: List[str], new: str) -> None:
        """Replaces the first of the parameters `taken` by `new`, and drops the others."""
        before = self._changed.get(defined.function, ([], ""))
        if before == (taken, new):
            return
        if before[0]:
            raise Irregular(self._site, "{!r} is called in different ways".format(defined.function.name))
        self._changed[defined.function] = (taken, new)
        params = defined.node.params
        kept = [each for each in params.params if each.name.value not in taken[1:]]
        kept = [
            each.with_changes(name=cst.Name(new), default=None, equal=cst.MaybeSentinel.DEFAULT)
            if each.name.value == taken[0] else each for each in kept
        ]
        last = kept[-1].with_changes(comma=params.params[-1].comma)
        defined.draft.edits.replace(params, params.with_changes(params=kept[:-1] + [last]))

    def tensorflow(self, scope: Scope, site: Site) -> str:
        """Returns what a file calls TensorFlow."""
        found = scope.tensorflow()
        if found is None and "tf" in scope.source.names:
            found = "tf"
        if found is None:
            raise Irregular(site, "{} does not import tensorflow as a whole".format(scope.source.path))
        return found

    def dataset_name(self, scope: Scope) -> str:
        """Returns a name for the dataset of a function: `dataset`, `dataset_2` for a second one."""
        number = self.draft(scope.source.path).edits.count_dataset(scope.function)
        name = Scope(scope.source, scope.function).fresh("dataset", "examples")
        return name if number == 1 else "{}_{}".format(name, number)

    def dataset_attribute(self, scope: Scope) -> str:
        """Returns a name for the attribute of an object that keeps a dataset, which no other dataset of it has.

        Args:
          scope: the method that makes the dataset.
        """
        above = scope.source.above(scope.function) if scope.function is not None else []
        owner: Any = next((each for each in above if isinstance(each, cst.ClassDef)), None)
        number = self.draft(scope.source.path).edits.count_dataset(owner)
        names = ["dataset", "examples"]
        if owner is not None and any(scope.code(each.value) != "object" for each in owner.bases):
            # The class that it is derived from may keep one, too.
            words = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", owner.name.value).lower()
            names = ["{}_{}".format(words, each) for each in names]
        name = Scope(scope.source, scope.function).fresh(*names)
        return name if number == 1 else "{}_{}".format(name, number)

    @staticmethod
    def dataset_parameter(defined: Defined) -> str:
        """Returns the name of the parameter by which a function gets a dataset."""
        return Scope(defined.draft.source, defined.node).fresh("dataset", "examples")

    def is_used_outside(self, path: str, name: str) -> bool:
        """Returns whether another file may use a name of the top level of a module."""
        used = re.compile(rb"(import|\.)[^\n]*\b" + name.encode("utf-8") + rb"\b")
        imports = self.project.imports
        return imports.unresolved(path, name) is not None or any(
            used.search(file.source) and imports.reaches(other, path)
            for other, file in self.project.files.items() if other != path
        )

    def initializes_tables(self) -> bool:
        """Returns whether the project runs the initializers of tables, by itself or by its sessions."""
        return any(each in file.source for file in self.project.files.values() for each in _INITIALIZING)

    @staticmethod
    def next_element(dataset: str, tf: str) -> cst.BaseExpression:
        """Returns the expression of the next element of a dataset."""
        return cst.parse_expression("{}.data.make_one_shot_iterator({}).get_next()".format(tf, dataset))


def _last_name(call: cst.Call) -> str:
    func: Any = call.func
    return str(func.attr.value) if isinstance(func, cst.Attribute) else str(getattr(func, "value", ""))


def _last(function: Function) -> str:
    return str(function.name.rpartition(".")[2])


def _from_same_place(source: Any, call: cst.Call, within: bool = False) -> List[cst.Call]:
    """Returns the calls that begin where a call does, as `Reader(queue)` and `Reader(queue).read()` do.

    Args:
      source: the file.
      call: the call.
      within: whether only those in the function of the call are returned.
    """
    found: List[cst.Call] = []
    node: Any = call.func
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        found += [node] if isinstance(node, cst.Call) else []
        node = node.func if isinstance(node, cst.Call) else node.value
    node = call
    while not within:
        above = source.parents[node]
        is_first = isinstance(above, (cst.Attribute, cst.Subscript)) and above.value is node or (
            isinstance(above, cst.Call) and above.func is node)
        if not is_first:
            break
        found += [above] if isinstance(above, cst.Call) else []
        node = above
    return found


def _parts_of(target: Any) -> List[Any]:
    """Returns what an assignment binds: [a, b.c] of `a, b.c = d`."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [one for each in target.elements for one in _parts_of(each.value)]
    return [target.value] if isinstance(target, cst.StarredElement) else [target]


def uses_of(source: Any, body: Any, name: str) -> List[cst.Name]:
    """Returns where the code of `body` reads a name."""
    found: List[cst.Name] = []

    class _Finder(NameVisitor):
        def visit_Param(self, node: cst.Param) -> bool:
            if node.default is not None:
                self.visit(node.default)
            return False

        def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
            for each in _parts_of(node.target):
                if not isinstance(each, cst.Name):
                    self.visit(each)
            return False

        def visit_For(self, node: cst.For) -> bool:
            for each in (node.iter, node.body) + ((node.orelse,) if node.orelse is not None else ()):
                self.visit(each)
            return False

        def visit_CompFor(self, node: cst.CompFor) -> bool:
            for each in (node.iter,) + tuple(node.ifs) + ((node.inner_for_in,) if node.inner_for_in else ()):
                self.visit(each)
            return False

        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
            return name in names_of(node).read or node is body

        def visit_Name(self, node: cst.Name) -> None:
            if node.value == name:
                found.append(node)

    _Finder().visit(body)
    return found
