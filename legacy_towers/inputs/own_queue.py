"""The way in for people's own queues, whoever fills them: queue runners, their own threads, or threads of ours."""
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from legacy_towers.closed_queues import queue_of
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, onto_tower
from legacy_towers.inputs.queue_hooks import FeedQueueHook, RaiseRunnerErrors
from legacy_towers.inputs.queue_steps import Prefetch, StepParts, as_list, take_step
from legacy_towers.inputs.reading import check_order, check_remainder, describe_end
from legacy_towers.inputs.routes import in_order
from legacy_towers.inputs.sizes import Sizes, check_positive, check_sizes, resolve_sizes
from legacy_towers.inputs.splitting import deal

Feeder = Callable[[], Iterable[Any]]


def from_queue(
    queue: Any,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    order: str = "any",
    remainder: str = "drop",
    feed_with: Union[None, Feeder, Sequence[Feeder]] = None,
    prefetch: Optional[int] = None,
) -> "FromQueue":
    """Returns the way in for a queue of your own: tf.FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue.

    It is filled by queue runners in the collection QUEUE_RUNNERS, by threads of your own, or by `feed_with`. Where it
    has names, a tower's batch is a dict; otherwise it is what the queue's `dequeue` gives, a list or one tensor.

        queue = tf.RandomShuffleQueue(1000, 500, [tf.float32, tf.int32], [[28, 28], []])

        def digits():                      # called in a thread, anew in each session
            while True:
                yield image, label         # one example, or a batch of them: arrays of shape [n, 28, 28] and [n]

        inputs = lt.inputs.from_queue(queue, per_tower_batch_size=32, feed_with=digits)

    Args:
      queue: a queue in the default graph.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them, where the queue holds
        single examples. Without both it holds whole batches, and each tower takes one.
      order: "any"; or "fixed": tower 0 takes the next examples or batch, then tower 1, and so on.
      remainder: what happens to what is left at the end and doesn't fill a step: "drop", "pad" or "short". The latter
        two need shapes that the queue knows, and no PriorityQueue.
      feed_with: a function that returns an iterator over examples, or batches of them, such as a generator function;
        or several, each for a thread of its own. It is called anew in each session; at the end of all of them the queue
        is closed. Its arrays are copied. An error in it is raised by the session, with its own traceback.
      prefetch: steps that a queue runner takes out ahead, so that a step finds its batches ready on the towers' hosts;
        None takes them out in the step itself.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: the queue's shapes don't allow it. And later, from `feed_with`: an item doesn't fit the queue; the
        message names the component.
    """
    if not isinstance(queue, tf.QueueBase):
        raise ArgumentError(
            "queue must be a queue such as tf.FIFOQueue, not {}: for what a queue gives there is "
            "inputs.from_tensors".format(type(queue).__name__)
        )
    if per_tower_batch_size is not None or global_batch_size is not None:
        check_sizes(per_tower_batch_size, global_batch_size)
    check_order(order)
    check_remainder(remainder)
    if prefetch is not None:
        check_positive("prefetch", prefetch)
    feeders: List[Feeder] = []
    if feed_with is not None:
        if callable(feed_with):
            feeders = [feed_with]
        elif isinstance(feed_with, (list, tuple)):
            feeders = list(feed_with)
        if not feeders or not all(callable(feeder) for feeder in feeders):
            raise ArgumentError(
                "feed_with must be a function that returns an iterator, such as a generator function, or a list of "
                "them: an iterator itself can't start again in a new session"
            )
    if order == "fixed" and len(feeders) > 1:
        raise ArgumentError(
            'feed_with of {} functions contradicts order="fixed": threads overtake each other'.format(len(feeders))
        )
    if order == "fixed" and _kind(queue) == "RandomShuffleQueue":
        raise ArgumentError('order="fixed" contradicts {}, which is a RandomShuffleQueue'.format(_name(queue)))
    return FromQueue(queue, (per_tower_batch_size, global_batch_size), order, remainder, feeders, prefetch)


