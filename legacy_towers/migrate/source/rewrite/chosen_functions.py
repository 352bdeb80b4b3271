"""Functions that read from a queue, of which a script calls one or another: each takes a dataset of what the queue
gives, and returns a dataset of its examples.

    READERS = {"images": read_images, "lines": read_lines}      also methods of several classes, functions that are
    example = READERS[kind](queue)                              passed, and calls in the branches of an `if`

    def read_lines(queue):                                      def read_lines(dataset):
        _, line = tf.TextLineReader().read(queue)                   dataset = dataset.flat_map(tf.data.TextLineDataset)
        return tf.size(line)                                        return dataset.map(tf.size)
"""
import functools
from typing import Any, List, NamedTuple, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.names import parameters
from legacy_towers.migrate.source.rewrite.origins import (
    DEQUEUE,
    ELEMENTS,
    READ,
    READ_UP_TO,
    Origin,
    bound_name,
    branches_of,
    reader_of,
)
from legacy_towers.migrate.source.rewrite.region import in_order, region_of, within_binding
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import producers, readers
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments, statements_of
from legacy_towers.migrate.source.values import Site


class Choice(NamedTuple):
    """The queue of a producer that one of several functions reads.

    Attributes:
      producer: the call that makes it.
      calls: the calls that it is passed to, with the arguments: one, or several in branches of one `if`.
      functions: the functions, each with its call that reads and the parameter that is the queue.
    """

    producer: Site
    calls: List[Tuple[cst.Call, cst.Arg]]
    functions: List[Tuple[Defined, Site, str]]


def chosen_stages(
    project: Project, pipeline: Pipeline, calls: Calls, joins: Joins
) -> Optional[List["ChosenStage"]]:
    """Returns the stages of a pipeline whose queues are read by one of several functions; None of another one."""
    reads = [site for site in pipeline.sites if site.name in (READ, READ_UP_TO)]
    found = [site for site in pipeline.sites if site.name in producers.PARAMETERS]
    if len(reads) < 2 or not found or calls.filled or any(
        site.name in ELEMENTS or site.name == DEQUEUE for site in pipeline.sites
    ):
        return None
    choices = [_choice(project, site, [each for each in reads if site in project.sources(each)], calls)
               for site in found]
    if any(each is None for each in choices) or all(len(each.functions) == 1 for each in choices if each):
        return None
    stages = []
    for choice in choices:
        assert choice is not None
        for number, (_, read, _) in enumerate(choice.functions):
            origin = Origin([choice.producer], reader_of(project, pipeline, calls, read, False), read)
            stages.append(ChosenStage(project, pipeline, calls, origin, joins, choice, number))
    return stages


def _choice(project: Project, site: Site, reads: List[Site], calls: Calls) -> Optional[Choice]:
    """Returns which functions read the queue of a producer, None if it is used otherwise."""
    draft = calls.draft(site.path)
    source = draft.source
    producer = calls.call(site)
    name = bound_name(source, producer)
    if not name:
        return None
    function = source.function(producer)
    body = function.body if function is not None else source.module
    uses = within_binding(source, body, source.statement(producer), name, uses_of(source, body, name))
    passed: List[Tuple[cst.Call, cst.Arg]] = []
    functions: List[Tuple[Defined, Site, str]] = []
    for use in uses:
        argument: Any = source.parents[use]
        call: Any = source.parents[argument]
        if not isinstance(argument, cst.Arg) or not isinstance(call, cst.Call) or argument.star:
            return None
        passed.append((call, argument))
        for defined in calls.functions_of(draft, call):
            if _only_raises(defined.node):
                continue
            read = _read_in(defined, call, use, reads, calls)
            if read is None:
                return None
            if all(read[0] is not each for _, each, _ in functions):
                functions.append((defined,) + read)
    is_one = len(passed) == 1 or bool(passed) and branches_of(source, [call for call, _ in passed]) is not None
    is_all = {id(each) for _, each, _ in functions} == {id(each) for each in reads}
    return Choice(site, passed, functions) if is_one and is_all else None


def _only_raises(function: cst.FunctionDef) -> bool:
    """Returns whether a function only raises an error, as those of abstract classes do."""
    return all(isinstance(each, cst.Raise) or isinstance(each, cst.Expr) and isinstance(each.value, cst.SimpleString)
               for each in statements_of(function.body))


