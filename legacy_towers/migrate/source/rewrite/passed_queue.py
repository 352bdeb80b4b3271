"""Queues that are passed to a function which reads and batches: it takes a dataset of what the producer gives.

    def batches(queue, size):                        def batches(dataset, size):
        _, value = reader.read(queue)                    dataset = dataset.flat_map(TFRecordDataset)
        return tf.train.batch([decode(value)], size)     ...
    batches(string_input_producer(files), 8)         batches(dataset, 8)
"""
from typing import Any, List, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import parameters
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, Origin, queue_read_by
from legacy_towers.migrate.source.rewrite.region import in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments
from legacy_towers.migrate.source.rewrite.taken import is_printed


def write_passed(
    stage: Any, calls: Calls, origin: Origin, draft: Draft, queue: Optional[str], defined: Defined, call: cst.Call
) -> Entry:
    """Writes the dataset of a producer, passes it to the function, and returns where the function reads.

    Args:
      stage: the SourceStage.
      calls: the functions and calls of the pipeline.
      origin: the producer, reader and read.
      draft: the file of the producer.
      queue: the name of the queue, None where the call of the producer is the argument.
      defined: the function.
      call: the call of it that passes the queue.
    """
    source, edits = draft.source, draft.edits
    site, there = origin.producers[0], defined.draft
    read = calls.call(origin.read)
    producer = stage.made_by or calls.call(site)
    first, place = source.statement(producer), source.statement(call)
    order = parameters(defined.node)[1 if defined.is_method else 0 :]
    given = arguments(call, order)
    read_from = queue_read_by(read, origin)
    inner_read = passed_on(calls, defined, origin)
    if inner_read is not None:
        read_from = inner_read[2]
    if given is None or not isinstance(read_from, cst.Name) or read_from.value not in given:
        raise Irregular(origin.read, "its queue is not a parameter of the function")
    parameter = read_from.value
    uses = uses_of(there.source, defined.node.body, parameter)
    printed = [each for each in uses if is_printed(there.source, each)]
    if len(uses) - len(printed) != 1 or origin.read.name == READ_UP_TO:
        raise Irregular(origin.read, "the function uses its queue in another way", there.source.line(read))
    check_read_once(draft, first, place, call, origin)
    scope, inner = Scope(source, source.function(producer)), Scope(there.source, defined.node)
    tf = calls.tensorflow(inner, origin.read)
    name = calls.dataset_parameter(defined)
    dataset = calls.dataset_name(scope)
    lines = stage.producer_lines(draft, scope, calls.tensorflow(scope, site), dataset, site, producer)
    for each in stage.printed:
        edits.replace(each, cst.Name(dataset))
    if queue is not None:
        edits.remove(first)
    edits.insert_before(first if queue is not None else place, lambda: source.parse("\n".join(lines)))
    argument = next(each for each in call.args if each.value is given[parameter])
    edits.replace(argument, argument.with_changes(
        value=cst.Name(dataset), keyword=cst.Name(name) if argument.keyword is not None else None))
    calls.handled(draft, call, defined)
    if inner_read is not None:
        if not calls.is_first(defined, parameter):
            # Another producer's queue is passed to the function, too.
            return calls.entries[(defined.function, parameter)]._replace()
        taken, records = stage.through(there, inner, tf, inner_read[0], inner_read[1])
        read = inner_read[1]
    else:
        taken = stage.takes.of(there, read)
    inside = there.source.between(read, defined.node)
    if any(isinstance(each, LOOPS) for each in inside) or taken.statement not in in_order(defined.node.body):
        raise Irregular(origin.read, "the function reads its queue in a loop or a branch", there.source.line(read))
    entry = Entry(there, defined.node, taken.statement, taken.roots, taken.expression is not None, name)
    if inner_read is None and not calls.is_first(defined, parameter):
        # Another producer's queue is passed to the function, too.
        return entry
    for each in printed:
        there.edits.replace(each, cst.Name(name))
    for param in defined.node.params.params:
        if param.name.value == parameter:
            there.edits.replace(param.name, cst.Name(name))
    if inner_read is None:
        records = stage.reading.records(inner, tf)
        stage.reading.remove()
        taken.use_names(there.edits)
    more = readers.lines_of(records, name, bool(taken.key), "") if records is not None else []
    if more:
        there.edits.insert_before(taken.statement, lambda: there.source.parse("\n".join(more)))
    calls.entries[(defined.function, parameter)] = entry
    return entry


def passed_on(calls: Calls, defined: Defined, origin: Origin) -> Optional[Tuple[Defined, cst.Call, cst.Name]]:
    """Returns the function that a function passes its queue on to, with the call and the queue there.

    It reads, or passes the queue on to one that does. Returns None where the function itself reads, for example.
    """
    return _passed_on(calls, defined, origin, [])


def _passed_on(
    calls: Calls, defined: Defined, origin: Origin, seen: List[Any]
) -> Optional[Tuple[Defined, cst.Call, cst.Name]]:
    source = defined.draft.source
    is_reading = source.path == origin.read.path and source.function(calls.call(origin.read)) is defined.node
    if is_reading or any(defined.node is each for each in seen):
        return None
    found = []
    for name in parameters(defined.node):
        for use in uses_of(source, defined.node.body, name):
            argument = source.parents[use]
            call: Any = source.parents[argument]
            inner = calls.function_of(defined.draft, call) if isinstance(call, cst.Call) else None
            if not isinstance(argument, cst.Arg) or inner is None:
                continue
            given = arguments(call, parameters(inner.node)[1 if inner.is_method else 0 :])
            queue: Any = _queue_of(calls, inner, origin, seen + [defined.node])
            if given is not None and isinstance(queue, cst.Name) and given.get(queue.value) is use:
                found.append((inner, call, use))
    return found[0] if len(found) == 1 else None


def _queue_of(calls: Calls, defined: Defined, origin: Origin, seen: List[Any]) -> Any:
    """Returns what a function reads from, or passes on to a function that reads; None if it does neither."""
    if calls.is_inside(origin.read, defined):
        return queue_read_by(calls.call(origin.read), origin)
    further = _passed_on(calls, defined, origin, seen)
    return further[2] if further is not None else None


def check_read_once(draft: Draft, first: Any, place: Any, call: cst.Call, origin: Origin) -> None:
    """Raises Irregular if the function may be called several times with one queue."""
    source = draft.source
    in_loop = any(isinstance(each, LOOPS) for each in source.between(call, place))
    if region_of(source, first) is not region_of(source, place) or in_loop:
        raise Irregular(origin.producers[0], "its queue is read in another block than it is made in: in a loop, "
                        "perhaps", source.line(call))
