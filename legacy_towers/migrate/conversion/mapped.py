"""The map of a dataset that computes what an operation enqueues."""
from typing import Any, Callable, Dict, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import map_without_threads
from legacy_towers.graph import op_kinds
from legacy_towers.migrate.conversion.conditional import with_condition
from legacy_towers.migrate.conversion.costs import is_cheap
from legacy_towers.migrate.conversion.cut import Cut, build
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.flows import Flow, LastMap
from legacy_towers.migrate.conversion.unbatching import unbatched
from legacy_towers.tensor_types import Dataset, Operation, Tensor
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
    part = enqueue.part
    exact = any(not op_kinds.draws_random_numbers(each) or op_kinds.has_op_seed(each) for each in _stateful(part))
    # As many as the queue runner had threads: with AUTOTUNE, distorted images take 1.2 times as long on 2 cores.
    parallel: Any = threads if threads > 1 else _ALL_CORES
    # What is shared may not be hoarded: no more are under way than the queue runner had threads.
    if not part.sources or seeds or threads < 2 and (exact or flow.initializers):
        parallel = None
    # Batches of records are worth a thread each, if the queue runner had several.
    without_threads = (
        parallel is not None and not _needs_old_function(enqueue) and not flow.filled
        and (threads < 2 or not enqueue.many) and is_cheap(part)
    )
    mapped, step = _map(enqueue, given, seeds, None if without_threads else parallel, without_threads)
    # Where parsing is cheap, shuffling what is parsed costs no more, and records may be larger.
    if parallel is None or without_threads or enqueue.conditions or flow.initializers or flow.filled:
        return flow.then(mapped(flow.dataset), step)
    return flow.ending_with(LastMap(mapped, (step,)))


def mapped_in_batches(enqueue: Enqueue, flow: Flow, given: List[Tensor], count: int) -> Flow:
    """Returns a flow whose elements are the rows of what an operation enqueues, each computed from one record.

    Args:
      enqueue: the operation, whose part `is_row_wise`.
      flow: the records.
      given: the tensors of the graph that batches of the elements of `flow` stand for.
      count: the number of records in a batch, where nothing else asks for batches of its own size.
    """
    without_threads = is_cheap(enqueue.part)
    mapped, step = _map(enqueue, given, {}, None if without_threads else _ALL_CORES, without_threads)

    def in_batches(records: Dataset) -> Dataset:
        return unbatched(mapped(records.batch(count)), len(enqueue.tensors))

    return flow.ending_with(LastMap(in_batches, ("batch({})".format(count), step, "unbatch()"), mapped, step))


def _map(
    enqueue: Enqueue, given: List[Tensor], seeds: Dict[str, Tuple[int, int]], parallel: Any, without_threads: bool
) -> Tuple[Callable[[Dataset], Dataset], str]:
    """Returns a function that maps a dataset, and how it does."""
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

    function = tf.autograph.experimental.do_not_convert(copied)

    def mapped(dataset: Dataset) -> Dataset:
        if without_threads:
            return map_without_threads(dataset, function)
        if _needs_old_function(enqueue):
            return dataset.map_with_legacy_function(function, parallel)
        return dataset.map(function, parallel)

    return mapped, "map({}{})".format(
        counted(len(part.operations), "operation"), "" if parallel is None else ", num_parallel_calls={}".format(
            "AUTOTUNE" if parallel == _ALL_CORES else parallel)
    )


def _stateful(part: Cut) -> List[Operation]:
    return [each for each in part.operations if each.op_def.is_stateful]


def _needs_old_function(enqueue: Enqueue) -> bool:
    return enqueue.part.has_control_flow or len(enqueue.conditions) > 1 or enqueue.sometimes
