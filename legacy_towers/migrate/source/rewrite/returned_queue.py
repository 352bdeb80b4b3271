"""Queues that a function makes and returns: it returns a dataset of what the producer gives.

    def file_queue(files):                                def file_queue(files):
        return string_input_producer(files)                   dataset = Dataset.from_tensor_slices(files)...
                                                              return dataset
    queue = file_queue(files)                             dataset = file_queue(files)
    _, value = reader.read(queue)                         dataset = dataset.flat_map(TFRecordDataset)
"""
from typing import Any, NamedTuple, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.examples import returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.origins import bound_name
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.values import Site


class Returned(NamedTuple):
    """Where a function that makes and returns a queue is called.

    Attributes:
      draft: the file of the call.
      call: the call, whose result is bound to a variable.
      defined: the function.
    """

    draft: Draft
    call: cst.Call
    defined: Defined


def returned_queue(calls: Calls, draft: Draft, producer: cst.Call) -> Optional[Returned]:
    """Returns where the function is called that makes a queue and only returns it; None if it does something else.

    Args:
      calls: the functions and calls of the pipeline.
      draft: the file of the producer.
      producer: the call that makes the queue.
    """
    source = draft.source
    function, statement = source.function(producer), source.statement(producer)
    returns = returns_of(function) if function is not None else []
    if function is None or len(returns) != 1 or statement not in in_order(function.body):
        return None
    value: Any = returns[0].value
    if value is not producer:
        name = bound_name(source, producer)
        if not name or uses_of(source, function.body, name) != [value]:
            return None
    callers = calls.callers_of(draft, function)
    if len(callers) != 1 or not bound_name(callers[0][0].source, callers[0][1]):
        return None
    return Returned(callers[0][0], callers[0][1], calls.of_node(draft, function))


def write_returned(stage: Any, calls: Calls, site: Site, draft: Draft, producer: cst.Call, returned: Returned) -> None:
    """Makes the function one that returns a dataset.

    Args:
      stage: the SourceStage.
      calls: the functions and calls of the pipeline.
      site, producer: the call that makes the queue.
      draft: its file.
      returned: what `returned_queue` returned.
    """
    source, edits = draft.source, draft.edits
    function = source.function(producer)
    scope = Scope(source, function)
    (statement,) = returns_of(function)
    dataset = calls.dataset_name(scope)
    lines = stage.producer_lines(draft, scope, calls.tensorflow(scope, site), dataset, site, producer)
    first = source.statement(producer)
    if first is not statement:
        edits.remove(first)
    edits.insert_before(first, lambda: source.parse("\n".join(lines)))
    edits.replace(statement.value, cst.Name(dataset))
    calls.handled(returned.draft, returned.call, returned.defined)
