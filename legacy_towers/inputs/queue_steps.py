"""From a queue of examples to the batches of a step: taken together, and kept ready in a prefetch queue.

    examples  a b c d e f g h ...   ->   towers' parts  [a b] [c d] | [e f] [g h] | ...   ->   towers
              (a queue of single                 (prefetch: an element is a whole step)
              examples)

An element of the prefetch queue holds the parts of all towers of one host. So a step waits once, a tower has its part
always in the same order, and no tower gets ahead of the others at the end of data.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.inputs.base import host_device
from legacy_towers.inputs.routes import in_order
from legacy_towers.inputs.sizes import Sizes
from legacy_towers.inputs.splitting import deal


class StepParts(NamedTuple):
    """What the towers get in one step."""

    parts: List[List[Any]]  # per tower, the components of its batch
    counts: Optional[List[Any]]  # int32 scalar per tower, its true examples; None where batches are always full


def take_step(queue: Any, sizes: Sizes, remainder: str, in_turn: bool) -> Tuple[StepParts, List[Any]]:
    """Takes the examples of a step from a queue of single examples.

    Args:
      queue: a tf.QueueBase whose components' shapes are known, or, for a PaddingFIFOQueue, their ranks.
      sizes: how many examples each tower gets.
      remainder: what happens to the last examples; see `Reading`. With "drop" a padding queue pads to the largest of
        a tower's batch, otherwise to the largest of the global batch.
      in_turn: tower 0 takes the first examples, tower 1 the next.

    Returns:
      The towers' parts, and the operations that wait for them.
    """
    if remainder == "drop":
        taken = in_order([lambda: as_list(queue.dequeue_many(sizes.per_tower))] * sizes.towers, in_turn)
        return StepParts(taken, None), [tensors[0].op for tensors in taken]
    tensors = as_list(queue.dequeue_up_to(sizes.global_))
    parts, counts = deal(tensors, sizes.towers, sizes.per_tower, remainder)
    return StepParts(parts, counts), [tensors[0].op]


class Prefetch:
    """A queue of whole steps on the host of each tower: towers of the same host share one."""

    def __init__(self, like: StepParts, devices: Sequence[str], capacity: int) -> None:
        """
        Args:
          like: the types and shapes of what will be put in.
          devices: the towers' devices.
          capacity: steps.
        """
        self._towers_of: Dict[str, List[int]] = {}  # by host
        for tower, device in enumerate(devices):
            self._towers_of.setdefault(host_device(device), []).append(tower)
        self._like = like
        self._queues: List[Any] = []
        for host, towers in self._towers_of.items():
            tensors = _of_towers(like, towers)
            # A queue knows either all dimensions or none; what is known is said again of what comes out.
            known = all(tensor.shape.is_fully_defined() for tensor in tensors)
            with tf.device(host):
                self._queues.append(tf.FIFOQueue(
                    capacity, [tensor.dtype for tensor in tensors],
                    [tensor.shape for tensor in tensors] if known else None, name="prefetch",
                ))

    def fill(self, steps: Sequence[StepParts]) -> None:
        """Makes the queue runner that puts in one of `steps` after the other: a thread for each of them."""
        if len(steps) > 1 and len(self._queues) > 1:
            # Side by side they would put the parts of two steps in another order on each host.
            host = next(iter(self._towers_of))
            together = Prefetch(self._like, [host] * len(self._like.parts), 1)
            together.fill(steps)
            steps = [together.take()[0]]
        enqueues = []
        for step in steps:
            parts = []
            for queue, (host, towers) in zip(self._queues, self._towers_of.items()):
                with tf.device(host):
                    parts.append(queue.enqueue(_of_towers(step, towers)))
            enqueues.append(tf.group(*parts))
        add_runner(self._queues, enqueues)

    def take(self) -> Tuple[StepParts, List[Any]]:
        """Returns the parts of a step, and the operations that wait for them."""
        parts: List[List[Any]] = [[] for _ in self._like.parts]
        counts: List[Any] = [None for _ in self._like.parts]
        pulls = []
        for queue, (host, towers) in zip(self._queues, self._towers_of.items()):
            with tf.device(host):
                tensors = as_list(queue.dequeue())
            pulls.append(tensors[0].op)
            for tensor, like in zip(tensors, _of_towers(self._like, towers)):
                tensor.set_shape(like.shape)
            left = iter(tensors)
            for tower in towers:
                parts[tower] = [next(left) for _ in self._like.parts[tower]]
                if self._like.counts is not None:
                    counts[tower] = next(left)
        return StepParts(parts, None if self._like.counts is None else counts), pulls


def together(taken: Sequence[Tuple[StepParts, List[Any]]]) -> Tuple[StepParts, List[Any]]:
    """Returns several steps' parts, each of some towers, as one of all towers; and all operations that wait."""
    counts = None if taken[0][0].counts is None else [count for step, _ in taken for count in step.counts or []]
    return StepParts([part for step, _ in taken for part in step.parts], counts), [op for _, ops in taken for op in ops]


def _of_towers(step: StepParts, towers: Sequence[int]) -> List[Any]:
    tensors = []
    for tower in towers:
        tensors.extend(step.parts[tower])
        if step.counts is not None:
            tensors.append(step.counts[tower])
    return tensors


def add_runner(queues: Sequence[Any], enqueues: Sequence[Any]) -> None:
    """Registers a queue runner with a thread for each of `enqueues`, which closes all of `queues` behind the last."""
    if len(queues) == 1:
        runner = tf.train.QueueRunner(queues[0], list(enqueues))
    else:
        runner = tf.train.QueueRunner(
            queues[0], list(enqueues),
            close_op=tf.group(*[queue.close() for queue in queues]),
            cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
        )
    tf.train.add_queue_runner(runner)


def as_list(tensors: Any) -> List[Any]:
    """Returns what a queue gave as a list: it gives a dict where it has names, and one tensor alone if there is one."""
    if isinstance(tensors, dict):
        return list(tensors.values())
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


