"""A queue of records, which a queue runner fills by readers, between a producer and what computes or batches examples.

    if train:                                            dataset = from_tensor_slices(files)...
        records = tf.RandomShuffleQueue(100, 50, ...)    dataset = dataset.interleave(TFRecordDataset, cycle_length=4)
    else:                                                if train:
        records = tf.FIFOQueue(100, ...)                     dataset = dataset.shuffle(100)
    enqueues = []
    for _ in range(4):                                   def parse(record): ...
        _, value = tf.TFRecordReader().read(files)
        enqueues.append(records.enqueue([value]))        dataset = dataset.map(parse)
    add_queue_runner(QueueRunner(records, enqueues))
    record = records.dequeue()

A branch may read without the queue, and the function that makes the queue may return it.
"""
from typing import Any, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.origins import DEQUEUE, READ, Origin, bound_name, branches_of
from legacy_towers.migrate.source.rewrite.reader import Reader
from legacy_towers.migrate.source.rewrite.reasons import why_kept
from legacy_towers.migrate.source.rewrite.record_shuffle import shuffle_lines
from legacy_towers.migrate.source.rewrite.record_takes import return_dataset, write_batch
from legacy_towers.migrate.source.rewrite.region import in_order, region_of
from legacy_towers.migrate.source.rewrite.repeated import counted
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import batchers, producers, queues, readers
from legacy_towers.migrate.source.rewrite.size_summaries import is_summarized
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.values import Site


def record_queue_of(
    project: Project, pipeline: Pipeline, calls: Calls, joins: Joins
) -> Optional["RecordQueueStage"]:
    """Returns the stage of a queue of records; None if the pipeline has none, or one that QueueStage rewrites."""
    made = [each for each in _named(pipeline, tuple(queues.PARAMETERS)) if each not in calls.filled]
    takes = queues.dequeues_of(project, pipeline)
    reads, enqueues = _named(pipeline, (READ,)), _named(pipeline, (queues.ENQUEUE,))
    found = _named(pipeline, tuple(producers.PARAMETERS))
    if not (made and takes and reads and found and len(enqueues) == 1):
        return None
    read = _enqueued_read(calls, enqueues[0], reads)
    if read is None:
        return None
    batches = _named(pipeline, tuple(batchers.PARAMETERS))
    is_elsewhere = any(calls.call(each) and _function(calls, each) is not _function(calls, made[0]) for each in takes)
    if not batches and len(made) == 1 and not is_elsewhere:
        return None
    return RecordQueueStage(project, pipeline, calls, joins, found, made, read, reads, enqueues[0], takes)


def _named(pipeline: Pipeline, names: Tuple[str, ...]) -> List[Site]:
    return [site for site in pipeline.sites if site.name in names]


def _function(calls: Calls, site: Site) -> Any:
    return calls.draft(site.path).source.function(calls.call(site))


def _enqueued_read(calls: Calls, enqueue: Site, reads: Sequence[Site]) -> Optional[Site]:
    """Returns the call that reads what is queued, None if something else is queued."""
    given = arguments(calls.call(enqueue), ("vals", "name"))
    value: Any = (given or {}).get("vals")
    if isinstance(value, (cst.List, cst.Tuple)) and len(value.elements) == 1:
        value = value.elements[0].value
    source = calls.draft(enqueue.path).source
    for read in reads:
        if isinstance(value, cst.Name) and read.path == enqueue.path and _function(calls, read) is _function(
            calls, enqueue
        ) and _value_of(source, calls.call(read)) == value.value:
            return read
    return None


def _value_of(source: Any, read: cst.Call) -> str:
    """Returns the name of the value in `key, value = reader.read(queue)`, "" of another statement."""
    statement = source.statement(read)
    if not isinstance(statement, cst.Assign) or statement.value is not read or len(statement.targets) != 1:
        return ""
    target = statement.targets[0].target
    parts: List[Any] = [each.value for each in target.elements] if isinstance(target, cst.Tuple) else []
    return str(parts[1].value) if len(parts) == 2 and all(isinstance(each, cst.Name) for each in parts) else ""


