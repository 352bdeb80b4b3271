"""Examples that a class keeps, and batches in another method.

    self.queue = slice_input_producer([self.images, self.labels])       self.dataset = dataset.map(...)
    self.image, self.label = self.read(self.queue)

    def dequeue(self, count):                                           dataset = self.dataset
        return tf.train.batch([self.image, self.label], count)          dataset = dataset.batch(count)
"""
from typing import Any, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite import region
from legacy_towers.migrate.source.rewrite.attributes import in_file, uses_in_project, with_variables
from legacy_towers.migrate.source.rewrite.batch_stage import BatchStage
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.mapping import write_map
from legacy_towers.migrate.source.rewrite.names import dotted, is_of_self, names_of
from legacy_towers.migrate.source.rewrite.objects import class_of, object_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source, statements_of
from legacy_towers.migrate.source.rewrite.taken import attributes_of
from legacy_towers.migrate.source.values import Site


class Kept:
    """Writes the pipelines whose examples are attributes of an object.

    Args:
      calls: the functions and calls of the pipeline.
      batches: its batchers.
      read: the call that reads.
    """

    def __init__(self, calls: Calls, batches: BatchStage, read: Site) -> None:
        self._calls = calls
        self._batches = batches
        self._read = read

    def is_kept(self, entry: Entry, statements: Sequence[Any]) -> bool:
        """Returns whether a method keeps examples, which another method of the same file batches."""
        names = set(entry.roots.names)
        if entry.is_computing:
            names |= names_of(entry.statement).bound
        for statement in statements:
            found = names_of(statement)
            if self._batches.batches_in(entry, statement):
                return False
            if found.read & names:
                names |= found.bound
        method = self._method(entry)
        return method is not None and bool(method[1]) and set(method[1]) <= names

    def _method(self, entry: Entry) -> Optional[Tuple[cst.FunctionDef, List[str]]]:
        """Returns the method that batches attributes of its object, with these."""
        source, sites = entry.draft.source, self._batches.sites
        if not sites or any(each.path != source.path for each in sites):
            return None
        calls = [self._calls.call(each) for each in sites]
        function = source.function(calls[0])
        found: List[List[str]] = []
        for call in calls:
            tensors = call.args[0].value if call.args else None
            if not isinstance(tensors, (cst.List, cst.Tuple)) or not all(is_of_self(each.value) for each in
                                                                         tensors.elements):
                return None
            found.append([source.code(each.value) for each in tensors.elements])
        is_one = all(source.function(each) is function for each in calls) and all(each == found[0] for each in found)
        if function is None or function is entry.function or not is_one:
            return None
        if len(calls) > 1 and not self._batches.exclude_each_other(entry, calls):
            return None
        return function, found[0]

    def write(self, entry: Entry, statements: List[Any], start: int) -> None:
        """Edits the method that reads and the one that batches."""
        source, edits = entry.draft.source, entry.draft.edits
        method = self._method(entry)
        assert method is not None
        function, kept = method
        checks = Checks(self._calls.project.knowledge, source)
        first = [entry.statement] if entry.is_computing else []
        try:
            examples = region.computing(
                statements, start, len(statements), set(entry.roots.names), first, checks.is_random
            )
        except region.Unclear as unclear:
            raise Irregular(self._read, str(unclear), source.line(unclear.node)) from None
        problem = checks.problem_inside(examples.statements)
        if problem is not None:
            raise Irregular(self._read, problem[0], problem[1])
        is_moved = bool(examples.statements) or set(kept) == set(entry.roots.names)
        if not is_moved or any(region.exits(each) for each in examples.statements):
            raise Irregular(self._read, "its result is kept in an object")
        captured = names_of(*examples.statements).read - examples.names
        scope = Scope(source, entry.function)
        why = checks.problem_of_captured(captured, scope, examples.statements)
        if checks.uses_table(captured, scope):
            why = "it computes examples with a table"
        if why is not None:
            raise Irregular(self._read, why)
        is_single = self._is_single(entry, function, examples, kept)
        attribute = self._calls.dataset_attribute(scope)
        name_kept(entry, examples, self._read)
        element = Element.of([cst.Name(each[len("self.") :]) for each in kept], source)
        last = examples.statements[-1] if examples.statements else entry.statement
        batches = [(each, self._calls.call(each)) for each in self._batches.sites]
        for site, call in batches:
            given = self._batches.given(site, call)
            for name in ("shapes", "enqueue_many", "keep_input"):
                if name in given and literal(given[name]) not in ("None", "False"):
                    raise Irregular(site, "an object keeps its examples, and its call has {}".format(name))
        threads = self._batches.threads(batches, Scope(source, function))
        threads = threads if threads.isdigit() else ""
        mapped = with_variables(entry, {each: each.rpartition(".")[2] for each in entry.roots.names})
        is_returned = not examples.statements and not edits.is_removed(last)
        if is_returned and (is_single or not element.is_root(mapped.roots)):
            raise Irregular(self._read, "its result is kept in an object")
        write_map(self._calls, mapped, last, examples, element, threads)
        lines = ["self.{} = {}".format(attribute, entry.dataset)]
        if is_single:
            self._calls.is_only_pipeline = False
            lines.append("{} = {}".format(", ".join(kept), source.code(
                self._calls.next_element(entry.dataset, self._calls.tensorflow(scope, self._read)))))
        if is_returned:
            # A function returns the dataset: `self.dataset = self.read(files)`.
            edits.replace(last.targets[0], cst.AssignTarget(cst.Attribute(cst.Name("self"), cst.Name(attribute))))
        else:
            edits.insert_before(last, lambda: source.parse("\n".join(lines)))
        self._write_batches(entry, function, batches, attribute)

    def _is_single(
        self, entry: Entry, function: cst.FunctionDef, examples: region.Examples, kept: Sequence[str]
    ) -> bool:
        """Returns whether code uses the single examples of objects whose examples it does not batch.

        Raises:
          Irregular: the examples of one object are used in both ways, or batched several times.
        """
        source = entry.draft.source
        name_of_class = _class_of(source, function)
        batching_objects: List[Any] = []
        for draft, call in self._calls.callers_of(entry.draft, function):
            made = _object(draft.source, getattr(call.func, "value", None), name_of_class) or (
                object_of(self._calls, draft.source, call, class_of(source, function.body)))
            is_in_loop = any(isinstance(each, LOOPS) for each in draft.source.above(call))
            if is_in_loop or batching_objects and (made is None or made in batching_objects):
                raise Irregular(self._batches.sites[0], "it is called several times, and each call would return the "
                                "same batch")
            batching_objects.append(made)
        is_single = False
        own = {id(statement) for statement in examples.statements}
        batching = [source.statement(self._calls.call(each)) for each in self._batches.sites]
        for name in sorted(each for each in examples.names if each.startswith("self.")):
            for there, each in uses_in_project(
                self._calls, source, name[len("self.") :], entry.function
            ):
                statement = there.statement(each)
                is_own = any(id(one) in own for one in [statement] + there.above(statement))
                is_root = statement is entry.statement
                if is_own or is_root or any(statement is one for one in batching):
                    continue
                if there is source and _is_unread(source, statement):
                    entry.draft.edits.remove(statement)
                    continue
                made = _object(there, each.value, name_of_class)
                is_single = made is not None and None not in batching_objects and made not in batching_objects
                if not is_single or name not in kept:
                    raise Irregular(self._read, "{!r} holds one example, and is also used elsewhere{}".format(
                        name, in_file(there, source)), there.line(each))
        return is_single

    def _write_batches(
        self, entry: Entry, function: cst.FunctionDef, batches: Sequence[Tuple[Site, cst.Call]], attribute: str
    ) -> None:
        draft = entry.draft
        scope = Scope(draft.source, function)
        inner = region.in_order(function.body) + statements_of(function.body)
        places = [draft.source.statement(call) for _, call in batches]
        if len(places) > 1:
            # The `if`, in whose branches they are.
            places = [next((each for each in inner if each in [place] + draft.source.above(place)), place)
                      for place in places]
        for (site, _), place in zip(batches, places):
            if not any(place is each for each in inner):
                raise Irregular(site, "it is called in a branch or a loop of the method")
        dataset = self._calls.dataset_name(scope)
        first = min(places, key=draft.source.line)
        draft.edits.insert_before(first, lambda: draft.source.parse("{} = self.{}".format(dataset, attribute)))
        there = Entry(draft, function, None, entry.roots, False, dataset)
        for site, call in batches:
            self._batches.write(there, site, call, scope, function.body)


