"""Queues that are passed to the constructor of an object which keeps them, and which a method of it reads.

    queue = string_input_producer(files)            dataset = from_tensor_slices(files)...
    reader = Reader(queue)                          reader = Reader(dataset)

    class Reader(object):                           class Reader(object):
        def __init__(self, queue):                      def __init__(self, dataset):
            self.queue = queue                              self.dataset = dataset
        def read(self):                                 def read(self):
            _, value = TFRecordReader().read(               dataset = self.dataset
                self.queue)                                 dataset = dataset.flat_map(TFRecordDataset)
"""
from typing import Any, List, NamedTuple, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.held import read_kept
from legacy_towers.migrate.source.rewrite.names import is_of_self, parameters
from legacy_towers.migrate.source.rewrite.objects import check_once, class_of
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, Origin, queue_read_by
from legacy_towers.migrate.source.rewrite.passed_queue import check_read_once
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments
from legacy_towers.migrate.source.values import Site


class Constructed(NamedTuple):
    """Where a queue is passed to a constructor that keeps it.

    Attributes:
      defined: the constructor.
      call: the call of its class.
      parameter: the parameter that is the queue.
      kept: the statement that keeps it.
      method: the method that reads it.
    """

    defined: Defined
    call: cst.Call
    parameter: str
    kept: cst.Assign
    method: cst.FunctionDef


def constructed_with(calls: Calls, origin: Origin, draft: Draft, uses: Sequence[Any]) -> Optional[Constructed]:
    """Returns where a queue is passed to a constructor that keeps it for the method that reads; None if it is not.

    Args:
      calls: the functions and calls of the pipeline.
      origin: the producer, reader and read.
      draft: the file of the producer.
      uses: the uses of the queue there.
    """
    if len(uses) != 1:
        return None
    argument: Any = draft.source.parents[uses[0]]
    call: Any = draft.source.parents[argument]
    if not isinstance(argument, cst.Arg) or not isinstance(call, cst.Call):
        return None
    defined = calls.constructor_of(draft, call)
    if defined is None:
        return None
    source = defined.draft.source
    given = arguments(call, parameters(defined.node)[1:])
    parameter = next((name for name, value in (given or {}).items() if value is uses[0]), "")
    inside = uses_of(source, defined.node.body, parameter) if parameter else []
    kept: Any = source.statement(inside[0]) if len(inside) == 1 else None
    if not isinstance(kept, cst.Assign) or kept.value is not inside[0] or len(kept.targets) != 1:
        return None
    target: Any = kept.targets[0].target
    read = calls.call(origin.read)
    method = source.function(read) if origin.read.path == source.path else None
    owner = class_of(source, kept)
    if not is_of_self(target) or method is None or owner is None or class_of(source, read) is not owner:
        return None
    queue = queue_read_by(read, origin)
    others = [each for _, each in uses_in_project(calls, source, target.attr.value, target) if each is not target]
    is_read = len(others) == 1 and others[0] is queue and kept in in_order(defined.node.body)
    return Constructed(defined, call, parameter, kept, method) if is_read else None


def is_batched_by_its_class(calls: Calls, defined: Defined, batch: Site) -> bool:
    """Returns whether a function is a constructor that reads, of a class whose methods batch."""
    source = defined.draft.source
    if defined.node.name.value != "__init__" or batch.path != source.path:
        return False
    owner = class_of(source, defined.node.body)
    return owner is not None and class_of(source, calls.call(batch)) is owner


def write_constructed(
    stage: Any, calls: Calls, origin: Origin, draft: Draft, queue: Optional[str], found: Constructed
) -> Entry:
    """Writes the dataset of a producer, passes it to the constructor, and returns where the method reads.

    Args:
      stage: the SourceStage.
      calls: the functions and calls of the pipeline.
      origin: the producer, reader and read.
      draft: the file of the producer.
      queue: the name of the queue, None where the call of the producer is the argument.
      found: what `constructed_with` returned.
    """
    source, edits = draft.source, draft.edits
    site = origin.producers[0]
    producer = stage.made_by or calls.call(site)
    first, place = source.statement(producer), source.statement(found.call)
    check_read_once(draft, first, place, found.call, origin)
    scope = Scope(source, source.function(producer))
    dataset, name = calls.dataset_name(scope), calls.dataset_parameter(found.defined)
    lines = stage.producer_lines(draft, scope, calls.tensorflow(scope, site), dataset, site, producer)
    if queue is not None:
        edits.remove(first)
    edits.insert_before(first if queue is not None else place, lambda: source.parse("\n".join(lines)))
    value = (arguments(found.call, parameters(found.defined.node)[1:]) or {})[found.parameter]
    argument = next(each for each in found.call.args if each.value is value)
    edits.replace(argument, argument.with_changes(
        value=cst.Name(dataset), keyword=cst.Name(name) if argument.keyword is not None else None))
    calls.handled(draft, found.call, found.defined)
    key = (found.defined.function, found.parameter)
    if calls.is_first(found.defined, found.parameter):
        calls.entries[key] = _write_class(stage, calls, origin, found, name)
        return calls.entries[key]
    # Another producer's queue is passed to the constructor, too.
    return calls.entries[key]._replace()


def _write_class(stage: Any, calls: Calls, origin: Origin, found: Constructed, name: str) -> Entry:
    draft, method = found.defined.draft, found.method
    source, edits = draft.source, draft.edits
    read = calls.call(origin.read)
    reader = calls.call(origin.reader) if origin.reader is not None else None
    maker = source.function(reader) if reader is not None else method
    if origin.read.name == READ_UP_TO or maker is not method and maker is not found.defined.node:
        raise Irregular(origin.read, "its reader is made in another method than its queue is read in")
    taken = stage.takes.of(draft, read)
    inside = source.between(read, method)
    if any(isinstance(each, LOOPS) for each in inside) or taken.statement not in in_order(method.body):
        raise Irregular(origin.read, "the method reads its queue in a loop or a branch", source.line(read))
    check_once(calls, draft, method, class_of(source, method.body), origin.read)
    tf = calls.tensorflow(Scope(source, method), origin.read)
    attribute = calls.dataset_attribute(Scope(source, found.defined.node))
    inner = calls.dataset_name(Scope(source, method))
    records = stage.reading.records(Scope(source, maker), tf)
    stage.reading.remove()
    is_inner = maker is method
    more: List[str] = []
    if records is not None:
        more = readers.lines_of(records, inner if is_inner else name, bool(taken.key), "")
    for param in found.defined.node.params.params:
        if param.name.value == found.parameter:
            edits.replace(param.name, cst.Name(name))
    kept = ([] if is_inner else more) + ["self.{} = {}".format(attribute, name)]
    last: Any = found.kept
    if not is_inner and reader is not None and source.line(reader) > source.line(last):
        last = source.statement(reader)
    edits.remove(found.kept)
    edits.insert_before(last, lambda: source.parse("\n".join(kept)))
    read_lines = ["{} = self.{}".format(inner, attribute)] + (more if is_inner else [])
    return read_kept(draft, method, taken, read_lines, inner)
