"""What takes records from a queue of records: a dequeue of many, or the caller of the function that makes the queue."""
from typing import Any, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.keywords import known
from legacy_towers.migrate.source.rewrite.origins import bound_name
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import queues
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


def write_batch(calls: Calls, take: Site, draft: Draft, scope: Scope, dataset: str, is_endless: bool) -> None:
    """Writes what dequeues many records at a time, which are the batch.

    Args:
      calls: the functions and calls of the pipeline.
      take: the call that dequeues.
      draft, scope: where it is.
      dataset: the name of the dataset there.
      is_endless: whether no producer has num_epochs.
    """
    source = draft.source
    call = calls.call(take)
    given = known(take, arguments(call, queues.TAKES[take.name]))
    rest = "" if take.name.endswith("_up_to") else ", drop_remainder=True"
    lines = ["{0} = {0}.batch({1}{2})".format(dataset, scope.code(given["n"]), rest)]
    if is_endless or calls.is_only_pipeline:
        lines.append("{0} = {0}.prefetch(1)".format(dataset))
    statement = source.statement(call)
    draft.edits.insert_before(statement, lambda: source.parse("\n".join(lines)))
    draft.edits.replace(call, calls.next_element(dataset, calls.tensorflow(scope, take)))


def return_dataset(
    calls: Calls, draft: Draft, function: Any, made: Site, take_site: Site, dataset: str
) -> Tuple[Draft, Any, str]:
    """Lets a function that returned a queue return the dataset.

    Args:
      calls: the functions and calls of the pipeline.
      draft, function: the function, None for the top level, and its file.
      made: the call that makes the queue.
      take_site: the call that takes from it.
      dataset: the name of the dataset in the function.

    Returns:
      The file and the function where it is called, and the name of the dataset there.

    Raises:
      Irregular: the function returns something else too, or the queue is used in another way.
    """
    found = [each for each in returns_of(function) if each.value is not None] if function is not None else []
    queue = bound_name(draft.source, calls.call(made))
    if len(found) != 1 or not isinstance(found[0].value, cst.Name) or found[0].value.value != queue:
        raise Irregular(made, "its queue is used in several functions")
    draft.edits.replace(found[0].value, cst.Name(dataset))
    defined = calls.of_node(draft, function)
    callers = calls.callers(defined)
    if len(callers) != 1:
        raise Irregular(made, "several calls get its queue")
    there, call = callers[0]
    name = bound_name(there.source, call)
    caller = there.source.function(call)
    body = caller.body if caller is not None else there.source.module
    take = calls.call(take_site)
    uses = uses_of(there.source, body, name) if name else []
    if not name or [there.source.parents[each] for each in uses] != [take.func]:
        raise Irregular(made, "its queue is used for something else, too, where it is returned",
                        there.source.line(call))
    calls.handled(there, call, defined)
    new = calls.dataset_name(Scope(there.source, caller))
    there.edits.replace(there.source.statement(call).targets[0], cst.AssignTarget(cst.Name(new)))
    return there, caller, new
