"""Examples whose parts come from several readers, as one dataset.

    _, content = image_reader.read(image_queue)     dataset = dataset.map(read_file)
    _, line = label_reader.read(label_queue)        dataset_2 = dataset_2.flat_map(TextLineDataset)
                                                    dataset = Dataset.zip((dataset, dataset_2))
    image = decode(content); label = f(line)        def parse(content, line): ...
"""
from typing import Any, List, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.region import in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.values import Site

Read = Tuple[SourceStage, Entry]


class Zip:
    """What is read from several producers of a pipeline.

    Args:
      calls: the functions and calls of the pipeline.
      joins: its lists of examples.
      batching: its calls that take examples.
    """

    def __init__(self, calls: Calls, joins: Joins, batching: Sequence[Site]) -> None:
        self._calls = calls
        self._joins = joins
        self._batching = batching

    def is_one_example(self, entries: Sequence[Entry]) -> bool:
        """Returns whether what several entries give is put together, before it is batched."""
        if len(entries) < 2 or len({(id(each.draft), id(each.function)) for each in entries}) > 1:
            return False
        source = entries[0].draft.source
        blocks = [region_of(source, self._joins.place(source, each.statement)) for each in entries]
        if any(each is not blocks[0] for each in blocks):
            return False
        statements = in_order(blocks[0], self._joins.loops)
        used: Set[int] = set()
        for entry in entries:
            reached = self._reached(entry, statements)
            if reached & used:
                return True
            used |= reached
        return False

    def _reached(self, entry: Entry, statements: List[Any]) -> Set[int]:
        """Returns the numbers of the statements that take something of an entry, up to those that batch."""
        names = set(entry.roots.names)
        first = statements.index(entry.statement)
        if entry.is_computing:
            names |= names_of(entry.statement).bound
        found: Set[int] = set()
        for number, statement in enumerate(statements[first + 1 :], first + 1):
            here = names_of(statement)
            if here.read & names:
                found.add(number)
                if not self._batches(entry, statement):
                    names |= here.bound | here.changed
            else:
                names -= here.bound
        return found

    def _batches(self, entry: Entry, statement: Any) -> bool:
        if self._calls.among(self._batching, entry.draft.source.path, statement):
            return True
        functions = [self._calls.function_of(entry.draft, each) for each in calls_in(statement)]
        return any(self._calls.is_inside(site, each) for each in functions if each is not None
                   for site in self._batching)

    def write(self, reads: Sequence[Read]) -> Entry:
        """Writes the dataset of examples, and returns where code gets them.

        Args:
          reads: what is read from each producer.
        """
        first = reads[0][1]
        source, edits = first.draft.source, first.draft.edits
        order = [id(each) for each in in_order(region_of(source, first.statement), self._joins.loops)]
        reads = sorted(reads, key=lambda pair: order.index(id(pair[1].statement)))
        names: List[str] = []
        for stage, entry in reads:
            is_joined = self._joins.place(source, entry.statement) is not entry.statement
            if len(entry.roots.names) != 1 or entry.roots.is_all or is_joined or stage.reads_many():
                raise Irregular(stage.read, "examples of several producers are in one batch: read each from its own "
                                "dataset, and zip the datasets")
            (name,) = entry.roots.names
            if "." in name:
                raise Irregular(stage.read, "an object keeps what one of several readers reads: bind it to a variable")
            if name in names:
                name = stage.renamed(name) if stage.is_passed else self._renamed(stage, entry, name)
            names.append(name)
        if len({id(entry.statement) for _, entry in reads}) < len(reads):
            raise Irregular(reads[1][0].read, "one statement reads from several queues")
        first, last = reads[0][1], reads[-1][1]
        tf = self._calls.tensorflow(Scope(source, first.function), reads[0][0].read)
        line = "{} = {}.data.Dataset.zip(({}))".format(
            first.dataset, tf, ", ".join(entry.dataset for _, entry in reads))
        edits.insert_before(last.statement, lambda: source.parse(line))
        computing = tuple(entry.statement for _, entry in reads[1:] if entry.is_computing)
        return first._replace(roots=Roots(tuple(names)), computing=computing)

    def _renamed(self, stage: SourceStage, entry: Entry, name: str) -> str:
        """Gives a record another name where code reads it, up to where the name is bound again, and returns the name.

        Raises:
          Irregular: the source does not show where it is read.
        """
        source, edits = entry.draft.source, entry.draft.edits
        new = Scope(source, None).fresh(name + "_2")
        statements = in_order(region_of(source, entry.statement), self._joins.loops)
        for statement in statements[statements.index(entry.statement) + 1 :]:
            is_bound = name in names_of(statement).bound
            uses = uses_of(source, statement, name)
            # What a statement batches or returns is taken from the source.
            is_taken = bool(uses) and (isinstance(statement, cst.Return) or self._batches(entry, statement))
            if entry.is_computing or is_taken or is_bound and not isinstance(statement, cst.Assign):
                break
            for each in uses:
                edits.replace(each, cst.Name(new))
            if is_bound:
                return new
        else:
            return new
        raise Irregular(stage.read, "{!r} is the name of what two readers read".format(name))