class RecordQueueStage(SourceStage):
    """A producer, its readers and the queue that they fill with records.

    Args:
      project, pipeline, calls, joins: as for SourceStage.
      found: the producers.
      made: the calls that make the queue: one, or several in branches.
      read: the call that reads what is queued.
      reads: all calls that read; a second one reads where a branch has no queue.
      enqueue: the call that fills the queue.
      takes: the calls that take from it.
    """

    def __init__(
        self, project: Project, pipeline: Pipeline, calls: Calls, joins: Joins, found: List[Site], made: List[Site],
        read: Site, reads: List[Site], enqueue: Site, takes: List[Site],
    ) -> None:
        self._draft = calls.draft(read.path)
        self._source = self._draft.source
        self._makers = _named(pipeline, tuple(readers.PARAMETERS))
        self._calls, self._project = calls, project
        super().__init__(project, pipeline, calls, Origin(found, self._maker(read), read), joins)
        self._made, self._enqueue, self._takes_of_queue = made, enqueue, takes
        self._runners = _named(pipeline, (queues.RUNNER,))
        self._adds = _named(pipeline, (queues.ADD,))
        self._others = [each for each in reads if each is not read]
        self.queue_sites = made + [enqueue] + takes + self._runners + self._adds
        self.sites += self._others + self.queue_sites
        self._body_function = _function(calls, read)
        if len(self._runners) != 1 or len(self._others) > 1 or len(takes) != 1:
            raise Irregular(made[0], "its queue of records has several runners, or is read by several calls")
        for site in found + made + [enqueue] + self._runners + self._adds + self._others:
            if site.path != read.path or _function(calls, site) is not self._body_function:
                raise Irregular(site, "its queue of records is made in another function than it is filled in")

    def entry(self, is_batched: bool) -> Optional[Entry]:
        calls, draft, source = self._calls, self._draft, self._source
        scope = Scope(source, self._body_function)
        name = bound_name(source, calls.call(self._made[0]))
        loop = self._loop()
        files = self._files()
        self._check_uses(name, loop)
        dataset = calls.dataset_name(scope)
        tf = calls.tensorflow(scope, self._producer)
        for site in self._producers:
            statement = source.statement(calls.call(site))
            self._write(statement, self.producer_lines(draft, scope, tf, dataset, site, calls.call(site)))
            draft.edits.remove(statement)
        place = loop if loop is not None else source.statement(calls.call(self.read))
        in_loop = loop is not None and self._is_made_in(loop)
        count = source.code(counted(loop.iter)) if in_loop else ""
        lines = readers.lines_of(self._records(self.reading, scope, tf), dataset, False, "" if count == "1" else count)
        lines += shuffle_lines(calls, self._made, scope, dataset, place)
        self._write(place, lines)
        for other in self._others:
            reading = Reader(self._project, calls, self._maker(other), other, self._others)
            statement = source.statement(calls.call(other))
            self._write(statement, readers.lines_of(self._records(reading, scope, tf), dataset, False))
            draft.edits.remove(statement)
        self._remove(loop)
        return self._taken_by(files, place, dataset, is_batched)

    # What is in the code

    def _loop(self) -> Any:
        """Returns the loop that reads for each thread, None where one operation reads."""
        statement = self._source.statement(self._calls.call(self.read))
        loops = [each for each in self._source.above(statement) if isinstance(each, (cst.For, cst.While))]
        if not loops:
            return None
        loop: Any = loops[0]
        is_counted = isinstance(loop, cst.For) and counted(loop.iter) is not None and isinstance(loop.target, cst.Name)
        if len(loops) > 1 or not is_counted or uses_of(self._source, loop.body, loop.target.value):
            raise Irregular(self.read, "the loop that reads is not one over range(number), or uses the number")
        own = [self._source.statement(self._calls.call(each)) for each in (self.read, self._enqueue)]
        for each in in_order(loop.body):
            if each not in own and each is not self._reader_statement(self.read):
                raise Irregular(self.read, "the loop that reads does something else, too", self._source.line(each))
        return loop

    def _reader_statement(self, read: Site) -> Any:
        """Returns the statement that binds the reader in this function, None if there is none."""
        owner: Any = getattr(self._calls.call(read).func, "value", None)
        if not isinstance(owner, cst.Name):
            return None
        block = self._source.block(self._source.statement(self._calls.call(read)))
        found = [
            each for each in statements_of(block) if isinstance(each, cst.Assign) and isinstance(each.value, cst.Call)
            and owner.value in names_of(*each.targets).bound
        ]
        return found[0] if len(found) == 1 else None

    def _maker(self, read: Site) -> Site:
        """Returns the call that makes the reader of `read`."""
        statement = self._reader_statement(read)
        found = [each for each in self._makers if each in self._project.sources(read)]
        here = [each for each in found if statement is not None and each.path == self._source.path
                and self._calls.call(each) is statement.value]
        if len(here or found) != 1:
            raise Irregular(read, "the source does not show its reader")
        return (here or found)[0]

    def _is_made_in(self, loop: Any) -> bool:
        statement = self._reader_statement(self.read)
        owner = getattr(self._calls.call(self.read).func, "value", None)
        return isinstance(owner, cst.Call) or statement is not None and any(
            each is loop for each in self._source.above(statement))

    def _files(self) -> Any:
        """Returns the first statement of the producers: its own, or the `if` whose branches have them."""
        made = [self._calls.call(each) for each in self._producers]
        name = bound_name(self._source, made[0])
        branches = branches_of(self._source, made) if len(made) > 1 else None
        if not name or any(bound_name(self._source, each) != name for each in made) or len(made) > 1 and not branches:
            raise Irregular(self._producer, "its queue is used in another way")
        reads = [self._calls.call(each) for each in [self.read] + self._others]
        body = self._body()
        for use in uses_of(self._source, body, name):
            if not any(each in reads for each in self._source.above(use)):
                raise Irregular(self._producer, "its queue is also used in another way", self._source.line(use))
        return branches if branches is not None else self._source.statement(made[0])

    def _body(self) -> Any:
        return self._body_function.body if self._body_function is not None else self._source.module

    def _check_uses(self, name: str, loop: Any) -> None:
        """Raises Irregular if the queue, what is read or the list of enqueue operations are used for something else."""
        source, calls = self._source, self._calls
        if not name or any(bound_name(source, calls.call(each)) != name for each in self._made):
            raise Irregular(self._made[0], why_kept("it", source, source.statement(calls.call(self._made[0]))))
        own = [calls.call(each) for each in self.queue_sites if each.path == source.path]
        for use in uses_of(source, self._body(), name):
            is_own = any(each in own for each in source.above(use)) or is_summarized(self._draft, use)
            if not is_own and not isinstance(source.parents[use], cst.Return):
                raise Irregular(self._made[0], "{!r} is used for something else too".format(name), source.line(use))
        statement = source.statement(calls.call(self.read))
        key, value = [each.value.value for each in statement.targets[0].target.elements]
        uses = uses_of(source, self._body(), value)
        enqueue = calls.call(self._enqueue)
        if any(enqueue not in source.above(each) for each in uses):
            raise Irregular(self.read, "{!r} is queued, and is used after that too".format(value))
        keys = [source.statement(calls.call(each)).targets[0].target.elements[0].value.value for each in self._others]
        if any(uses_of(source, self._body(), each) for each in [key] + keys):
            raise Irregular(self.read, "its key is used, and a queue of records holds no keys")

    # Writing

    def _records(self, reading: Reader, scope: Scope, tf: str) -> readers.Records:
        records = reading.records(scope, tf)
        if records is None or not records.of_file:
            raise Irregular(self.read, "its queue of records has no reader of records")
        return records

    def _write(self, place: Any, lines: List[str]) -> None:
        self._draft.edits.insert_before(place, lambda: self._source.parse("\n".join(lines)))

    def _remove(self, loop: Any) -> None:
        """Removes the queue, its runner and what fills it."""
        source, edits = self._source, self._draft.edits
        going = [source.statement(self._calls.call(each)) for each in self._made + self._runners + self._adds]
        if loop is not None:
            going.append(loop)
        else:
            going += [source.statement(self._calls.call(each)) for each in (self.read, self._enqueue)]
        for read in [self.read] + self._others:
            statement = self._reader_statement(read)
            if statement is not None and self._reader is not None and statement not in going:
                self._check_reader(statement, read)
                going.append(statement)
            elif statement is None:
                self.reading.remove()
        going += self._lists(going)
        for statement in dict.fromkeys(going):
            if not edits.is_removed(statement):
                edits.remove(statement)
        branches = branches_of(source, [self._calls.call(each) for each in self._made]) if len(self._made) > 1 else None
        parts = [branches.body] if branches is not None else []
        if branches is not None and isinstance(branches.orelse, cst.Else):
            parts.append(branches.orelse.body)
        if branches is not None and all(edits.is_removed(each) for part in parts for each in statements_of(part)):
            edits.remove(branches)

    def _check_reader(self, statement: Any, read: Site) -> None:
        bound = sorted(names_of(*statement.targets).bound)
        block = self._source.block(statement)
        uses = [use for name in bound for use in uses_of(self._source, block, name)]
        if any(self._source.parents[use] is not self._calls.call(read).func for use in uses):
            raise Irregular(read, "its reader is used elsewhere", self._source.line(statement))

    def _lists(self, going: List[Any]) -> List[Any]:
        """Returns the statements that make the list of enqueue operations, or the operation."""
        found = []
        given = arguments(self._calls.call(self._runners[0]), (
            "queue", "enqueue_ops", "close_op", "cancel_op", "queue_closed_exception_types"))
        names = names_of((given or {}).get("enqueue_ops", cst.Name("None"))).read
        names -= names_of(self._calls.call(self._enqueue)).read
        for each in in_order(region_of(self._source, going[0])) + in_order(self._source.block(
                self._source.statement(self._calls.call(self._runners[0])))):
            bound = names_of(each).bound
            if isinstance(each, cst.Assign) and bound and bound <= names:
                found.append(each)
        for name in sorted(names & set().union(*(names_of(each).bound for each in found)) if found else ()):
            for use in uses_of(self._source, self._body(), name):
                above = self._source.above(use)
                if not any(each is one for each in above for one in going + found):
                    raise Irregular(self._enqueue, "its operation is used for something else, too",
                                    self._source.line(use))
        return found

    # What takes from the queue

    def _taken_by(self, files: Any, place: Any, dataset: str, is_batched: bool) -> Optional[Entry]:
        take = self._takes_of_queue[0]
        draft, function, name = self._draft, self._body_function, dataset
        if take.path != draft.source.path or _function(self._calls, take) is not function:
            draft, function, name = return_dataset(
                self._calls, self._draft, self._body_function, self._made[0], take, dataset)
            if take.path != draft.source.path or _function(self._calls, take) is not function:
                raise Irregular(take, "its queue is passed on from the function that gets it")
            if self._others:
                raise Irregular(take, "a branch reads without the queue that is returned")
        source = draft.source
        call = self._calls.call(take)
        statement = source.statement(call)
        if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1 or (
            not isinstance(statement.targets[0].target, cst.Name)
        ):
            raise Irregular(take, "its result is used in an expression")
        record = statement.targets[0].target.value
        if not is_batched or take.name != DEQUEUE:
            if is_batched or take.name == DEQUEUE:
                raise Irregular(take, "it dequeues records that are not batched, or several of them for a batch")
            write_batch(self._calls, take, draft, Scope(source, function), name, self.is_endless)
            return None
        draft.edits.remove(statement)
        if not self._others:
            if region_of(self._source, files) is not region_of(self._source, place):
                raise Irregular(self.read, "it is read in another block than its queue is made in: in a loop, perhaps")
            return Entry(draft, function, statement, Roots((record,)), False, name)
        other = self._calls.call(self._others[0])
        branches = branches_of(source, [call, other])
        if branches is None or _value_of(source, other) != record or region_of(source, branches) is not region_of(
            source, files
        ):
            raise Irregular(self._others[0], "its examples come from several reads")
        return Entry(draft, function, branches, Roots((record,)), False, name)
