"""Writes one pipeline: its producer, reader and batchers become a tf.data.Dataset.

    queue = string_input_producer(files)      dataset = Dataset.from_tensor_slices(files).shuffle(...).repeat()
    key, value = reader.read(queue)           dataset = dataset.flat_map(TFRecordDataset)
    a = decode(value); b = f(a)               def parse(value): a = decode(value); b = f(a); return a, b
                                              dataset = dataset.map(parse)
    x, y = shuffle_batch([a, b], 8, ...)      dataset = dataset.shuffle(...).batch(8).prefetch(1)
                                              x, y = make_one_shot_iterator(dataset).get_next()

`Entry` is where a function gets examples, and `follow` goes from there to what takes them: a batcher, a function of the
project that batches, or a return statement, whose callers are followed then.
"""
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.queue_api import DESCRIPTIONS
from legacy_towers.migrate.source.rewrite import region, summary_names
from legacy_towers.migrate.source.rewrite.attributes import name_locally, named_locally, with_variables
from legacy_towers.migrate.source.rewrite.batch_stage import BatchStage
from legacy_towers.migrate.source.rewrite.branched import Branched
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots
from legacy_towers.migrate.source.rewrite.filled_queue import filled_queues
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.kept import Kept
from legacy_towers.migrate.source.rewrite.kept_reads import follow_kept
from legacy_towers.migrate.source.rewrite.loop_constants import with_constants
from legacy_towers.migrate.source.rewrite.mapping import write_map
from legacy_towers.migrate.source.rewrite.names import names_of, parameters, read_first, targets
from legacy_towers.migrate.source.rewrite.optional_batch import optional_batch, write_optional
from legacy_towers.migrate.source.rewrite.passing import Passing
from legacy_towers.migrate.source.rewrite.prefetch_stage import PrefetchStage
from legacy_towers.migrate.source.rewrite.queue_stage import QueueStage
from legacy_towers.migrate.source.rewrite.read_in_branches import read_in_branches
from legacy_towers.migrate.source.rewrite.regular import check_only_of_queues, check_regular
from legacy_towers.migrate.source.rewrite.results import returned_element
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.single import is_single, write_single
from legacy_towers.migrate.source.rewrite.sinks import Sinks
from legacy_towers.migrate.source.rewrite.size_summaries import without_size_summaries
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.stacked import stack_tuples
from legacy_towers.migrate.source.rewrite.stages import stages_of
from legacy_towers.migrate.source.rewrite.unread_collections import removes_unread
from legacy_towers.migrate.source.rewrite.unused_batch import without_unused_batches
from legacy_towers.migrate.source.rewrite.used_after import check_unused_after, summaries_after
from legacy_towers.migrate.source.rewrite.zipped import Zip
from legacy_towers.migrate.source.values import Site


