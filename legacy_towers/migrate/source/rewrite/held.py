"""Queues that an object keeps, which a method of it reads.

    self.queue = string_input_producer(files)       self.dataset = from_tensor_slices(files)...

    def read(self):                                 def read(self):
        _, value = self.reader.read(self.queue)         dataset = self.dataset
        return decode(value)                            dataset = dataset.map(parse)
                                                        return dataset
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import dotted, is_of_self, parameters
from legacy_towers.migrate.source.rewrite.origins import READ_UP_TO, Origin
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source
from legacy_towers.migrate.source.values import Site


def is_held(draft: Draft, producer: cst.Call, path: str, read: cst.Call) -> bool:
    """Returns whether the queue of a producer is kept as `self.queue`, and read in another method of the class."""
    source = draft.source
    statement = source.statement(producer)
    if path != source.path or read is producer or source.function(read) is source.function(producer):
        return False
    if not isinstance(statement, cst.Assign) or statement.value is not producer or len(statement.targets) != 1:
        return False
    owner = _class_of(source, producer)
    return is_of_self(statement.targets[0].target) and owner is not None and owner is _class_of(source, read)


def _class_of(source: Any, node: cst.CSTNode) -> Any:
    """Returns the class whose method a node is in, None without it."""
    function = source.function(node)
    above = source.above(function) if function is not None else []
    return above[1] if len(above) > 1 and isinstance(above[1], cst.ClassDef) else None


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
    method = _check_held(calls, draft, site, producer, origin.read, read)
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
    edits.insert_before(taken.statement, lambda: source.parse("\n".join(read_lines)))
    if taken.expression is None:
        edits.remove(taken.statement)
    else:
        edits.replace(taken.expression, cst.Name(taken.roots.names[0]))
    return Entry(draft, method, taken.statement, taken.roots, taken.expression is not None, inner)


def _check_held(
    calls: Calls, draft: Draft, site: Site, producer: cst.Call, read_site: Site, read: cst.Call
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
    _check_once(calls, draft, method, read_site)
    return method


def _check_once(calls: Calls, draft: Draft, method: Any, site: Site) -> None:
    """Raises Irregular if a method may run several times for one object."""
    owner = _class_of(draft.source, method.body)
    where, function = draft, method
    seen: List[Any] = []
    while function is not None and not any(function is each for each in seen):
        seen.append(function)
        if function.name.value == "__init__" and owner is not None and _class_of(where.source, function.body) is owner:
            # Each object is made once.
            return
        found = calls.callers_of(where, function)
        in_loop = [call for there, call in found for each in there.source.above(call) if isinstance(each, LOOPS)]
        named = _uses_of_method(calls, where, function)
        made = [_object_of(there.source, call, owner) for there, call in found]
        if found and named == len(found) and None not in made and len({id(each) for each in made}) == len(made):
            # Each call is of an object of its own.
            return
        if len(found) > 1 or in_loop or named > len(found):
            raise Irregular(site, "{!r} reads a queue that its object keeps, and is called several times".format(
                function.name.value), draft.source.line(method))
        if not found:
            raise Irregular(site, "nothing in the project is known to call {!r}, which reads a queue that its object "
                            "keeps".format(function.name.value), draft.source.line(method))
        where, call = found[0]
        function = where.source.function(call)
        if function is not None and _makes(where.source, function, owner):
            # Each run of it makes an object of its own.
            return


def _object_of(source: Source, call: cst.Call, owner: Any) -> Any:
    """Returns the call of a class that makes the object whose method `call` calls; None if it may be another's.

    Both are in the same function and the same loops, so that each call of the method is of a new object.
    """
    name: Any = getattr(call.func, "value", None)
    if owner is None or not isinstance(name, cst.Name):
        return None
    made = Scope(source, source.function(call)).resolved(name)
    if not isinstance(made, cst.Call) or dotted(made.func).rpartition(".")[2] != owner.name.value:
        return None
    loops = [[each for each in source.above(node) if isinstance(each, LOOPS + (cst.FunctionDef,))]
             for node in (made, call)]
    is_same = len(loops[0]) == len(loops[1]) and all(one is other for one, other in zip(*loops))
    return made if is_same and source.line(made) <= source.line(call) else None


def _uses_of_method(calls: Calls, draft: Draft, function: cst.FunctionDef) -> int:
    """Returns how often the project's files name a method; 0 for another function."""
    if _class_of(draft.source, function.body) is None:
        return 0
    api = {(site.path, site.line, site.column - 1) for site in calls.project.sites}
    count = 0
    for source, each in uses_in_project(calls, draft.source, function.name.value, function):
        call: Any = source.parents[each]
        # `reader.read`, the method of TensorFlow, is another one.
        count += not isinstance(call, cst.Call) or (source.path,) + source.key(call) not in api
    return count


def _makes(source: Any, function: cst.FunctionDef, owner: cst.ClassDef) -> bool:
    """Returns whether each run of a function makes one object of a class."""
    made = [
        call for call in calls_in(function)
        if owner.name.value == (call.func.attr.value if isinstance(call.func, cst.Attribute)
                                else getattr(call.func, "value", ""))
    ]
    return len(made) == 1 and not any(isinstance(each, LOOPS) for each in source.above(made[0]))
