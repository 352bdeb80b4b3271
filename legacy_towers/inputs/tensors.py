"""The way in for tensors of the graph: what old code's `tf.train.batch`, queues or iterators give."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph_walk import ancestors
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, onto_tower
from legacy_towers.inputs.queue_hooks import RaiseRunnerErrors
from legacy_towers.inputs.reading import describe_end
from legacy_towers.inputs.sizes import check_positive, resolve_sizes, static_sizes
from legacy_towers.inputs.splitting import deal, split_batch

# The operations that wait for data in a step. Those of readers do it where a step reads without a queue.
_PULLS = (
    "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo", "IteratorGetNext", "IteratorGetNextSync",
    "MultiDeviceIteratorGetNextFromShard", "Unstage", "MapUnstage", "OrderedMapUnstage", "ReaderRead", "ReaderReadUpTo",
    "BarrierTakeMany", "RecordInput",
)


def from_tensors(
    per_tower: Optional[Sequence[Any]] = None,
    global_batch: Any = None,
    global_batch_size: Optional[int] = None,
    remainder: Optional[str] = None,
    shared_by_towers: bool = False,
) -> "FromTensors":
    """Returns the way in for tensors of the graph, such as what your own queues or iterators give.

    An error in a queue runner behind them is raised itself, not the closed queue that it left.

    Args:
      per_tower: a list with one structure of tensors (dicts, tuples, lists) per tower; or
      global_batch: one structure of tensors, such as the list that `tf.train.batch` gives; each is split
        among the towers along the first axis.
      global_batch_size, remainder: for a global batch that may be short at the end of data, as by
        `tf.train.batch(..., allow_smaller_final_batch=True)`: how many examples a full one has, and "short" or "pad".
        Tower k gets the examples from k * global_batch_size / towers on. Without them all batches must divide.
      shared_by_towers: whether all towers are meant to train on the same examples. Otherwise the step refuses towers
        that read one batch: the usual mistake is to pull it once, before the loop over towers.

    Raises:
      ArgumentError: none or both of the first two are given, or the others don't go with them.
    """
    if (per_tower is None) == (global_batch is None):
        raise ArgumentError("give exactly one of per_tower and global_batch")
    if remainder not in (None, "short", "pad"):
        raise ArgumentError(
            'remainder must be "short" or "pad" here, not {!r}: what comes as a tensor can\'t be dropped any more; '
            "leave allow_smaller_final_batch out where the tensors are made".format(remainder)
        )
    if (remainder is None) != (global_batch_size is None):
        raise ArgumentError("global_batch_size and remainder go together: what is a full batch, and what a short one")
    if global_batch_size is not None:
        check_positive("global_batch_size", global_batch_size)
    if per_tower is not None and remainder is not None:
        raise ArgumentError("remainder={!r} needs a global_batch: it is dealt out again".format(remainder))
    return FromTensors(per_tower, global_batch, global_batch_size, remainder, shared_by_towers)


class FromTensors(Input):
    """See `from_tensors`."""

    def __init__(
        self,
        per_tower: Optional[Sequence[Any]],
        global_batch: Any,
        global_batch_size: Optional[int],
        remainder: Optional[str],
        shared_by_towers: bool,
    ) -> None:
        self._per_tower = per_tower
        self._global_batch = global_batch
        self._global_batch_size = global_batch_size
        self._remainder = remainder
        self._shared_by_towers = shared_by_towers

    def build(self, devices: Sequence[str]) -> TowerBatches:
        pulls = pulls_of(self._global_batch if self._per_tower is None else self._per_tower)
        parts, counts = self._parts(devices)
        per_tower = [onto_tower(part, tower, device) for tower, (part, device) in enumerate(zip(parts, devices))]
        hooks = [RaiseRunnerErrors()] if any(pull.type.startswith("QueueDequeue") for pull in pulls) else []
        return TowerBatches(
            per_tower,
            hooks,
            self._plan(per_tower),
            pulls,
            counts,
            padded=self._remainder == "pad",
            shared_by_towers=self._shared_by_towers,
        )

    def _parts(self, devices: Sequence[str]) -> Tuple[List[Any], Optional[List[Any]]]:
        towers = len(devices)
        if self._per_tower is not None:
            if len(self._per_tower) != towers:
                raise InputError(
                    "tensors for {} towers are given where there are {}".format(len(self._per_tower), towers)
                )
            return list(self._per_tower), None
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
            if self._remainder is None:
                return split_batch(self._global_batch, towers), None
            sizes = resolve_sizes(None, self._global_batch_size, towers)
            return deal(self._global_batch, towers, sizes.per_tower, self._remainder)

    def _plan(self, per_tower: List[Any]) -> InputPlan:
        details: Dict[str, Any] = {}
        if self._remainder is None:
            same, whole = static_sizes(per_tower)
        else:
            same, whole, _ = resolve_sizes(None, self._global_batch_size, len(per_tower))
            details["end"] = describe_end(self._remainder)
        route = "split" if self._per_tower is None else None
        return InputPlan(
            "from_tensors", route, "any", same, whole, None, None, "tensors of the graph", details,
            lasts="as long as they last",
        )


def pulls_of(tensors: Any) -> Tuple[Any, ...]:
    """Returns the operations behind `tensors` that wait for data: dequeues, `get_next`s, unstages, reads.

    Args:
      tensors: a structure of tensors.
    """
    leaves = [leaf for leaf in structure.leaves_of(tensors) if hasattr(leaf, "graph")]
    if not leaves:
        return ()  # numbers, which become constants
    behind = ancestors(leaves, graph=leaves[0].graph)
    found = [operation for operation in behind if _without_version(operation.type) in _PULLS]
    return tuple(sorted(found, key=lambda operation: str(operation.name)))


def _without_version(kind: str) -> str:
    return kind[:-2] if kind.endswith("V2") else kind