class FromQueue(Input):
    """See `from_queue`."""

    def __init__(
        self,
        queue: Any,
        batch_sizes: Tuple[Optional[int], Optional[int]],
        order: str,
        remainder: str,
        feeders: List[Feeder],
        prefetch: Optional[int],
    ) -> None:
        self._queue = queue
        self._batch_sizes = batch_sizes
        self._order = order
        self._remainder = remainder
        self._feeders = feeders
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        hooks: List[Any] = [RaiseRunnerErrors()]
        runners = self._runners()
        # Where the queue is; one without a device would else come under the caller's.
        device = self._queue.queue_ref.device or host_device(devices[0])
        with tf.name_scope("inputs"), tf.device(device):
            if self._feeders:
                hooks.append(FeedQueueHook(self._queue, self._feeders))
            step, pulls = self._take(len(devices))
            if self._prefetch is not None:
                ahead = Prefetch(step, devices, self._prefetch)
                ahead.fill([step])
                step, pulls = ahead.take()
        per_tower = [
            onto_tower(self._structure(parts), tower, each)
            for tower, (parts, each) in enumerate(zip(step.parts, devices))
        ]
        return TowerBatches(
            per_tower, hooks, self._plan(step, runners), tuple(pulls), step.counts, padded=self._remainder == "pad"
        )

    def _runners(self) -> List[Any]:
        """Returns the queue runners that fill the queue; raises InputError where there is `feed_with` too."""
        ref = self._queue.queue_ref.op.name
        runners = [
            runner for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) if queue_of(runner).name == ref
        ]
        if runners and self._feeders:
            raise InputError(
                "{} is filled by a queue runner already: at the end of feed_with the queue would be closed under "
                "it; let feed_with fill a queue of its own".format(_name(self._queue))
            )
        return runners

    def _take(self, towers: int) -> Tuple[StepParts, List[Any]]:
        if self._batch_sizes == (None, None):
            return self._take_batches(towers)
        sizes = resolve_sizes(self._batch_sizes[0], self._batch_sizes[1], towers)
        if self._remainder != "drop":
            self._check_takes_up_to()
        if _kind(self._queue) != "PaddingFIFOQueue":
            self._check_shapes("taking batches of single examples out of it")
        return take_step(self._queue, sizes, self._remainder, self._order == "fixed")

    def _take_batches(self, towers: int) -> Tuple[StepParts, List[Any]]:
        queue = self._queue
        if self._remainder == "drop":
            taken = in_order([lambda: as_list(queue.dequeue())] * towers, self._order == "fixed")
            return StepParts(taken, None), [tensors[0].op for tensors in taken]
        self._check_takes_up_to()
        self._check_shapes("remainder={!r}".format(self._remainder))
        rows = [shape.as_list()[:1] for shape in queue.shapes]
        if [] in rows or len({row[0] for row in rows}) != 1:
            raise InputError(
                "{} holds components of shapes {}: as whole batches they must have the same first dimension; give "
                "per_tower_batch_size if it holds single examples".format(
                    _name(queue), ", ".join(str(tuple(shape.as_list())) for shape in queue.shapes)
                )
            )
        stacked = as_list(queue.dequeue_up_to(towers))  # [batches left, examples of a batch, ...]
        joined = [tf.reshape(tensor, [-1] + shape.as_list()[1:]) for tensor, shape in zip(stacked, queue.shapes)]
        parts, counts = deal(joined, towers, rows[0][0], self._remainder)
        return StepParts(parts, counts), [stacked[0].op]

    def _check_takes_up_to(self) -> None:
        if _kind(self._queue) == "PriorityQueue":
            raise InputError(
                "{} is a PriorityQueue, which gives no short batches: remainder={!r} needs another queue".format(
                    _name(self._queue), self._remainder
                )
            )

    def _check_shapes(self, purpose: str) -> None:
        for index, shape in enumerate(self._queue.shapes):
            if not shape.is_fully_defined():
                name = self._queue.names[index] if self._queue.names else index
                raise InputError(
                    "component {!r} of {} has the shape {}: {} needs known shapes; make the queue with shapes=, or as "
                    "a tf.PaddingFIFOQueue where they vary".format(name, _name(self._queue), shape, purpose)
                )

    def _structure(self, parts: List[Any]) -> Any:
        if self._queue.names:
            return dict(zip(self._queue.names, parts))
        return parts[0] if len(parts) == 1 else parts

    def _plan(self, step: StepParts, runners: List[Any]) -> InputPlan:
        towers = len(step.parts)
        sizes: Optional[Sizes] = None
        if self._batch_sizes != (None, None):
            sizes = resolve_sizes(self._batch_sizes[0], self._batch_sizes[1], towers)
        elif self._queue.shapes[0].ndims:
            rows = tf.dimension_value(self._queue.shapes[0][0])
            sizes = None if rows is None else Sizes(rows, rows * towers, towers)
        threads = sum(len(runner.enqueue_ops) for runner in runners)
        details: Dict[str, Any] = {"holds": "batches" if self._batch_sizes == (None, None) else "single examples"}
        if self._feeders:
            details["filled_by"] = "feed_with, {} thread(s)".format(len(self._feeders))
        else:
            details["filled_by"] = "queue runners, {} thread(s)".format(threads) if runners else "code of the caller"
        if self._prefetch is not None:
            details["prefetch"] = "{} steps".format(self._prefetch)
        details["end"] = describe_end(self._remainder)
        return InputPlan(
            "from_queue", None, self._order, sizes and sizes.per_tower, sizes and sizes.global_, None, None,
            _name(self._queue), details, lasts="as long as it is filled",
        )


def _kind(queue: Any) -> str:
    """Returns "FIFOQueue", "RandomShuffleQueue", ..., whatever the version of the operation."""
    kind = str(queue.queue_ref.op.type)
    return kind[:-2] if kind.endswith("V2") else kind


def _name(queue: Any) -> str:
    return "the queue {!r}".format(queue.queue_ref.op.name)
