"""The map of a dataset that computes what an operation enqueues."""
from typing import Any, Dict, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import map_without_threads
from legacy_towers.graph import op_kinds
from legacy_towers.migrate.conversion.conditional import with_condition
from legacy_towers.migrate.conversion.costs import is_cheap
from legacy_towers.migrate.conversion.cut import build
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import counted

_ALL_CORES = tf.data.experimental.AUTOTUNE


def mapped_by(
    enqueue: Enqueue, flow: Flow, given: List[Tensor], seeds: Dict[str, Tuple[int, int]], threads: int
) -> Flow:
    """Returns a flow whose elements are what an operation enqueues, computed from those of `flow`.

    Args:
      enqueue: the operation.
      flow: what it takes from other queues, readers and counters.
      given: the tensors of the graph that the elements of `flow` stand for.
      seeds: name of a random operation -> its seeds, for those whose copies must draw the same numbers.
      threads: how many threads of queue runners fill the queue.
    """
    part, conditions = enqueue.part, enqueue.conditions

    def copied(*values: Any) -> Any:
        built = build(part, dict(zip(given, tf.nest.flatten(values))), seeds)
        if not conditions:
            return tuple(built)
        tensors, keep = with_condition(
            built[:len(enqueue.tensors)], built[len(enqueue.tensors):], [each.holds for each in conditions],
            enqueue.sometimes,
        )
        return tuple(tensors) + (keep,)

    stateful = [each for each in part.operations if each.op_def.is_stateful]
    exact = [each for each in stateful if not op_kinds.draws_random_numbers(each) or op_kinds.has_op_seed(each)]
    parallel: Any = None if not part.sources or seeds or (exact and threads < 2) else _ALL_CORES
    if parallel is not None and flow.initializers:
        # What is shared may not be hoarded: as many are under way as the queue runner had threads.
        parallel = threads if threads > 1 else None
    # Batches of records are worth a thread each, if the queue runner had several.
    needs_old_function = part.has_control_flow or len(conditions) > 1 or enqueue.sometimes
    without_threads = (
        parallel is not None and not needs_old_function and not flow.filled and (threads < 2 or not enqueue.many)
        and is_cheap(part)
    )
    parallel = None if without_threads else parallel
    function = tf.autograph.experimental.do_not_convert(copied)
    if without_threads:
        dataset = map_without_threads(flow.dataset, function)
    elif needs_old_function:
        dataset = flow.dataset.map_with_legacy_function(function, parallel)
    else:
        dataset = flow.dataset.map(function, parallel)
    return flow.then(dataset, "map({}{})".format(
        counted(len(part.operations), "operation"), "" if parallel is None else ", num_parallel_calls={}".format(
            "AUTOTUNE" if parallel == _ALL_CORES else parallel)
    ))
