"""Queues that an object keeps, which a method of it reads.

    self.queue = string_input_producer(files)       self.dataset = from_tensor_slices(files)...

    def read(self):                                 def read(self):
        _, value = self.reader.read(self.queue)         dataset = self.dataset
        return decode(value)                            dataset = dataset.map(parse)
                                                        return dataset
"""
from typing import Any, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import is_of_self, parameters
from legacy_towers.migrate.source.rewrite.objects import check_once, class_of
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, Origin
from legacy_towers.migrate.source.rewrite.reasons import why_shared
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.taken import Taken
from legacy_towers.migrate.source.values import Site


def is_held(draft: Draft, producer: cst.Call, path: str, read: cst.Call) -> bool:
    """Returns whether the queue of a producer is kept as `self.queue`, and read in another method of the class."""
    source = draft.source
    statement = source.statement(producer)
    if path != source.path or read is producer or source.function(read) is source.function(producer):
        return False
    if not isinstance(statement, cst.Assign) or statement.value is not producer or len(statement.targets) != 1:
        return False
    owner = class_of(source, producer)
    return is_of_self(statement.targets[0].target) and owner is not None and owner is class_of(source, read)


def write_held(stage: Any, calls: Calls, origin: Origin, draft: Draft, is_batched: bool) -> Entry:
    """Writes the dataset of a queue that an object keeps, and returns where its method reads.

    Args:
      stage: the SourceStage.
      calls: the functions and calls of the pipeline.
      origin: the producer, reader and read.
      draft: their file.
      is_batched: whether the pipeline batches.
    """
    source, edits = draft.source, draft.edits
    site = origin.producers[0]
    producer, read = calls.call(site), calls.call(origin.read)
    scope = Scope(source, source.function(producer))
    method = _check_held(calls, draft, site, producer, origin.read, read, origin.reader)
    if origin.read.name == READ_UP_TO or not is_batched:
        raise Irregular(site, "its queue is kept in an object")
    reader = calls.call(origin.reader) if origin.reader is not None else None
    place = source.function(reader) if reader is not None else method
    if place is not method and place is not scope.function:
        raise Irregular(origin.read, "its reader is made in another method than its queue")
    tf = calls.tensorflow(scope, site)
    attribute = calls.dataset_attribute(scope)
    dataset, inner = calls.dataset_name(scope), calls.dataset_name(Scope(source, method))
    taken = stage.takes.of(draft, read)
    records = stage.reading.records(Scope(source, place), tf)
    stage.reading.remove()
    is_inner = place is method
    more = readers.lines_of(records, inner if is_inner else dataset, bool(taken.key), "") if records is not None else []
    first = last = source.statement(producer)
    if not is_inner and reader is not None and source.line(reader) > source.line(first):
        last = source.statement(reader)
    before = stage.producer_lines(draft, scope, tf, dataset, site, producer)
    kept = ([] if is_inner else more) + ["self.{} = {}".format(attribute, dataset)]
    edits.remove(first)
    edits.insert_before(first, lambda: source.parse("\n".join(before + (kept if last is first else []))))
    if last is not first:
        edits.insert_before(last, lambda: source.parse("\n".join(kept)))
    read_lines = ["{} = self.{}".format(inner, attribute)] + (more if is_inner else [])
    return read_kept(draft, method, taken, read_lines, inner)


def read_kept(draft: Draft, method: cst.FunctionDef, taken: Taken, lines: List[str], dataset: str) -> Entry:
    """Lets a method read a dataset that its object keeps, by `lines`, and returns where it gets examples."""
    draft.edits.insert_before(taken.statement, lambda: draft.source.parse("\n".join(lines)))
    taken.use_names(draft.edits)
    return Entry(draft, method, taken.statement, taken.roots, taken.expression is not None, dataset)


def _check_held(
    calls: Calls, draft: Draft, site: Site, producer: cst.Call, read_site: Site, read: cst.Call, reader: Optional[Site]
) -> cst.FunctionDef:
    """Returns the method that reads the queue.

    Raises:
      Irregular: the queue has other uses, or the method runs more than once for an object: each run would read all
        examples, where it took some of them.
    """
    source = draft.source
    target: Any = source.statement(producer).targets[0].target
    name = target.attr.value
    queue: Any = read.args[0].value if read.args else getattr(read.func, "value", None)
    reading = source.function(read)
    if reader is not None:
        why = why_shared(calls.project, reader, calls.draft(reader.path).source, calls.call(reader))
        if why is not None:
            raise Irregular(read_site, why)
    if isinstance(queue, cst.Name) and reading is not None and queue.value in parameters(reading):
        raise Irregular(read_site, "another method takes its queue from the object, and passes it to {!r}: read it in "
                        "the method that takes it".format(reading.name.value))
    if not is_of_self(queue) or queue.attr.value != name:
        raise Irregular(read_site, "the source does not show the queue that it reads")
    for there, each in uses_in_project(calls, source, name, target):
        if each is not target and each is not queue:
            raise Irregular(site, "its queue, {}, is also used in another way".format(source.code(target)),
                            there.line(each))
    statement = source.statement(producer)
    made, method = source.function(producer), source.function(read)
    if made is None or method is None or statement not in in_order(made.body):
        raise Irregular(site, "its queue is kept in an object, in a branch or a loop")
    check_once(calls, draft, method, class_of(source, method.body), read_site)
    return method
