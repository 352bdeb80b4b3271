"""The first stage of a pipeline: its producer and reader become a dataset of records."""
from typing import Any, Dict, List, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.carried import carried
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots, returned_parts
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import dotted, names_of, parameters
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, SLICES, Origin, branches_of
from legacy_towers.migrate.source.rewrite.region import names_before, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import producers, readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.rewrite.taken import Taken, Takes, attributes_of, is_next, put_matched
from legacy_towers.migrate.source.values import Site

_RANGES = ("range", "xrange")


class SourceStage:
    """The producer and reader of a pipeline.

    Args:
      project: the project.
      pipeline: the pipeline.
      calls: its functions and calls.
      origin: the producer and reader.

    Attributes:
      read: the call that reads: of reader.read, of the queue's dequeue, or of the producer.
      sites: the calls of the producers, of the reader and of `read`.
      is_endless: whether the producer has no num_epochs.
      is_one_by_one: whether the records that reader.read_up_to reads are queued one by one, as they are.
    """

    def __init__(self, project: Project, pipeline: Pipeline, calls: Calls, origin: Origin) -> None:
        self._project = project
        self._calls = calls
        self._producer, self._others = origin.producers[0], origin.producers[1:]
        self.read = origin.read
        self.sites = origin.producers + [each for each in (origin.reader, origin.read) if each is not None]
        self._reader = origin.reader
        self._takes = Takes(project, pipeline.sites, calls, self.read, self._reader)
        self._readers = ""
        self.is_endless = False
        self.is_one_by_one = False
        self._joined: Optional[Tuple[str, Any]] = None

    def entry(self, is_batched: bool) -> Optional[Entry]:
        """Writes the dataset of records, and returns where code gets them.

        Args:
          is_batched: whether the pipeline batches; otherwise what is read is the next element.
        """
        producer = self._calls.call(self._producer)
        draft = self._calls.draft(self._producer.path)
        function = draft.source.function(producer)
        scope = Scope(draft.source, function)
        queue = self._queue_name(draft, producer)
        there = self._reading_function(draft, function, producer, queue)
        dataset = self._calls.dataset_name(scope)
        tf = self._calls.tensorflow(scope, self._producer)
        if there is None:
            taken = self._takes.of(draft, self._calls.call(self.read))
            records = self._records(scope, tf, {})
            self._remove_reader(draft)
        else:
            defined, call = there
            taken, records = self._through(draft, scope, tf, defined, call)
        self._check_place(draft, producer, taken.statement)
        lines = self._producer_lines(self._producer, draft, scope, tf, dataset)
        more: List[str] = []
        many: List[str] = []
        taken = self._of_join(draft, taken)
        if records is not None:
            count = self._count(draft, function)
            if count and not records.of_file:
                raise Irregular(self.read, "the file names of its reader come one by one")
            more = readers.lines_of(records, dataset, bool(taken.key), self._readers)
            many = readers.lines_of(records, dataset, bool(taken.key), self._readers, count) if count else more
        statement = draft.source.statement(producer)
        is_one_place = not self._others and (queue is None or is_next(draft, producer, taken.statement))

        def written(before: List[str]) -> Any:
            # Records that are read many at a time, to be queued one by one, are read one by one.
            return draft.source.parse("\n".join(before + (more if self.is_one_by_one else many or more)))

        if queue is not None:
            draft.edits.remove(statement)
        if is_one_place:
            draft.edits.insert_before(statement if queue is not None else taken.statement, lambda: written(lines))
        else:
            draft.edits.insert_before(statement, lambda: draft.source.parse("\n".join(lines)))
            draft.edits.insert_before(taken.statement, lambda: written([]))
        for other in self._others:
            self._write_other(other, draft, scope, tf, dataset)
        if not is_batched:
            if taken.roots.names[0].startswith("self."):
                raise Irregular(self.read, "its result is kept in an object")
            self._read_next(draft, scope, tf, dataset, taken)
            return None
        if taken.expression is None:
            draft.edits.remove(taken.statement)
        return Entry(draft, function, taken.statement, taken.roots, taken.expression is not None, dataset)

    def _write_other(self, site: Site, draft: Draft, scope: Scope, tf: str, dataset: str) -> None:
        """Writes the dataset of a producer in another branch."""
        statement = draft.source.statement(self._calls.call(site))
        is_endless = self.is_endless
        lines = self._producer_lines(site, draft, scope, tf, dataset)
        self.is_endless = self.is_endless and is_endless
        draft.edits.remove(statement)
        draft.edits.insert_before(statement, lambda: draft.source.parse("\n".join(lines)))

    def _check_place(self, draft: Draft, producer: cst.Call, statement: Any) -> None:
        """Raises Irregular if what is read is read in another block than its queue is made in."""
        source = draft.source
        first = source.statement(producer)
        if self._others:
            first = branches_of(source, [self._calls.call(each) for each in [self._producer] + self._others])
        if region_of(source, first) is not region_of(source, statement):
            raise Irregular(self.read, "it is read in another block than its queue is made in: in a loop, perhaps")
        for each in source.above(first):
            if isinstance(each, cst.FunctionDef):
                break
            if isinstance(each, cst.With) and "control_dependencies" in source.code(each.items[0]):
                raise Irregular(self.read, "it is read under tf.control_dependencies", source.line(each))

    def reads_many(self) -> bool:
        """Returns whether it reads many records at a time."""
        return self.read.name == READ_UP_TO

    def _count(self, draft: Draft, function: Optional[cst.FunctionDef]) -> str:
        """Returns the expression of the number of records that are read at a time, "" for one."""
        if self.read.name != READ_UP_TO:
            return ""
        given = arguments(self._calls.call(self.read), ("queue", "num_records", "name"))
        if given is None or "num_records" not in given or self.read.path != draft.source.path or (
            draft.source.function(self._calls.call(self.read)) is not function
        ):
            raise Irregular(self.read, "the number of its records is not known where its queue is made")
        return draft.source.code(given["num_records"])

    # Where the queue goes

    def _queue_name(self, draft: Draft, producer: cst.Call) -> Optional[str]:
        """Returns the name that the producer's queue is bound to; None if it is used where it is made."""
        statement = draft.source.statement(producer)
        if self._producer.name == SLICES:
            return None
        if not isinstance(statement, cst.Assign) or statement.value is not producer:
            return None
        if len(statement.targets) != 1 or not isinstance(statement.targets[0].target, cst.Name):
            raise Irregular(self._producer, "its queue is kept in an object")
        return str(statement.targets[0].target.value)

    def _reading_function(
        self, draft: Draft, function: Optional[cst.FunctionDef], producer: cst.Call, queue: Optional[str]
    ) -> Optional[Tuple[Defined, cst.Call]]:
        """Returns the function that the queue is passed to, with the call; None if it is read where it is made."""
        source = draft.source
        read = self._calls.call(self.read)
        uses: List[Any] = [producer]
        if queue is not None:
            uses = uses_of(source, function.body if function is not None else source.module, queue)
        passed = []
        for use in uses:
            parent = source.parents[use]
            around = source.parents[parent]
            is_own = self.read.path == source.path and (
                use is read or around is read or (isinstance(parent, cst.Attribute) and parent is read.func)
            )
            if is_own:
                continue
            call: Any = around if isinstance(parent, cst.Arg) and isinstance(around, cst.Call) else None
            defined = self._calls.function_of(draft, call) if call is not None else None
            if defined is None or not self._calls.is_inside(self.read, defined):
                raise Irregular(self._producer, "its queue is also used in another way", source.line(use))
            passed.append((defined, call))
        if len(passed) > 1:
            raise Irregular(self._producer, "several calls read its queue", source.line(passed[1][1]))
        return passed[0] if passed else None

    # Readers

    def _records(self, scope: Scope, tf: str, given: Dict[str, Any]) -> Optional[readers.Records]:
        if self._reader is None:
            return None
        found = given or arguments(self._calls.call(self._reader), readers.PARAMETERS[self._reader.name])
        if found is None:
            raise Irregular(self._reader, "it is called with *arguments, **keywords or arguments that it does not have")
        try:
            return readers.records_of(self._reader.name, found, scope, tf)
        except Cant as why:
            raise Irregular(self._reader, str(why)) from None

    def _remove_reader(self, draft: Draft) -> None:
        """Removes the statement that makes the reader."""
        if self._reader is None:
            return
        source = draft.source
        reader, read = self._calls.call(self._reader), self._calls.call(self.read)
        if isinstance(read.func, cst.Attribute) and read.func.value is reader:
            return
        statement = source.statement(reader)
        if not isinstance(statement, cst.Assign) or statement.value is not reader or len(statement.targets) != 1:
            raise Irregular(self._reader, "its reader is used in an expression")
        target = statement.targets[0].target
        if isinstance(target, cst.Attribute) and dotted(target) == dotted(getattr(read.func, "value", None)):
            loads = [each for each in attributes_of(source.module, target.attr.value) if each is not target]
            if [source.parents[each] for each in loads] == [read.func]:
                draft.edits.remove(statement)
                return
        if not isinstance(target, cst.Name) or source.function(reader) is not source.function(read):
            raise Irregular(self._reader, "its reader is kept in an object, or used in another function")
        function = source.function(reader)
        uses = uses_of(source, function.body if function is not None else source.module, target.value)
        if any(source.parents[each] is not read.func for each in uses):
            raise Irregular(self._reader, "its reader is used elsewhere")
        draft.edits.remove(statement)

    def _through(
        self, draft: Draft, scope: Scope, tf: str, defined: Defined, call: cst.Call
    ) -> Tuple[Taken, Optional[readers.Records]]:
        """Makes a function that reads from a queue one of a record, and returns what takes its result."""
        there = defined.draft
        read = self._calls.call(self.read)
        if there.source.function(read) is not defined.node:
            raise Irregular(self.read, "it is in a function within a function")
        inner = self._takes.of(there, read)
        order = parameters(defined.node)[1 if defined.is_method else 0 :]
        given = arguments(call, order)
        passed = read.args[0].value if self._reader is not None else None
        if self._reader is None and isinstance(read.func, cst.Attribute):
            passed = read.func.value
        if given is None or not isinstance(passed, cst.Name) or passed.value not in given:
            raise Irregular(self.read, "its queue is not a parameter of the function")
        queue = passed.value
        uses = uses_of(there.source, defined.node.body, queue)
        if len(uses) != 1:
            raise Irregular(self.read, "the function uses its queue in another way", there.source.line(uses[1]))
        if inner.key or len(inner.roots.names) != 1:
            raise Irregular(self.read, "the function uses the key")
        (value,) = inner.roots.names
        before = [each for each in names_before(there.source, defined.node, inner.statement) if each == value]
        if before or value in order:
            raise Irregular(self.read, "{!r} has another value before".format(value))
        if inner.expression is None:
            there.edits.remove(inner.statement)
        else:
            there.edits.replace(inner.expression, cst.Name(value))
        records = self._carried_records(scope, tf, defined, given, draft.source.path)
        self._remove_reader(there)
        problem = self._problem_in(defined)
        if problem is not None:
            raise Irregular(self.read, problem[0], problem[1])
        for param in defined.node.params.params:
            if param.name.value == queue:
                there.edits.replace(param.name, cst.Name(value))
        source = draft.source
        for each in call.args:
            if each.value is given[queue]:
                name = Scope(source, scope.function).fresh(value) if value in source.names and (
                    there.source is not source or self._is_bound(source, scope.function, value)
                ) else value
                draft.edits.replace(each.value, cst.Name(name))
                if each.keyword is not None:
                    draft.edits.replace(each.keyword, cst.Name(value))
        self._calls.handled(draft, call, defined)
        statement = source.statement(call)
        return Taken(statement, Roots((name,)), call, ""), records

    @staticmethod
    def _is_bound(source: Any, function: Optional[cst.FunctionDef], name: str) -> bool:
        body = function.body if function is not None else source.module
        return name in names_of(*body.body).bound

    def _problem_in(self, defined: Defined) -> Optional[Tuple[str, int]]:
        """Returns why a function that reads can't be one of Dataset.map."""
        source = defined.draft.source
        own = (self._calls.call(self.read), self._calls.call(self._reader) if self._reader is not None else None)
        skipped = {source.statement(each) for each in own if each is not None}
        nodes = [each for each in statements_of(defined.node.body) if each not in skipped]
        return Checks(self._project.knowledge, source).problem_inside(nodes)

    def _carried_records(
        self, scope: Scope, tf: str, defined: Defined, given: Dict[str, Any], path: str
    ) -> Optional[readers.Records]:
        if self._reader is None:
            return None
        reader = self._calls.call(self._reader)
        found = arguments(reader, readers.PARAMETERS[self._reader.name])
        if found is None:
            raise Irregular(self._reader, "it is called with *arguments, **keywords or arguments that it does not have")
        there = Scope(defined.draft.source, defined.node)
        moved = {}
        for name, node in found.items():
            moved[name] = carried(node, there, given, defined.draft.source.path == path,
                                  there.source.line(reader))
            if moved[name] is None:
                raise Irregular(self._reader, "its {} is computed in the function that reads".format(name))
        return self._records(scope, tf, moved)

    # Producers

    def _producer_lines(self, site: Site, draft: Draft, scope: Scope, tf: str, dataset: str) -> List[str]:
        given = arguments(self._calls.call(site), producers.PARAMETERS[site.name])
        if given is None:
            raise Irregular(site,
                            "it is called with *arguments, **keywords or arguments that it does not have")
        self.is_endless = "num_epochs" not in given or literal(given["num_epochs"]) == "None"
        put_matched(draft, scope, given)
        checks = Checks(self._project.knowledge, scope.source)
        why = next((why for why in map(checks.problem_of_value, given.values()) if why), None)
        why = why or checks.problem_of_captured(names_of(*given.values()).read, scope, list(given.values()))
        if why is not None:
            raise Irregular(site, why)
        try:
            return producers.lines_of(site.name, given, scope, tf, dataset)
        except Cant as why:
            raise Irregular(site, str(why)) from None

    def _read_next(self, draft: Draft, scope: Scope, tf: str, dataset: str, taken: Taken) -> None:
        """Replaces what is read by the next element, where nothing batches."""
        if taken.expression is not None:
            raise Irregular(self.read, "its examples are not batched, and a function reads them")
        statement = taken.statement
        names = taken.roots.names
        if taken.roots.is_all:
            target: Any = cst.Name(names[0])
        elif len(names) == 1:
            target = cst.Name(names[0])
        else:
            target = statement.targets[0].target
        new = statement.with_changes(
            targets=[statement.targets[0].with_changes(target=target)], value=self._calls.next_element(dataset, tf)
        )
        draft.edits.replace(statement, new)

    # Several readers

    def _of_join(self, draft: Draft, taken: Taken) -> Taken:
        """Sees to `examples = [read(queue) for _ in range(4)]`: the files are read 4 at a time."""
        statement = taken.statement
        value = getattr(statement, "value", None)
        if not isinstance(value, cst.ListComp):
            return taken
        loop: Any = value.for_in
        is_range = isinstance(loop.iter, cst.Call) and dotted(loop.iter.func) in _RANGES
        count: Any = loop.iter.args if is_range else ()
        target: Any = statement.targets[0].target if isinstance(statement, cst.Assign) else None
        if (value.elt is not taken.expression or len(count) != 1 or loop.ifs or loop.inner_for_in is not None
                or not isinstance(target, cst.Name) or loop.target.value in names_of(value.elt).read):
            raise Irregular(self.read, "the source does not show what its readers give", draft.source.line(statement))
        self._readers = draft.source.code(count[0].value)
        self._joined = (target.value, value.elt)
        return Taken(statement, taken.roots, None, "")

    def joined(self, draft: Draft, site: Site, tensors: Any) -> Any:
        """Returns what a join takes an example from: the list of its tensors, or the Element that each reader gives."""
        if isinstance(tensors, (cst.List, cst.Tuple)) and len(tensors.elements) == 1:
            return tensors.elements[0].value
        if self._joined is not None and isinstance(tensors, cst.Name) and tensors.value == self._joined[0]:
            call = draft.edits.done(self._joined[1])
            text, names = draft.source.code(call).strip(), names_of(call).read
            defined = self._calls.function_of(draft, self._joined[1])
            shown = returned_parts(defined.node) if defined is not None else None
            if shown is not None and len(shown.elements) == 1:
                return Element((text + "[0]",), names)
            if shown is not None:
                return Element((text if isinstance(shown, cst.Tuple) else "tuple({})".format(text),), names, True)
        raise Irregular(site, "the source does not show what it joins")