def _read_in(
    defined: Defined, call: cst.Call, use: Any, reads: List[Site], calls: Calls
) -> Optional[Tuple[Site, str]]:
    """Returns the call by which a function reads the queue that it gets, with the parameter; None if it does not."""
    given = arguments(call, parameters(defined.node)[1 if defined.is_method else 0 :])
    name = next((name for name, value in (given or {}).items() if value is use), "")
    source = defined.draft.source
    found = [site for site in reads if site.path == source.path and (
        source.function(calls.call(site)) is defined.node)]
    used = uses_of(source, defined.node.body, name) if name else []
    if len(found) != 1 or len(used) != 1:
        return None
    read = calls.call(found[0])
    return (found[0], name) if read.args and read.args[0].value is used[0] else None


class ChosenStage(SourceStage):
    """One of the functions that read the queue of a producer.

    Args:
      project, pipeline, calls, origin, joins: as for SourceStage.
      choice: the functions.
      number: which of them this is.
    """

    def __init__(
        self, project: Project, pipeline: Pipeline, calls: Calls, origin: Origin, joins: Joins, choice: Choice,
        number: int,
    ) -> None:
        super().__init__(project, pipeline, calls, origin, joins)
        self._choice = choice
        self._is_first = number == 0
        self._function, _, self._parameter = choice.functions[number]

    def entry(self, is_batched: bool) -> Optional[Entry]:
        """Writes the dataset of the producer and the function, and returns where the function gets records."""
        if not is_batched:
            raise Irregular(self.read, "its examples come from several reads")
        name = self._calls.dataset_parameter(self._function)
        if self._is_first:
            self._write_producer(name)
        key = (self._function.function, self._parameter)
        if key in self._calls.entries:
            # Another producer's queue is passed to the function, too.
            return self._calls.entries[key]._replace()
        there, node = self._function.draft, self._function.node
        source, edits = there.source, there.edits
        read = self._calls.call(self.read)
        inner = Scope(source, node)
        tf = self._calls.tensorflow(inner, self.read)
        taken = self.takes.of(there, read)
        inside = source.between(read, node)
        if any(isinstance(each, LOOPS) for each in inside) or taken.statement not in in_order(node.body):
            raise Irregular(self.read, "the function reads its queue in a loop or a branch", source.line(read))
        records = self.reading.records(inner, tf)
        assert records is not None
        count = self.reading.count(inner) if self.reads_many() else ""
        if count and not records.of_file:
            raise Irregular(self.read, "the file names of its reader come one by one")
        self.reading.remove()
        for param in node.params.params:
            if param.name.value == self._parameter:
                edits.replace(param.name, cst.Name(name))
        taken.use_names(edits)
        lines = readers.lines_of(records, name, bool(taken.key), "", count)
        if lines:
            edits.insert_before(taken.statement, lambda: source.parse("\n".join(lines)))
        entry = Entry(there, node, taken.statement, taken.roots, taken.expression is not None, name)
        self._calls.entries[key] = entry
        return entry

    def _write_producer(self, name: str) -> None:
        """Writes the dataset of file names, and passes it to the functions; `name` is their parameter."""
        site = self._choice.producer
        draft = self._calls.draft(site.path)
        source, edits = draft.source, draft.edits
        producer = self._calls.call(site)
        first = source.statement(producer)
        scope = Scope(source, source.function(producer))
        tf = self._calls.tensorflow(scope, site)
        dataset = self._calls.dataset_name(scope)
        lines = self.producer_lines(draft, scope, tf, dataset, site, producer)
        edits.remove(first)
        edits.insert_before(first, lambda: source.parse("\n".join(lines)))
        others = {self._calls.dataset_parameter(each) for each, _, _ in self._choice.functions}
        for call, argument in self._choice.calls:
            self._check_place(draft, first, call)
            if argument.keyword is not None and others != {name}:
                raise Irregular(self.read, "the functions that read its queue would have different parameters")
            passed: Any = cst.Name(dataset)
            several = self._joins.readers_of(draft, source.statement(call))
            if several:
                # Each of the readers has one file at a time.
                passed = cst.parse_expression("{}.data.Dataset.from_tensors(filename)".format(tf))
            keyword = cst.Name(name) if argument.keyword is not None else None
            edits.replace(argument, functools.partial(_with, passed, keyword))
            self._calls.passed[call] = (dataset, several)

    def _check_place(self, draft: Draft, first: Any, call: Any) -> None:
        source = draft.source
        statement = self._joins.place(source, source.statement(call))
        inside = [each for each in source.between(call, source.statement(call)) if isinstance(each, LOOPS)]
        block = region_of(source, first)
        if (inside and not self._joins.is_value(call)) or any(
            isinstance(each, LOOPS + (cst.FunctionDef, cst.Try)) for each in source.between(statement, block)
        ):
            raise Irregular(self.read, "it is read in another block than its queue is made in: in a loop, perhaps",
                            source.line(call))


def _with(value: Any, keyword: Any, argument: cst.Arg) -> cst.Arg:
    return argument.with_changes(value=value, keyword=keyword)
