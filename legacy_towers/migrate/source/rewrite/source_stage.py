"""A producer and a reader, which become a dataset of records."""
import functools
from typing import Any, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.checks import Checks, is_controlled
from legacy_towers.migrate.source.rewrite.constants import why_not_constant
from legacy_towers.migrate.source.rewrite.constructed import (
    constructed_with,
    is_batched_by_its_class,
    write_constructed,
)
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.held import is_held, write_held
from legacy_towers.migrate.source.rewrite.held_and_passed import held_and_passed, write_held_and_passed
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.keywords import known, passed
from legacy_towers.migrate.source.rewrite.names import is_of_self, names_of
from legacy_towers.migrate.source.rewrite.origins import (
    ELEMENTS,
    LIMIT,
    READ,
    READ_UP_TO,
    Origin,
    branches_of,
    dataset_of,
    uses_of_binding,
)
from legacy_towers.migrate.source.rewrite.passed_files import check_passed
from legacy_towers.migrate.source.rewrite.passed_queue import passed_on, write_passed
from legacy_towers.migrate.source.rewrite.read_through import Step, write_through
from legacy_towers.migrate.source.rewrite.reader import Reader
from legacy_towers.migrate.source.rewrite.reasons import why_kept
from legacy_towers.migrate.source.rewrite.region import region_of
from legacy_towers.migrate.source.rewrite.returned_queue import returned_queue, write_returned
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import batchers, producers, readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.size_summaries import is_summarized
from legacy_towers.migrate.source.rewrite.syntax import LOOPS
from legacy_towers.migrate.source.rewrite.taken import Taken, Takes, is_next, is_printed, put_matched
from legacy_towers.migrate.source.values import Site