class PipelineWriter:
    """Writes one pipeline.

    Args:
      project: the project.
      pipeline: the pipeline.
      draft: returns the draft of a file.
      is_only: whether the project has no other pipeline.
    """

    def __init__(
        self, project: Project, pipeline: Pipeline, draft: Callable[[str, Site], Draft], is_only: bool = True
    ) -> None:
        self.calls = Calls(project, pipeline, draft, is_only)
        pipeline = without_size_summaries(project, pipeline, self.calls)
        # Descriptions of files have no queues, and stay.
        pipeline = pipeline._replace(sites=[each for each in pipeline.sites if each.name not in DESCRIPTIONS])
        self.calls.filled, pipeline = filled_queues(project, pipeline, self.calls)
        pipeline = without_unused_batches(pipeline, self.calls)
        check_regular(project, pipeline)
        check_only_of_queues(pipeline, self.calls)
        self.joins = Joins(self.calls, pipeline.sites)
        self._stages, pipeline = stages_of(project, pipeline, self.calls, self.joins)
        # The one whose examples are followed.
        self.stage = self._stages[0]
        self.batchers = BatchStage(pipeline, self.calls, self._stages, self.joins)
        self.passing = Passing(
            self.calls, self.joins, self.stage.read, self._follow, self._is_taken,
            lambda entries: Zip(self.calls, self.joins, self.batches.sites).is_one_example(entries))
        own = [self.calls.call(each) for stage in self._stages for each in stage.sites]
        self.branched = Branched(self.calls, self.batchers, self.stage.read, own, self._follow)
        self.later: Any = PrefetchStage(project, pipeline, self.calls)
        self.queue = QueueStage(project, pipeline, self.calls)
        if self.queue.sites and self.later.sites:
            raise Irregular(self.queue.sites[0], "its examples go through several queues")
        self.later = self.later if self.later.sites else self.queue
        # The stage whose calls are looked for.
        self.batches: Any = self.batchers if self.batchers.sites else self.later
        if len(self._stages) > 1 and len(self.later.sites) not in (0, len(self._stages)):
            raise Irregular(self.later.sites[0], "its batches come from several producers")
        self.sinks = Sinks(self.calls, self.joins, self.stage.read)
        self._is_one_dataset = True
        self._followed: Dict[Tuple[str, Any, Any], Entry] = {}
        # Statement that takes examples -> where the function gets them.
        self._taken: Dict[Any, Entry] = {}

    def write(self) -> None:
        """Edits the drafts.

        Raises:
          Irregular: the pipeline can't be rewritten.
        """
        is_batched = bool(self.batchers.sites or self.later.sites)
        found = [(stage, stage.entry(is_batched)) for stage in self._stages]
        reads = [(stage, entry) for stage, entry in found if entry is not None]
        zipped = Zip(self.calls, self.joins, self.batches.sites)
        # Several producers whose queues are passed to one function that reads have one entry.
        places = {(entry.draft.source.path, entry.function, entry.statement) for _, entry in reads}
        self._is_one_dataset = len(self._stages) == 1 or len(places) == len(reads) and zipped.is_one_example(
            [entry for _, entry in reads])
        if len(reads) > 1 and self._is_one_dataset:
            reads = [(self._stages[0], zipped.write(reads))]
        own = [self.calls.call(each) for stage in self._stages for each in stage.sites]
        joined = read_in_branches(self.calls, reads, self._block, own) if len(reads) > 1 else None
        if joined is not None:
            self._is_one_dataset, reads = True, [(self._stages[0], joined)]
        self.batchers.is_one_dataset = self._is_one_dataset
        for stage, entry in reads:
            self._go_to(stage)
            stage.is_single = not self._is_one_dataset and self._is_single(entry)
        for stage, entry in reads:
            self._go_to(stage)
            if stage.is_single:
                self.calls.is_only_pipeline = False
                write_single(self.calls, entry, stage.read)
            else:
                self._follow(entry)
        if len({stage.is_one_by_one for stage in self._stages}) > 1:
            # What is read from the second producer goes through a function that is written for the first one.
            raise Irregular(self._stages[1].read, "it reads many records at a time, for several producers")
        self.passing.check_branches()
        self.joins.remove_loops()
        self.batchers.check_all_written()
        self.later.check_all_written()
        self.calls.check_all_handled()

    def _go_to(self, stage: SourceStage) -> None:
        self.stage = self.batchers.stage = stage
        self.passing.read = self.sinks.read = stage.read

    def _is_single(self, entry: Entry) -> bool:
        """Returns whether examples are used in their block only, where nothing batches them."""
        statements, start = self._statements(entry)
        sink = self.sinks.first(entry, statements, start, self.batches, False)
        is_taken = sink >= 0 and (not isinstance(statements[sink], cst.Return) or bool(
            self.batches.batches_in(entry, statements[sink])))
        return not is_taken and is_single(
            self.calls, entry, statements, start, self.batchers.sites + self.later.sites)

    # From an entry to what takes the examples

    def _follow(self, entry: Entry) -> None:
        source = entry.draft.source
        key = (source.path, entry.function, entry.branch[-1] if entry.branch else entry.statement)
        before = self._followed.setdefault(key, entry)
        if before is not entry:
            # A function that is reached from several producers or calls.
            if (before.roots, before.dataset) != (entry.roots, entry.dataset):
                raise Irregular(self.stage.read, "a function gets examples of several producers in different ways",
                                source.line(entry.statement or entry.function or source.module))
            return
        statements, start = self._statements(entry)
        kept = Kept(self.calls, self.batches, self.stage.read)
        if len(self._stages) == 1 and kept.is_kept(entry, statements[start:]):
            kept.write(entry, statements, start)
            return
        sink = self.sinks.first(entry, statements, start, self.batches, self._is_one_dataset)
        if sink < 0:
            if len(self._stages) == 1 and follow_kept(
                self.calls, self.stage.read, entry, statements, start, self._follow
            ):
                return
            raise Irregular(self.stage.read, "what it reads is neither batched nor returned there",
                            source.line(entry.statement or entry.function or source.module))
        is_plain = self.batches is self.batchers and not self.later.sites and (
            len(self._stages) == 1 or not self._is_one_dataset)
        early = self.branched.early_return(entry, statements, start, sink) if is_plain else -1
        if early >= 0:
            self._take(entry, statements[early])
            if self.branched.is_written(entry, statements, start, early):
                return
        self._take(entry, statements[sink])
        if not is_plain or not self.branched.is_written(entry, statements, start, sink):
            self._write_sink(entry, statements, start, sink)

    def _take(self, entry: Entry, statement: Any) -> None:
        """Records that a statement takes the examples of an entry."""
        if self._taken.setdefault((self.batches, statement), entry) is not entry:
            raise Irregular(self.stage.read, "examples of several producers are in one batch: read each from its "
                            "own dataset, and zip the datasets", entry.draft.source.line(statement))

    def _statements(self, entry: Entry) -> Tuple[List[Any], int]:
        """Returns the statements of the block that gets examples, and the number of the first one after the reader."""
        source = entry.draft.source
        if entry.statement is not None:
            block = region.region_of(source, self.joins.place(source, entry.statement))
        else:
            block = entry.function.body if entry.function is not None else source.module
        # A queue takes dtypes and shapes from an example, and goes, as what was in a list for a join.
        statements = [
            each for each in entry.branch or region.in_order(block, self.joins.loops)
            if each is entry.statement or entry.is_shared(each)
            or not self.queue.is_made_in(entry, each) and not entry.draft.edits.is_removed(each)
        ]
        return statements, statements.index(entry.statement) + 1 if entry.statement is not None else 0

    def _block(self, entry: Entry) -> Tuple[List[Any], int, bool]:
        """Returns the statements of the block that gets examples, the first one after the reader, whether they go."""
        statements, start = self._statements(entry)
        return statements, start, self.sinks.first(entry, statements, start, self.batches, False) >= 0

    def _is_taken(self, entry: Entry) -> bool:
        """Returns whether a batcher or a function takes the examples that code gets, or it returns or keeps them."""
        if self.batches is not self.batchers:
            # Batches, which another queue takes.
            return True
        statements, start = self._statements(entry)
        kept = Kept(self.calls, self.batches, self.stage.read)
        return kept.is_kept(entry, statements[start:]) or (
            self.sinks.first(entry, statements, start, self.batches, self._is_one_dataset) >= 0)

    # What takes the examples

    def _write_sink(self, entry: Entry, statements: List[Any], start: int, number: int) -> None:
        source = entry.draft.source
        statement = statements[number]
        site = self.stage.read
        checks = Checks(self.calls.project.knowledge, source, removes_unread(self.calls, site), True)
        first = [entry.statement] if entry.is_computing and entry.statement is not statement else []
        first += entry.computing
        try:
            examples = region.computing(
                statements, start, number, set(entry.roots.names), first, checks.is_random
            )
        except region.Unclear as unclear:
            raise Irregular(site, str(unclear), source.line(unclear.node)) from None
        examples = with_constants(source, examples, statements[:number], self.joins.loops)
        if self.batches is self.queue:
            examples = self.queue.apart(entry, examples, statement)
        kept = sorted(each for each in examples.names if each.startswith("self."))
        variables = name_locally(self.calls, entry, examples, statement, kept, site)
        mapped = with_variables(entry, variables)
        for each in examples.statements:
            if region.exits(each):
                raise Irregular(site, "examples are computed in a statement that also returns", source.line(each))
            if self.batches.batches_in(entry, each):
                raise Irregular(site, "examples are computed from batches of them", source.line(each))
        own = [self.calls.call(each) for stage in self._stages for each in stage.sites]
        batches = self.batches.batches_in(entry, statement)
        later = self.batches.batches_later(entry, statements[number:])
        after = summaries_after(statements, number, examples, checks) if batches and not later else []
        examples = examples._replace(statements=examples.statements + after)
        taking = batches + [each for _, found in later for each in found]
        inside = list(examples.statements)
        inside += self.sinks.expressions(entry, statement, taking, examples.names, self.batches)
        problem = checks.problem_inside(inside, own)
        if problem is not None:
            raise Irregular(site, problem[0], problem[1])
        examples = examples._replace(statements=[
            each for each in examples.statements if entry.is_shared(each) or not entry.draft.edits.is_removed(each)])
        check_unused_after(entry, statements, number, examples, [each for each, _ in later] + after, site,
                           self.later.sites[0] if self.batches is self.later else None)
        batches += [each for _, found in later for each in found]
        takers = self.sinks.takers_in(entry, statement, examples.names, self.batches)
        scope = Scope(source, entry.function)
        listed = self.joins.of(takers[0][0]) if len(takers) == 1 and not batches else None
        if not batches and not takers:
            listed = self.joins.returned_by(statement)
        beside: List[int] = []
        if batches:
            element = self.batches.element(entry, batches, examples, scope)
        elif listed is not None:
            element = self.batchers.example(entry, listed.site, listed.call, None, examples, scope, True)
        elif takers:
            element = self.passing.taker_element(entry, takers, examples.names)
        else:
            element, beside = returned_element(self.calls, self.stage.read, entry, statement, examples)
        element = named_locally(element, variables)
        stack_tuples(self.calls, entry, examples.statements, element, site)
        captured = self._captured(entry, examples, element)
        why = checks.problem_of_captured(captured, scope, examples.statements)
        if why is not None:
            raise Irregular(site, why)
        if checks.uses_table(captured, scope):
            if self.batches is not self.batchers or self.later.sites or not self.calls.initializes_tables():
                raise Irregular(site, "it computes examples with a table, and nothing would initialize the iterator of "
                                "its dataset: run tf.tables_initializer()")
            self.batchers.is_initialized = True
        threads = self.batches.threads(batches, scope) if listed is None else self.joins.threads(listed.call)
        self._check_settings(entry, self.batches.settings(batches), threads, examples)
        optional = [] if later or self.later.sites or self.batches is not self.batchers else optional_batch(
            entry, statement, batches, element, examples, statements[number + 1 :])
        if optional and mapped.roots != entry.roots:
            raise Irregular(site, "it keeps an example in {}, and uses it with and without a batch".format(
                entry.roots.names[0]))
        summarizes = checks.summarizes or checks.calls_unknown(inside, scope, own) and (
            self.calls.project.imports.has(source.path, summary_names.IN_CODE))
        if summarizes and (optional or self.batchers.is_initialized):
            raise Irregular(site, "it makes summaries of single examples where a table is needed, or where an "
                            "example is also used without a batch: summarize the batch")
        joining = batches if self.batches is self.batchers else []
        turns = self.batchers.turns(joining if listed is None else [(listed.site, listed.call)], lambda: (
            self.calls.tensorflow(scope, site)))
        if turns is not None and (optional or element.is_many or self.batchers.is_initialized):
            raise Irregular(site, "its examples depend on the number of a thread, and are used without a batch, by "
                            "many at a time or with a table")
        if optional:
            example = write_map(self.calls, mapped, statement, examples, element, threads, optional)
            write_optional(self.batchers, entry, statement, optional, batches, example,
                           self.calls.tensorflow(scope, site))
        else:
            if self.batches is self.later and self.batchers.sites:
                names: Tuple[str, ...] = ("prepare", "prepare_batch")
            else:
                names = ("parse", "parse_example", "parse_record")
            summarized = self.calls.tensorflow(scope, site) if summarizes else ""
            self.stage.is_mapped |= bool(write_map(
                self.calls, mapped, statement, examples, element, threads, names=names, summarized=summarized,
                turns=turns))
            self._write_batches(entry, statement, batches, element)
        for call, function in takers:
            self.passing.check_block(entry, call, source.block(statement))
            self.passing.write_taker(entry, call, function, examples.names, element, listed)
        if not batches and not takers:
            self.passing.write_return(entry, statement, element, listed=listed, beside=beside)
        for each in [statement] + [one for one, _ in later]:
            # What the new statement reads, without the calls that took the examples.
            used = read_first([entry.draft.edits.done(each)]) & examples.names
            if used and not entry.draft.edits.is_removed(each):
                raise Irregular(site, "{!r} holds one example, and is used beside the batch".format(sorted(used)[0]),
                                source.line(each))

    def _write_batches(
        self, entry: Entry, statement: Any, batches: Sequence[Tuple[Site, cst.Call]], element: Element
    ) -> None:
        source = entry.draft.source
        scope = Scope(source, entry.function)
        if self.batches is self.later:
            for site, call in batches:
                self.later.write(entry, site, call, scope, self.batchers.prefetches(entry))
            return
        is_last = not self.later.sites
        for site, call in batches:
            self.batchers.write(entry, site, call, scope, source.block(statement), is_last)
        if is_last or not batches:
            return
        self.batches = self.later
        site, places = batches[0][0], [source.statement(call) for _, call in batches]
        if len(places) == 1 and isinstance(places[0], cst.Return) and places[0].value is batches[0][1]:
            self.passing.write_return(entry, places[0], element)
        elif all(isinstance(each, cst.Assign) and each.value is call for each, (_, call) in zip(places, batches)):
            self._follow(self._batched(entry, statement, site, places, element))
        else:
            raise Irregular(site, "the batch is used in an expression before it is queued")
        self.batches = self.batchers

    def _batched(self, entry: Entry, statement: Any, site: Site, places: Sequence[Any], element: Element) -> Entry:
        """Returns where code gets the batches, which are queued once more."""
        bound = [targets(each) for each in places]
        names = tuple(each.value for each in bound[0] if isinstance(each, cst.Name))
        is_all = len(names) == 1 and (element.size > 1 or element.is_all)
        same = {tuple(entry.draft.source.code(each) for each in found) for found in bound}
        if len(same) > 1 or len(names) != len(bound[0]) or not is_all and len(names) != element.size:
            raise Irregular(site, "the source does not show the names of the batch that is queued")
        for each in places:
            entry.draft.edits.remove(each)
        return Entry(entry.draft, entry.function, statement, Roots(names, is_all), False, entry.dataset)

    def _check_settings(
        self, entry: Entry, settings: List[Any], threads: str, examples: region.Examples
    ) -> None:
        """Raises Irregular if a statement that computes an example also sets what batches are made with."""
        bound = set().union(*(names_of(each).bound for each in examples.statements)) - examples.apart
        read = names_of(*settings).read
        if threads:
            # The argument of the function is as good a number of threads: it changes no example.
            given = set(parameters(entry.function)) if entry.function is not None else set()
            read |= names_of(cst.parse_expression(threads)).read - given
        used = sorted(read & bound)
        if used:
            raise Irregular(self.stage.read, "{!r} is set by a statement that computes an example, and batches are "
                            "made with it: set it in a statement of its own".format(used[0]))

    def _captured(self, entry: Entry, examples: region.Examples, element: Element) -> Set[str]:
        read: Set[str] = set(element.names)
        bound = set(entry.roots.names)
        for each in examples.statements:
            found = names_of(each)
            read |= found.read
            bound |= found.bound
        return read - bound
