"""A function that reads from a queue, which becomes one of a record: its caller passes the record.

    def read(queue):                                     def read(value):
        _, value = tf.TFRecordReader().read(queue)           return decode(value)
        return decode(value)
                                                         dataset = dataset.flat_map(tf.data.TFRecordDataset)
    image = read(queue)                                  dataset = dataset.map(read)
"""
from typing import Any, List, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, parameters
from legacy_towers.migrate.source.rewrite.origins import Origin
from legacy_towers.migrate.source.rewrite.reader import Reader
from legacy_towers.migrate.source.rewrite.region import names_before
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.rewrite.taken import Taken


def write_through(
    calls: Calls, origin: Origin, reading: Reader, inner: Taken, is_batched: bool, draft: Draft, scope: Scope, tf: str,
    defined: Defined, call: cst.Call,
) -> Tuple[Taken, Optional[readers.Records], cst.Arg]:
    """Makes a function that reads from a queue one of a record.

    Args:
      calls: the functions and calls of the pipeline.
      origin, reading: the producer and reader.
      inner: what takes the result of the reader in the function.
      is_batched: whether the pipeline batches.
      draft, scope: where the function is called, and the dataset is made.
      tf: what TensorFlow is called there.
      defined: the function.
      call: the call.

    Returns:
      What takes the result of the call, how records are read, and the argument of the call that was the queue.

    Raises:
      Irregular: the function uses its queue or a name of the record in another way.
    """
    there = defined.draft
    read = calls.call(origin.read)
    order = parameters(defined.node)[1 if defined.is_method else 0 :]
    given = arguments(call, order)
    read_from = read.args[0].value if origin.reader is not None else None
    if origin.reader is None and isinstance(read.func, cst.Attribute):
        read_from = read.func.value
    if given is None or not isinstance(read_from, cst.Name) or read_from.value not in given:
        raise Irregular(origin.read, "its queue is not a parameter of the function")
    queue = read_from.value
    uses = uses_of(there.source, defined.node.body, queue)
    if len(uses) != 1:
        raise Irregular(origin.read, "the function uses its queue in another way", there.source.line(uses[1]))
    names = inner.roots.names
    before = names_before(there.source, defined.node, inner.statement)
    for name in names:
        if "." in name:
            raise Irregular(origin.read, "the function keeps what it reads in {}: bind it to a variable".format(name))
        if name in before or name in order:
            raise Irregular(origin.read, "{!r} has another value before".format(name))
    if inner.expression is None:
        there.edits.remove(inner.statement)
    else:
        there.edits.replace(inner.expression, cst.Name(names[0]))
    records = reading.records(scope, tf, defined, call)
    reading.remove()
    # Without a batch, the function computes in the graph as before.
    problem = reading.problem_in(defined) if is_batched else None
    if problem is not None:
        raise Irregular(origin.read, problem[0], problem[1])
    for param in defined.node.params.params:
        if param.name.value == queue:
            _replace_by_each(there, param, [param.with_changes(name=cst.Name(each)) for each in names])
    argument = next(each for each in call.args if each.value is given[queue])
    free = [_free_name(draft, there, scope, each) for each in names]
    _replace_by_each(draft, argument, [
        argument.with_changes(value=cst.Name(one), keyword=cst.Name(name) if argument.keyword is not None else None)
        for one, name in zip(free, names)
    ])
    calls.handled(draft, call, defined)
    return Taken(draft.source.statement(call), Roots(tuple(free)), call, inner.key), records, argument


def _free_name(draft: Draft, there: Draft, scope: Scope, name: str) -> str:
    """Returns a name for the record where the function is called: that of the function, if it is free."""
    source = draft.source
    is_taken = name in source.names and (
        there.source is not source or _is_bound(source, scope.function, name)
    )
    return Scope(source, scope.function).fresh(name) if is_taken else name


def _is_bound(source: Any, function: Optional[cst.FunctionDef], name: str) -> bool:
    """Returns whether a function, or the top level of a file, binds a name."""
    body = function.body if function is not None else source.module
    return name in names_of(*body.body).bound


def _replace_by_each(draft: Draft, node: Any, new: List[Any]) -> None:
    """Replaces a parameter or an argument by one or several."""
    last = new[-1].with_changes(comma=node.comma)
    first = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in new[:-1]]
    draft.edits.replace(node, cst.FlattenSentinel(first + [last]) if first else last)
