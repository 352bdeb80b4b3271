"""Queues that an object keeps, and passes to a function which reads.

    self.queue = string_input_producer(files)       self.dataset = from_tensor_slices(files)...

    def feed(self):                                 def feed(self):
        image = self.read(self.queue)                   dataset = self.dataset
        return tf.train.batch([image], 8)               dataset = dataset.flat_map(...).map(self.read).batch(8)
"""
from typing import Any, NamedTuple, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined
from legacy_towers.migrate.source.rewrite.names import is_of_self
from legacy_towers.migrate.source.rewrite.objects import check_once, class_of
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, Origin
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import LOOPS


class Passed(NamedTuple):
    """Where an object passes a queue that it keeps to a function which reads.

    Attributes:
      method: the method of the object.
      defined: the function, or another method.
      call: the call of it.
    """

    method: cst.FunctionDef
    defined: Defined
    call: cst.Call


def held_and_passed(calls: Calls, origin: Origin, draft: Draft, producer: cst.Call) -> Optional[Passed]:
    """Returns where the queue of a producer, which an object keeps, is passed to a function; None if it is not."""
    source = draft.source
    statement: Any = source.statement(producer)
    if not isinstance(statement, cst.Assign) or statement.value is not producer or len(statement.targets) != 1:
        return None
    target: Any = statement.targets[0].target
    owner = class_of(source, producer)
    if owner is None or not is_of_self(target):
        return None
    uses = [(there, each) for there, each in uses_in_project(calls, source, target.attr.value, target)
            if each is not target]
    if len(uses) != 1 or uses[0][0] is not source or not is_of_self(uses[0][1]):
        return None
    argument: Any = source.parents[uses[0][1]]
    call: Any = source.parents[argument]
    if not isinstance(argument, cst.Arg) or not isinstance(call, cst.Call):
        return None
    method, defined = source.function(call), calls.function_of(draft, call) or calls.constructor_of(draft, call)
    if method is None or method is source.function(producer) or class_of(source, call) is not owner:
        return None
    if defined is None or not calls.is_inside(origin.read, defined):
        return None
    return Passed(method, defined, call)


def write_held_and_passed(
    stage: Any, calls: Calls, origin: Origin, draft: Draft, is_batched: bool, passed: Passed
) -> Entry:
    """Writes the dataset of the queue, and returns where a method gets records for the function.

    Args:
      stage: the SourceStage.
      calls: the functions and calls of the pipeline.
      origin: the producer, reader and read.
      draft: the file of the producer.
      is_batched: whether the pipeline batches.
      passed: what `held_and_passed` returned.
    """
    source, edits = draft.source, draft.edits
    site = origin.producers[0]
    producer = calls.call(site)
    first, place = source.statement(producer), source.statement(passed.call)
    made, method = source.function(producer), passed.method
    if origin.read.name == READ_UP_TO or not is_batched or made is None or first not in in_order(made.body):
        raise Irregular(site, "its queue is kept in an object")
    inside = source.between(passed.call, place)
    if place not in in_order(method.body) or any(isinstance(each, LOOPS) for each in inside):
        raise Irregular(origin.read, "its queue is read in a loop or a branch", source.line(passed.call))
    check_once(calls, draft, method, class_of(source, method.body), origin.read)
    scope, inner_scope = Scope(source, made), Scope(source, method)
    tf = calls.tensorflow(scope, site)
    attribute = calls.dataset_attribute(scope)
    dataset, inner = calls.dataset_name(scope), calls.dataset_name(inner_scope)
    taken, records = stage.through(draft, inner_scope, tf, passed.defined, passed.call)
    more = readers.lines_of(records, inner, bool(taken.key), "") if records is not None else []
    before = stage.producer_lines(draft, scope, tf, dataset, site, producer)
    edits.remove(first)
    edits.insert_before(first, lambda: source.parse("\n".join(before + ["self.{} = {}".format(attribute, dataset)])))
    edits.insert_before(place, lambda: source.parse("\n".join(["{} = self.{}".format(inner, attribute)] + more)))
    return Entry(draft, method, taken.statement, taken.roots, True, inner)
