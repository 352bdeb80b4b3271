"""A function that reads from a queue, which becomes one of a record: its caller passes the record.

    def read(queue):                                     def read(value):
        _, value = tf.TFRecordReader().read(queue)           return decode(value)
        return decode(value)
                                                         dataset = dataset.flat_map(tf.data.TFRecordDataset)
    image = read(queue)                                  dataset = dataset.map(read)

So do functions that pass the queue on to it.
"""
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, parameters
from legacy_towers.migrate.source.rewrite.origins import Origin, queue_read_by
from legacy_towers.migrate.source.rewrite.reader import Reader
from legacy_towers.migrate.source.rewrite.region import names_before
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.rewrite.taken import Taken


class Step(NamedTuple):
    """A call that passes a queue to a function.

    Attributes:
      draft: the file of the call.
      scope: where the call is.
      defined: the function.
      call: the call.
    """

    draft: Draft
    scope: Scope
    defined: Defined
    call: cst.Call


def write_through(
    calls: Calls, origin: Origin, reading: Reader, inner: Taken, is_batched: bool, tf: str, steps: Sequence[Step]
) -> Tuple[Taken, Optional[readers.Records], cst.Arg]:
    """Makes a function that reads from a queue, and those that pass the queue on to it, functions of a record.

    Args:
      calls: the functions and calls of the pipeline.
      origin, reading: the producer and reader.
      inner: what takes the result of the reader in the function.
      is_batched: whether the pipeline batches.
      tf: what TensorFlow is called where the dataset is made.
      steps: the calls that pass the queue, from where the dataset is made to the function that reads.

    Returns:
      What takes the result of the first call, how records are read, and the argument of this call that was the queue.

    Raises:
      Irregular: a function uses its queue or a name of the record in another way.
    """
    defined = steps[-1].defined
    there = defined.draft
    read = calls.call(origin.read)
    order = parameters(defined.node)[1 if defined.is_method else 0 :]
    given = arguments(steps[-1].call, order)
    read_from = queue_read_by(read, origin)
    if given is None or not isinstance(read_from, cst.Name) or read_from.value not in given:
        raise Irregular(origin.read, "its queue is not a parameter of the function")
    names = inner.roots.names
    before = names_before(there.source, defined.node, inner.statement)
    for name in names:
        if "." in name:
            raise Irregular(origin.read, "the function keeps what it reads in {}: bind it to a variable".format(name))
        if name in before or name in order:
            raise Irregular(origin.read, "{!r} has another value before".format(name))
    inner.use_names(there.edits)
    reading.outer = [(each.defined, each.call) for each in steps[:-1]]
    records = reading.records(steps[0].scope, tf, defined, steps[-1].call)
    reading.remove()
    queue = read_from
    for step in reversed(steps):
        queue, names, argument = _passed_record(calls, origin, step, queue, names)
        # Without a batch, the function computes in the graph as before.
        problem = reading.problem_in(step.defined) if is_batched else None
        if problem is not None:
            raise Irregular(origin.read, problem[0], problem[1])
    first = steps[0]
    return Taken(first.draft.source.statement(first.call), Roots(names), first.call, inner.key), records, argument


def _passed_record(
    calls: Calls, origin: Origin, step: Step, queue: Any, names: Tuple[str, ...]
) -> Tuple[Any, Tuple[str, ...], cst.Arg]:
    """Gives a function a record in the place of its queue, and passes it.

    Args:
      calls: the functions and calls of the pipeline.
      origin: the producer and reader.
      step: the call of the function.
      queue: the name in the function that is the queue.
      names: the names of the record there.

    Returns:
      What the call passed as the queue, the names of the record where the call is, and the argument of the call.
    """
    defined, there, draft = step.defined, step.defined.draft, step.draft
    order = parameters(defined.node)[1 if defined.is_method else 0 :]
    given = arguments(step.call, order)
    if given is None or not isinstance(queue, cst.Name) or queue.value not in given:
        raise Irregular(origin.read, "its queue is not a parameter of the function")
    uses = uses_of(there.source, defined.node.body, queue.value)
    if len(uses) != 1:
        other = next((each for each in uses if each is not queue), queue)
        raise Irregular(origin.read, "the function uses its queue in another way", there.source.line(other))
    for param in defined.node.params.params:
        if param.name.value == queue.value:
            _replace_by_each(there, param, [param.with_changes(name=cst.Name(each)) for each in names])
    value = given[queue.value]
    argument = next(each for each in step.call.args if each.value is value)
    free = tuple(_free_name(draft, there, step.scope, each) for each in names)
    _replace_by_each(draft, argument, [
        argument.with_changes(value=cst.Name(one), keyword=cst.Name(name) if argument.keyword is not None else None)
        for one, name in zip(free, names)
    ])
    calls.handled(draft, step.call, defined)
    return value, free, argument


def _free_name(draft: Draft, there: Draft, scope: Scope, name: str) -> str:
    """Returns a name for the record where the function is called: that of the function, if it is free."""
    source = draft.source
    is_taken = name in source.names and (
        there.source is not source or _is_bound(source, scope.function, name)
    )
    return Scope(source, scope.function).fresh(name) if is_taken else name


def _is_bound(source: Any, function: Optional[cst.FunctionDef], name: str) -> bool:
    """Returns whether a function, or the top level of a file, binds or reads a name."""
    found = names_of(*(function.body if function is not None else source.module).body)
    return name in found.bound or name in found.read or function is not None and name in parameters(function)


def _replace_by_each(draft: Draft, node: Any, new: List[Any]) -> None:
    """Replaces a parameter or an argument by one or several."""
    last = new[-1].with_changes(comma=node.comma)
    first = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in new[:-1]]
    draft.edits.replace(node, cst.FlattenSentinel(first + [last]) if first else last)