def _is_unread(source: Source, statement: Any) -> bool:
    """Returns whether a statement puts values into a list that nothing reads: `batch = [self.image, self.label]`."""
    value = statement.value if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    target: Any = statement.targets[0].target if value is not None else None
    function = source.function(statement)
    return isinstance(value, (cst.List, cst.Tuple)) and isinstance(target, cst.Name) and function is not None and all(
        isinstance(each.value, (cst.Name, cst.Attribute)) for each in value.elements
    ) and not uses_of(source, function.body, target.value)


def name_kept(entry: Entry, examples: region.Examples, read: Site) -> None:
    """Makes the attributes that are of an example variables in the statements that are moved.

    Raises:
      Irregular: with the call `read`, where a variable has the name of an attribute.
    """
    source, edits = entry.draft.source, entry.draft.edits
    own = {each for each in examples.names if each.startswith("self.")}
    found = names_of(*examples.statements)
    bound = found.bound | found.read | set(entry.roots.names)
    for name in sorted(own):
        local = name[len("self.") :]
        if local in bound:
            raise Irregular(read, "the variable {!r} and the attribute {!r} have different values".format(
                local, name))
        for each in attributes_of(source.module, local):
            statement = source.statement(each)
            chain = [statement] + source.above(statement)
            if is_of_self(each) and any(one in examples.statements for one in chain):
                edits.replace(each, cst.Name(local))


def _class_of(source: Any, function: cst.FunctionDef) -> str:
    around = next((each for each in source.above(function) if isinstance(each, cst.ClassDef)), None)
    return around.name.value if around is not None else ""


def _object(source: Any, node: Any, name_of_class: str) -> Any:
    """Returns the call that makes the object which a name stands for, None if the source does not show it."""
    made = Scope(source, source.function(node)).resolved(node) if isinstance(node, cst.Name) else None
    is_shown = isinstance(made, cst.Call) and dotted(made.func).rpartition(".")[2] == name_of_class
    return made if is_shown and not any(isinstance(each, LOOPS) for each in source.above(made)) else None
