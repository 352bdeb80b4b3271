"""From a queue of examples to the batches of a step, which a prefetch queue holds ready.

    queue of examples                    prefetch queue                            towers
                                         step 0         step 1
    a b c d e f g h ...           ->     [a b] [c d]    [e f] [g h]    ...   ->    tower 0: [a b]   tower 1: [c d]

An element of the prefetch queue holds the batches of all towers of one host. A step therefore waits once, each tower
gets its batches in the same order, and at the end of the data all towers stop at the same step.
"""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.inputs.base import host_device
from legacy_towers.inputs.splitting import split_incomplete
from legacy_towers.inputs.tf_data.routes import take_batches
from legacy_towers.specs.batch_sizes import Sizes
from legacy_towers.tensor_types import Tensor


class StepParts(NamedTuple):
    """The batches of one step."""

    parts: List[List[Any]]  # per tower, the components of its batch
    counts: Optional[List[Tensor]]  # int32 scalar per tower: its examples without copies; None: all rows


def take_step(queue: Any, sizes: Sizes, remainder: str, in_turn: bool) -> Tuple[StepParts, List[Any]]:
    """Takes the examples of a step from a queue of single examples.

    Args:
      queue: a tf.QueueBase with static shapes, or a PaddingFIFOQueue with static ranks.
      remainder: "drop", "pad" or "short". With "drop" a padding queue pads to the largest example of a tower's batch,
        otherwise to the largest of the global batch.
      in_turn: whether tower 0 takes the first examples, tower 1 the next ones, and so on.

    Returns:
      The batches, and the operations that wait for them.
    """
    if remainder == "drop":
        taken = take_batches([lambda: as_list(queue.dequeue_many(sizes.per_tower))] * sizes.towers, in_turn)
        return StepParts(taken, None), [tensors[0].op for tensors in taken]
    tensors = as_list(queue.dequeue_up_to(sizes.global_))
    parts, counts = split_incomplete(tensors, sizes.towers, sizes.per_tower, remainder)
    return StepParts(parts, counts), [tensors[0].op]


class Prefetch:
    """A queue of the batches of whole steps, on each host of the towers."""

    def __init__(self, like: StepParts, devices: Sequence[str], capacity: int) -> None:
        self._towers_of: Dict[str, List[int]] = {}  # by host
        for tower, device in enumerate(devices):
            self._towers_of.setdefault(host_device(device), []).append(tower)
        self._like = like
        self._queues: List[Any] = []
        for host, towers in self._towers_of.items():
            tensors = _of_towers(like, towers)
            # A queue has either complete shapes or none; `take` sets the known dimensions of what is dequeued.
            known = all(tensor.shape.is_fully_defined() for tensor in tensors)
            with tf.device(host):
                self._queues.append(tf.FIFOQueue(
                    capacity, [tensor.dtype for tensor in tensors],
                    [tensor.shape for tensor in tensors] if known else None, name="prefetch",
                ))

    def fill(self, steps: Sequence[StepParts]) -> None:
        """Adds the queue runner that enqueues `steps`, with a thread for each of them."""
        if len(steps) > 1 and len(self._queues) > 1:
            # Two threads could enqueue the parts of two steps in different orders on different hosts.
            host = next(iter(self._towers_of))
            merged = Prefetch(self._like, [host] * len(self._like.parts), 1)
            merged.fill(steps)
            steps = [merged.take()[0]]
        enqueues = []
        for step in steps:
            parts = []
            for queue, (host, towers) in zip(self._queues, self._towers_of.items()):
                with tf.device(host):
                    parts.append(queue.enqueue(_of_towers(step, towers)))
            enqueues.append(tf.group(*parts))
        add_runner(self._queues, enqueues)

    def take(self) -> Tuple[StepParts, List[Any]]:
        """Dequeues a step: returns its batches, and the operations that wait for them."""
        parts: List[List[Any]] = [[] for _ in self._like.parts]
        counts: List[Any] = [None for _ in self._like.parts]
        input_ops = []
        for queue, (host, towers) in zip(self._queues, self._towers_of.items()):
            with tf.device(host):
                tensors = as_list(queue.dequeue())
            input_ops.append(tensors[0].op)
            for tensor, like in zip(tensors, _of_towers(self._like, towers)):
                tensor.set_shape(like.shape)
            remaining = iter(tensors)
            for tower in towers:
                parts[tower] = [next(remaining) for _ in self._like.parts[tower]]
                if self._like.counts is not None:
                    counts[tower] = next(remaining)
        return StepParts(parts, None if self._like.counts is None else counts), input_ops


def merge_steps(taken: Sequence[Tuple[StepParts, List[Any]]]) -> Tuple[StepParts, List[Any]]:
    """Merges steps of single towers into one step of all towers, and their waiting operations into one list."""
    counts = None if taken[0][0].counts is None else [count for step, _ in taken for count in step.counts or []]
    return StepParts([part for step, _ in taken for part in step.parts], counts), [op for _, ops in taken for op in ops]


def _of_towers(step: StepParts, towers: Sequence[int]) -> List[Any]:
    tensors = []
    for tower in towers:
        tensors.extend(step.parts[tower])
        if step.counts is not None:
            tensors.append(step.counts[tower])
    return tensors


def add_runner(queues: Sequence[Any], enqueues: Sequence[Any], make: Callable[..., Any] = tf.train.QueueRunner) -> None:
    """Registers a queue runner with a thread for each of `enqueues`; it closes all `queues` at the end of the data.

    Args:
      make: creates it, with the arguments of `tf.train.QueueRunner`.
    """
    if len(queues) == 1:
        runner = make(queues[0], list(enqueues))
    else:
        runner = make(
            queues[0], list(enqueues),
            close_op=tf.group(*[queue.close() for queue in queues]),
            cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
        )
    tf.train.add_queue_runner(runner)


def as_list(tensors: Any) -> List[Any]:
    """Returns the tensors of a dequeue, which are a dict, a list, or a single tensor, as a list."""
    if isinstance(tensors, dict):
        return list(tensors.values())
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def named_components(queue: Any, components: List[Tensor]) -> Any:
    """Returns the components as an element of the queue, with the structure that its `dequeue` returns."""
    if queue.names:
        return dict(zip(queue.names, components))
    return components[0] if len(components) == 1 else list(components)