class SourceStage:
    """A producer and its reader.

    Args:
      project: the project.
      pipeline: the pipeline.
      calls: its functions and calls.
      origin: the producer and reader.
      joins: the lists of examples that the pipeline joins.

    Attributes:
      read: the call that reads: of reader.read, of the queue's dequeue, or of the producer.
      sites: the calls of the producers, of the reader and of `read`.
      is_endless: whether no producer has num_epochs.
      is_single: whether nothing batches what is read, in a pipeline with batches.
      is_mapped: whether a function computes with what is read, before it is batched or queued.
      made_by: the call of a function that makes and returns the queue, None without such a function.
      printed: where the script prints the queue.
      is_one_by_one: whether the records that reader.read_up_to reads are queued one by one, as they are.
    """

    def __init__(self, project: Project, pipeline: Pipeline, calls: Calls, origin: Origin, joins: Joins) -> None:
        self._project = project
        self._calls = calls
        self._origin = origin
        self._batches = [site for site in pipeline.sites if site.name in batchers.PARAMETERS]
        self._producers = origin.producers
        self._producer = origin.producers[0]
        self._reader = origin.reader
        self.read = origin.read
        self.sites = origin.producers + [each for each in (origin.reader, origin.read) if each is not None]
        self._joins = joins
        reads = [site for site in pipeline.sites if site.name == READ]
        self.reading = Reader(project, calls, self._reader, self.read, reads)
        self.takes = Takes(project, pipeline.sites, calls, self.read, self._reader)
        self._passed: Optional[Tuple[Draft, Any]] = None
        self.is_endless = True
        self._is_batched = True
        # Arguments that are computed under tf.control_dependencies.
        self._controlled: List[str] = []
        self.is_mapped = False
        self.is_one_by_one = False
        self.is_single = False
        self.made_by: Optional[cst.Call] = None
        self.printed: List[Any] = []

    def entry(self, is_batched: bool) -> Optional[Entry]:
        """Writes the dataset of records, and returns where code gets them.

        Args:
          is_batched: whether the pipeline batches; otherwise what is read is the next element.
        """
        made = [self._calls.call(each) for each in self._producers]
        self._is_batched = is_batched
        draft = self._calls.draft(self._producer.path)
        source, edits = draft.source, draft.edits
        function = source.function(made[0])
        scope = Scope(source, function)
        held = held_and_passed(self._calls, self._origin, draft, made[0]) if len(made) == 1 else None
        if held is not None and not any(self._calls.is_inside(each, held.defined) for each in self._batches):
            return write_held_and_passed(self, self._calls, self._origin, draft, is_batched, held)
        if len(made) == 1 and is_held(draft, made[0], self.read.path, self._calls.call(self.read)):
            return write_held(self, self._calls, self._origin, draft, is_batched)
        returned = returned_queue(self._calls, draft, made[0]) if len(made) == 1 and (
            self._producer.name not in ELEMENTS and self._producer not in self._calls.filled) else None
        if returned is not None:
            write_returned(self, self._calls, self._producer, draft, made[0], returned)
            self.made_by, draft = returned.call, returned.draft
            source, edits, made = draft.source, draft.edits, [returned.call]
            function = source.function(made[0])
            scope = Scope(source, function)
        queue = self._queue_name(draft, made[0])
        constructed = constructed_with(self._calls, self._origin, draft, self._uses(
            draft, function, made, queue)) if len(made) == 1 and is_batched else None
        if constructed is not None:
            return write_constructed(self, self._calls, self._origin, draft, queue, constructed)
        there = self._reading_function(draft, function, made, queue)
        batches = there is not None and any(
            self._calls.is_inside(each, there[0]) or is_batched_by_its_class(self._calls, there[0], each)
            for each in self._batches)
        if there is not None and batches and len(made) == 1:
            return write_passed(self, self._calls, self._origin, draft, queue, *there)
        dataset = dataset_of(self._calls, scope, source.statement(made[0]))
        tf = self._calls.tensorflow(scope, self._producer)
        if there is None:
            taken = self._taken(draft, made)
            records = self.reading.records(scope, tf)
            self.reading.remove()
        else:
            taken, records = self.through(draft, scope, tf, *there)
        statements = [self._calls.filled[site].statement if site in self._calls.filled else source.statement(each)
                      for site, each in zip(self._producers, made)]
        first: Any = statements[0] if len(made) == 1 else branches_of(source, made)
        place = self._joins.place(source, taken.statement)
        self._check_place(draft, first, place)
        lines = [
            self.producer_lines(draft, scope, tf, dataset, site, call) for site, call in zip(self._producers, made)
        ]
        more: List[str] = []
        many: List[str] = []
        several = self._joins.readers_of(draft, taken.statement)
        taken = self._joins.taken(draft, taken)
        self._check_read_once(draft, taken)
        if there is None and taken.expression is not None:
            edits.replace(taken.expression, cst.Name(taken.roots.names[0]))
        if records is not None:
            count = self.reading.count(scope, *(there or ())) if self.reads_many() else ""
            if count and not records.of_file:
                raise Irregular(self.read, "the file names of its reader come one by one")
            more = readers.lines_of(records, dataset, bool(taken.key), several)
            many = readers.lines_of(records, dataset, bool(taken.key), several, count) if count else more

        def written(before: List[str]) -> Any:
            # Records that are read many at a time, to be queued one by one, are read one by one.
            return source.parse("\n".join(before + (more if self.is_one_by_one else many or more)))

        for each in self.printed:
            edits.replace(each, cst.Name(dataset))
        is_own_statement = queue is not None or self._producer.name in ELEMENTS and len(made) > 1
        if is_own_statement:
            for each in statements:
                edits.remove(each)
        if len(made) == 1 and (queue is None or is_next(draft, made[0], place)):
            edits.insert_before(first if queue is not None else place, lambda: written(lines[0]))
        else:
            for each, own in zip(statements, lines):
                edits.insert_before(each, functools.partial(source.parse, "\n".join(own)))
            if place is not first:
                edits.insert_before(place, lambda: written([]))
        if not is_batched:
            self._read_next(draft, scope, tf, dataset, taken)
            return None
        if taken.expression is None and taken.statement is not first or len(made) == 1 and taken.expression is None:
            edits.remove(taken.statement)
        return Entry(draft, function, taken.statement, taken.roots, taken.expression is not None, dataset)

    def _taken(self, draft: Draft, made: Sequence[cst.Call]) -> Taken:
        """Returns what takes the result of the call that reads, or of producers in several branches."""
        if self._producer.name not in ELEMENTS or self.read not in self._producers or len(made) == 1:
            return self.takes.of(draft, self._calls.call(self.read))
        return self.takes.of(draft, made[0])._replace(statement=branches_of(draft.source, made))

    @property
    def is_passed(self) -> bool:
        """Whether the record is passed to the function that read it."""
        return self._passed is not None

    def renamed(self, name: str) -> str:
        """Gives another name to the record that is passed to the function that read it, and returns the name."""
        assert self._passed is not None
        draft, argument = self._passed
        new = Scope(draft.source, None).fresh(name, name + "_2")
        keyword = cst.Name(name) if argument.keyword is not None else None
        draft.edits.replace(argument, argument.with_changes(value=cst.Name(new), keyword=keyword))
        return new

    def _check_place(self, draft: Draft, first: Any, statement: Any) -> None:
        """Raises Irregular if what is read is read in another block than its queue is made in."""
        source = draft.source
        if region_of(source, first) is not region_of(source, statement):
            raise Irregular(self.read, "it is read in another block than its queue is made in: in a loop, perhaps")
        for each in source.above(first):
            if isinstance(each, cst.FunctionDef):
                break
            if isinstance(each, cst.With) and "control_dependencies" in source.code(each.items[0]):
                raise Irregular(self.read, "it is read under tf.control_dependencies", source.line(each))

    def _check_read_once(self, draft: Draft, taken: Taken) -> None:
        """Raises Irregular if a comprehension or a lambda reads, whose elements are different records."""
        for each in [taken.expression] + draft.source.above(taken.expression) if taken.expression is not None else []:
            if each is taken.statement or self._joins.is_value(each):
                return
            if isinstance(each, LOOPS):
                raise Irregular(self.read, "a comprehension or a lambda reads, and gives another record each time",
                                draft.source.line(taken.statement))

    def reads_many(self) -> bool:
        """Returns whether it reads many records at a time."""
        return self.read.name == READ_UP_TO

    # Where the queue goes

    def _queue_name(self, draft: Draft, producer: cst.Call) -> Optional[str]:
        """Returns the name that the producer's queue is bound to; None if it is used where it is made."""
        statement = draft.source.statement(producer)
        if self._producer.name in ELEMENTS:
            return None
        if not isinstance(statement, cst.Assign) or statement.value is not producer:
            return None
        target: Any = statement.targets[0].target
        if len(statement.targets) == 1 and isinstance(target, cst.Name):
            return str(target.value)
        if len(statement.targets) == 1 and is_of_self(target) and len(self._uses_of_kept(draft, target)) == 1:
            return "self." + target.attr.value
        raise Irregular(self._producer, why_kept("its queue", draft.source, statement))

    def _uses_of_kept(self, draft: Draft, target: Any) -> List[Any]:
        """Returns the uses of `self.queue` in the project; [] if one is in another function than it is made in."""
        source = draft.source
        uses = uses_in_project(self._calls, source, target.attr.value, target)
        found = [(there, each) for there, each in uses if each is not target]
        function = source.function(target)
        is_here = function is not None and all(
            there is source and is_of_self(each) and source.function(each) is function for there, each in found)
        return [each for _, each in found] if is_here else []

    def _uses(
        self, draft: Draft, function: Optional[cst.FunctionDef], made: Sequence[cst.Call], queue: Optional[str]
    ) -> List[Any]:
        """Returns the uses of the queue where it is made; the calls that make it where it has no name."""
        if queue is None:
            return list(made)
        source = draft.source
        body = function.body if function is not None else source.module
        if queue.startswith("self."):
            return self._uses_of_kept(draft, source.statement(made[0]).targets[0].target)
        if len(made) == 1:
            return uses_of_binding(source, body, source.statement(made[0]), queue)
        return list(uses_of(source, body, queue))

    def _reading_function(
        self, draft: Draft, function: Optional[cst.FunctionDef], made: Sequence[cst.Call], queue: Optional[str]
    ) -> Optional[Tuple[Defined, cst.Call]]:
        """Returns the function that the queue is passed to, with the call; None if it is read where it is made."""
        source = draft.source
        read = self._calls.call(self.read)
        uses = self._uses(draft, function, made, queue)
        passed = []
        if self._producer in self._calls.filled:
            uses = [each for each in uses if not draft.edits.is_removed(source.statement(each))]
        self.printed = [each for each in uses if is_printed(source, each)]
        for use in (each for each in uses if not is_summarized(draft, each) and each not in self.printed):
            parent = source.parents[use]
            around = source.parents[parent]
            is_own = self.read.path == source.path and (
                use is read or around is read or (isinstance(parent, cst.Attribute) and parent is read.func)
            )
            if is_own or self.read in self._producers:
                continue
            call: Any = around if isinstance(parent, cst.Arg) and isinstance(around, cst.Call) else None
            defined = self._calls.function_of(draft, call) if call is not None else None
            if defined is None and call is not None:
                # `record = Record(queue)`
                defined = self._calls.constructor_of(draft, call)
            if defined is None or not self._calls.is_inside(self.read, defined) and (
                passed_on(self._calls, defined, self._origin) is None
            ):
                raise Irregular(self._producer, "its queue is also used in another way", source.line(use))
            passed.append((defined, call))
        if len(passed) > 1:
            raise Irregular(self._producer, "several calls read its queue", source.line(passed[1][1]))
        return passed[0] if passed else None

    def through(
        self, draft: Draft, scope: Scope, tf: str, defined: Defined, call: cst.Call
    ) -> Tuple[Taken, Optional[readers.Records]]:
        """Makes a function that reads from a queue one of a record, and returns what takes its result."""
        read = self._calls.call(self.read)
        steps = [Step(draft, scope, defined, call)]
        further = passed_on(self._calls, defined, self._origin)
        while further is not None:
            last = steps[-1].defined
            inside = last.draft.source.between(further[1], last.node)
            if any(isinstance(each, LOOPS) for each in inside):
                raise Irregular(self.read, "its queue is passed on in a loop", last.draft.source.line(further[1]))
            steps.append(Step(last.draft, Scope(last.draft.source, last.node), further[0], further[1]))
            further = passed_on(self._calls, further[0], self._origin)
        there = steps[-1].defined
        if there.draft.source.function(read) is not there.node:
            raise Irregular(self.read, "it is in a function within a function")
        inner = self.takes.of(there.draft, read)
        self._check_read_once(there.draft, inner)
        taken, records, argument = write_through(
            self._calls, self._origin, self.reading, inner, self._is_batched, tf, steps)
        self._passed = (draft, argument)
        return taken, records

    # Producers

    def producer_lines(
        self, draft: Draft, scope: Scope, tf: str, dataset: str, site: Site, call: cst.Call
    ) -> List[str]:
        """Returns the statements that make the dataset of a producer."""
        if self.made_by is call:
            return ["{} = {}".format(dataset, scope.code(call))]
        filled = self._calls.filled.get(site)
        if filled is not None:
            self.is_endless = False
            given = {str(number): each for number, each in enumerate(filled.values)}
        else:
            given = known(site, passed(call, producers.PARAMETERS[site.name], scope))
            self.is_endless = self.is_endless and ("num_epochs" not in given or literal(given["num_epochs"]) == "None")
            put_matched(draft, scope, given)
        checks = Checks(self._project.knowledge, scope.source)
        why = next((why for why in map(checks.problem_of_value, given.values()) if why), None)
        why = why or checks.problem_of_captured(names_of(*given.values()).read, scope, list(given.values()), call)
        if why is None and site.name == LIMIT:
            why = why_not_constant(checks, scope, given["tensor"])
        if why is not None:
            raise Irregular(site, why)
        check_passed(self._calls, site, scope, list(given.values()))
        self._controlled += [scope.code(each) for each in given.values() if is_controlled(scope, each)]
        if self._controlled and self._is_batched:
            raise Irregular(site, "{} is computed under tf.control_dependencies, which a dataset does not keep".format(
                self._controlled[0]))
        if filled is not None:
            return ["{} = {}.data.Dataset.from_tensor_slices([{}])".format(
                dataset, tf, ", ".join(scope.code(each) for each in filled.values))]
        try:
            return producers.lines_of(site.name, given, scope, tf, dataset)
        except Cant as why:
            raise Irregular(site, str(why)) from None

    def _read_next(self, draft: Draft, scope: Scope, tf: str, dataset: str, taken: Taken) -> None:
        """Replaces what is read by the next element, where nothing batches."""
        statement = taken.statement
        names = taken.roots.names
        if taken.expression is not None:
            # The expression computes with a record.
            self._insert_next(draft, tf, ", ".join(names), draft.source.code(self._calls.next_element(dataset, tf)),
                              statement)
            return
        target: Any = statement.targets[0].target if len(names) > 1 else cst.parse_expression(names[0])
        element = self._calls.next_element(dataset, tf)
        if not self._controlled:
            draft.edits.replace(statement, statement.with_changes(
                targets=[statement.targets[0].with_changes(target=target)], value=element))
            return
        self._insert_next(draft, tf, draft.source.code(target), draft.source.code(element), statement)
        draft.edits.remove(statement)

    def _insert_next(self, draft: Draft, tf: str, target: str, element: str, statement: Any) -> None:
        """Inserts the statement that reads the next element before another one."""
        text = "{} = {}".format(target, element)
        if self._controlled:
            # What the queue's thread checked is checked where the element is read.
            text = "with {}.control_dependencies([{}]):\n    {}".format(tf, ", ".join(self._controlled), text)
        draft.edits.insert_before(statement, lambda: draft.source.parse(text))
