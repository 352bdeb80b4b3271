"""The input pipeline over tensors of the graph, such as those of `tf.train.batch`, a dequeue or an iterator."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph.op_kinds import INPUT_OPS, QUEUE_INPUT_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, move_to_tower
from legacy_towers.inputs.promises import refused
from legacy_towers.inputs.queues.hooks import RaiseRunnerErrors
from legacy_towers.inputs.reading import describe_end, static_sizes
from legacy_towers.inputs.splitting import split_batch, split_incomplete
from legacy_towers.specs.batch_sizes import check_positive, resolve_sizes
from legacy_towers.tensor_types import Operation


def from_tensors(
    per_tower: Optional[Sequence[Any]] = None,
    global_batch: Any = None,
    global_batch_size: Optional[int] = None,
    remainder: Optional[str] = None,
    shared_by_towers: bool = False,
) -> "FromTensors":
    """Creates an input pipeline over tensors of the graph, such as those of your own queues or iterators.

        global_batch [a b c d]   ->   tower 0 [a b]   tower 1 [c d]

        images, labels = tf.train.batch([image, label], batch_size=128)
        inputs = lt.inputs.from_tensors(global_batch=(images, labels))

    An error of a queue runner is raised itself, instead of the error of the queue that it closed.

    Args:
      per_tower: a list with a structure of tensors (dicts, tuples, lists) of shape [per-tower batch size, ...] for
        each tower; or
      global_batch: a structure of tensors of shape [global batch size, ...], each of which is split among the towers
        along the first axis.
      global_batch_size, remainder: for a global batch that may be short at the end of the data, as from
        `tf.train.batch(..., allow_smaller_final_batch=True)`: the examples of a full one, and "short" or "pad". Tower k
        gets the examples from k * global_batch_size / towers on. Without them each batch size must be divisible by the
        number of towers.
      shared_by_towers: whether all towers train on the same examples on purpose. If not, a step whose towers read the
        same batch is an error, usually of a dequeue or get_next before the loop over towers.

    Raises:
      ArgumentError: none or both of per_tower and global_batch are given, or other options contradict them.
      InputError: when the step is built: per_tower is for another number of towers, or a batch can't be split.
    """
    if (per_tower is None) == (global_batch is None):
        raise ArgumentError("give exactly one of per_tower and global_batch")
    if remainder not in (None, "short", "pad"):
        raise ArgumentError(
            'remainder must be "short" or "pad" for tensors, got {!r}; to drop the last examples, leave '
            "allow_smaller_final_batch out of tf.train.batch".format(remainder)
        )
    if (remainder is None) != (global_batch_size is None):
        raise ArgumentError(
            "global_batch_size and remainder must be given together: the size of a full batch, and what happens to a "
            "short one"
        )
    if global_batch_size is not None:
        check_positive("global_batch_size", global_batch_size)
    if per_tower is not None and remainder is not None:
        raise ArgumentError("remainder={!r} needs a global_batch, not per_tower".format(remainder))
    return FromTensors(per_tower, global_batch, global_batch_size, remainder, shared_by_towers)


class FromTensors(Input):
    """The input pipeline of `from_tensors`."""

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

    def of_worker(self, workers: Workers) -> Input:
        """Returns itself: each worker's own tensors have its own examples."""
        return self

    def build(self, devices: Sequence[str]) -> TowerBatches:
        input_ops = input_ops_of(self._global_batch if self._per_tower is None else self._per_tower)
        parts, counts = self._parts(devices)
        per_tower = [move_to_tower(part, tower, device) for tower, (part, device) in enumerate(zip(parts, devices))]
        hooks = [RaiseRunnerErrors()] if any(each.type in QUEUE_INPUT_OPS for each in input_ops) else []
        return TowerBatches(
            per_tower,
            hooks,
            self._plan(per_tower),
            input_ops,
            counts,
            padded=self._remainder == "pad",
            shared_by_towers=self._shared_by_towers,
        )

    def _parts(self, devices: Sequence[str]) -> Tuple[List[Any], Optional[List[Any]]]:
        towers = len(devices)
        if self._per_tower is not None:
            if len(self._per_tower) != towers:
                raise InputError("per_tower has tensors for {} towers, but the step has {}".format(
                    len(self._per_tower), towers
                ))
            return list(self._per_tower), None
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
            if self._remainder is None:
                return split_batch(self._global_batch, towers), None
            sizes = resolve_sizes(None, self._global_batch_size, towers)
            return split_incomplete(self._global_batch, towers, sizes.per_tower, self._remainder)

    def _plan(self, per_tower: List[Any]) -> InputPlan:
        details: Dict[str, Any] = {}
        if self._remainder is None:
            per_tower_size, global_size = static_sizes(per_tower)
        else:
            per_tower_size, global_size, _ = resolve_sizes(None, self._global_batch_size, len(per_tower))
            details["end"] = describe_end(self._remainder)
        route = "split" if self._per_tower is None else None
        return InputPlan(
            "from_tensors", route, "any", per_tower_size, global_size, None, None, "tensors of the graph", details,
            lasts="as long as they last",
        ).with_promise(refused(_NO_POSITION))


_NO_POSITION = (
    "nothing shows where your tensors are in their data: lt.inputs.from_dataset, or from_queue(..., feed_with=..., "
    "resumable=True), resumes exactly"
)


def input_ops_of(tensors: Any) -> Tuple[Operation, ...]:
    """Returns the operations before `tensors` that wait for data: dequeue, get_next, unstage and read operations."""
    leaves = [leaf for leaf in structure.leaves_of(tensors) if hasattr(leaf, "graph")]
    if not leaves:
        return ()  # numbers, which become constants
    found = [operation for operation in ancestors(leaves, graph=leaves[0].graph) if operation.type in INPUT_OPS]
    return tuple(sorted(found, key=lambda operation: str(operation.name)))
