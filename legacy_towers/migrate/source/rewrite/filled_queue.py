"""Queues of file names that a script fills and closes by session.run before a reader reads: their names are a dataset.

    queue = tf.FIFOQueue(99, [tf.string], shapes=())
    queue.enqueue([filename]).run()
    queue.close().run()                                 dataset = tf.data.Dataset.from_tensor_slices([filename])
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.origins import DEQUEUE, READ, bound_name
from legacy_towers.migrate.source.rewrite.shapes import queues
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.values import Site

_CLOSE, _RUN = "tf.QueueBase.close", "tf.Session.run"


class Filled(NamedTuple):
    """A queue that is full and closed before it is read.

    Attributes:
      values: the expressions of its elements, in order.
      statement: the statement that closes it, before which they have their values.
      sites: the calls that fill and close it.
    """

    values: List[Any]
    statement: Any
    sites: List[Site]


def filled_queues(project: Project, pipeline: Pipeline, calls: Calls) -> Tuple[Dict[Site, Filled], Pipeline]:
    """Returns the filled queues of a pipeline, and the pipeline without the calls that fill and close them.

    The statements of the queues are removed.

    Args:
      project: the project.
      pipeline: the pipeline.
      calls: its functions and calls.
    """
    found: Dict[Site, Filled] = {}
    sites = pipeline.sites
    for site in sites:
        if site.name == "tf.FIFOQueue":
            taking = [each for each in sites if site in project.sources(each) and each.name != _RUN]
            enqueues = [each for each in taking if each.name == queues.ENQUEUE]
            closes = [each for each in taking if each.name == _CLOSE]
            reads = [each for each in taking if each.name == READ]
            if enqueues and len(closes) == 1 and reads and not any(each.name == DEQUEUE for each in taking):
                queue = _filled(calls, sites, site, enqueues, closes[0])
                if queue is not None:
                    found[site] = queue
    filling = [each for queue in found.values() for each in queue.sites]
    return found, pipeline._replace(sites=[each for each in sites if each not in filling])


def _filled(
    calls: Calls, sites: Sequence[Site], site: Site, enqueues: Sequence[Site], close: Site
) -> Optional[Filled]:
    draft = calls.draft(site.path)
    source = draft.source
    call = calls.call(site)
    name = bound_name(source, call)
    given = arguments(call, queues.PARAMETERS[site.name]) or {}
    if not name or any(each.path != site.path for each in enqueues) or close.path != site.path or (
        set(given) - {"capacity", "dtypes", "shapes", "name"}
    ):
        return None
    block = statements_of(source.block(source.statement(call)))
    first = block.index(source.statement(call))
    enqueues = sorted(enqueues, key=lambda each: each.line)
    filling = block[first + 1 : first + 2 + len(enqueues)]
    own = [_run(draft, name, each) for each in filling]
    if own != [calls.call(each) for each in list(enqueues) + [close]]:
        return None
    function = source.function(call)
    uses = uses_of(source, function.body if function is not None else source.module, name)
    outside = [each for each in uses if not any(one in filling for one in source.above(each))]
    # Where it is read, or passed to the function that reads.
    if len(outside) != 1 or source.line(outside[0]) < source.line(filling[-1]):
        return None
    values = []
    for each in enqueues:
        vals: Any = (arguments(calls.call(each), ("vals", "name")) or {}).get("vals")
        if isinstance(vals, (cst.List, cst.Tuple)) and len(vals.elements) == 1:
            vals = vals.elements[0].value
        if vals is None or isinstance(vals, (cst.List, cst.Tuple, cst.Dict, cst.StarredElement)):
            return None
        values.append(vals)
    for statement in block[first : first + 2 + len(enqueues)]:
        draft.edits.remove(statement)
    running = [each.value for each in filling]
    return Filled(values, filling[-1], list(enqueues) + [close] + [
        each for each in sites if each.name == _RUN and each.path == site.path and calls.call(each) in running])


def _run(draft: Draft, name: str, statement: Any) -> Any:
    """Returns the call of a method of the queue that a statement runs: in `queue.close().run()` or `s.run(...)`."""
    call: Any = statement.value if isinstance(statement, cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "run":
        return None
    operation: Any = call.args[0].value if len(call.args) == 1 and call.args[0].keyword is None else call.func.value
    func: Any = operation.func if isinstance(operation, cst.Call) else None
    is_own = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value == name
    return operation if is_own else None
