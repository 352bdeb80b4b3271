"""Fills queues that Python code fills with random examples: the proof can't run that code twice."""
import threading
import zlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph.walk import ancestors
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.queue_graph import Queue
from legacy_towers.tensor_types import Coordinator, Graph, Operation, Session, Tensor

EXAMPLES = 64
# Sizes of dimensions that are not known before the run, in turn.
_SIZES = (3, 1, 4, 2)
# The largest integers that are tried: the second ones are indices of almost everything.
LIMITS = (127, 1)
_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)


class _Fill(NamedTuple):
    """One operation that fills a queue.

    Attributes:
      operation: the enqueue operation.
      feeds: placeholders that it depends on -> the shape that is known of each.
      element_count: of an `enqueue_many`, the static number of elements, None if it is not known; of others 1.
      many: whether it puts several elements into the queue.
    """

    operation: Operation
    feeds: Dict[Tensor, Any]
    element_count: Optional[int]
    many: bool


class RandomFeeds:
    """Stands for the Python code that fills some queues: puts the same random examples into each copy, and closes it.

    Args:
      graph: a graph, not finalized.
      queues: its queues that Python code fills.
      examples: how many elements each of them gets.
      limit: the largest random integer.

    Attributes:
      number: how many elements a queue gets: at least `examples`, where each run gives a fixed number of them.
    """

    def __init__(self, graph: Graph, queues: List[Queue], examples: int, limit: int) -> None:
        self._examples, self._limit = examples, limit
        self._queues = [(queue.name, [_fill_of(queue, each) for each in queue.enqueues]) for queue in queues]
        self.number = max(sum(count for _, _, count in _turns(fills, examples)) for _, fills in self._queues)
        with graph.as_default():
            self._closes = [
                tf.raw_ops.QueueCloseV2(handle=queue.operation.outputs[0], cancel_pending_enqueues=False)
                for queue in queues
            ]

    def create_threads(
        self, sess: Session, coord: Coordinator, daemon: bool = True, start: bool = True
    ) -> List[threading.Thread]:
        """Starts a thread for each queue."""
        threads = [
            threading.Thread(target=self._run, args=(sess, coord, name, fills, close))
            for (name, fills), close in zip(self._queues, self._closes)
        ]
        for thread in threads:
            thread.daemon = daemon
            coord.register_thread(thread)
            thread.start()
        return threads

    def _run(self, session: Session, coordinator: Coordinator, name: str, fills: List[_Fill], close: Any) -> None:
        try:
            numbers = np.random.RandomState(zlib.crc32(name.encode()))
            for fill, size, _ in _turns(fills, self._examples):
                if coordinator.should_stop():
                    return
                session.run(fill.operation, {
                    tensor: _value(tensor.dtype, shape, size, numbers, self._limit)
                    for tensor, shape in fill.feeds.items()
                })
            session.run(close)
        except (RuntimeError, tf.errors.CancelledError) as error:  # the session or the queue is closed
            del error
        except tf.errors.OpError as error:
            coordinator.request_stop(error)
        except (TypeError, ValueError) as error:  # of a value that can't be fed
            coordinator.request_stop(tf.errors.InvalidArgumentError(None, None, str(error)))


def _turns(fills: Sequence[_Fill], examples: int) -> Iterator[Tuple[_Fill, int, int]]:
    """Yields, for each run, what runs, the size of its unknown dimensions, and how many elements it puts in."""
    left, turn = examples, 0
    while left > 0:
        fill, size = fills[turn % len(fills)], _SIZES[turn % len(_SIZES)]
        if fill.many:
            size = min(size, left)
        count = fill.element_count or size if fill.many else 1
        yield fill, size, count
        left, turn = left - count, turn + 1


def problem_of(queues: List[Queue]) -> Optional[str]:
    """Returns why random examples can't take the place of what Python code puts into some queues; None if they can."""
    for queue in queues:
        for each in queue.enqueues:
            if each.part.sources:
                return "Python code fills {!r} with what it takes from {!r}".format(
                    queue.name, each.part.sources[0].name)
            if each.conditions:
                return "Python code fills {!r} in a tf.cond".format(queue.name)
    return None


def _fill_of(queue: Queue, enqueue: Enqueue) -> _Fill:
    shapes = queue.shapes or [tf.TensorShape(None)] * len(enqueue.tensors)
    if enqueue.many:
        shapes = [shape if shape.rank is None else tf.TensorShape([None]).concatenate(shape) for shape in shapes]
    of_queue = {tensor.name: shape for tensor, shape in zip(enqueue.tensors, shapes)}
    feeds = {}
    for operation in sorted(ancestors([enqueue.operation], graph=enqueue.operation.graph), key=lambda each: each.name):
        if operation.type in ("Placeholder", "PlaceholderV2"):
            [tensor] = operation.outputs
            known = of_queue.get(tensor.name)
            fits = known is not None and tensor.shape.is_compatible_with(known)
            feeds[tensor] = tensor.shape.merge_with(known) if fits else tensor.shape
    counts = [shape.as_list()[0] for shape in [each.shape for each in enqueue.tensors] + list(feeds.values())
              if enqueue.many and shape.rank and shape.as_list()[0]]
    return _Fill(enqueue.operation, feeds, counts[0] if counts else None, enqueue.many)


def _value(dtype: Any, shape: Any, size: int, numbers: Any, limit: int) -> Any:
    """Returns a random array: of normal numbers, of integers from 0 to `limit`, or of words."""
    sizes = [] if shape.rank is None else [size if each is None else each for each in shape.as_list()]
    dtype = dtype.base_dtype
    if dtype == tf.string:
        words = [bytes(numbers.choice(_LETTERS, 5)) for _ in range(int(np.prod(sizes, dtype=int)))]
        return np.array(words, object).reshape(sizes)
    if dtype == tf.bool:
        return numbers.randint(0, 2, sizes).astype(bool)
    if dtype.is_floating or dtype.is_complex:
        values = numbers.standard_normal(sizes)
        return np.asarray(values + 1j * values if dtype.is_complex else values).astype(dtype.as_numpy_dtype)
    return np.asarray(numbers.randint(0, limit + 1, sizes)).astype(dtype.as_numpy_dtype)
