"""The input pipeline over a caller's queue, filled by queue runners, by the caller's threads, or from iterators."""
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.data.item_log import ItemLog
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph.closed_queues import queue_of
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, move_to_tower
from legacy_towers.inputs.logged_position import ItemsPosition
from legacy_towers.inputs.position import EXACT, ONCE, Promise
from legacy_towers.inputs.promises import refused
from legacy_towers.inputs.queues.batches import Prefetch, StepParts, as_list, named_components, take_step
from legacy_towers.inputs.queues.hooks import FeedQueueHook, RaiseRunnerErrors
from legacy_towers.inputs.reading import check_order, check_remainder, describe_end
from legacy_towers.inputs.splitting import split_incomplete
from legacy_towers.inputs.tf_data.routes import take_batches
from legacy_towers.specs.batch_sizes import Sizes, check_positive, check_sizes, resolve_sizes

Feeder = Callable[[], Iterable[Any]]


def from_queue(
    queue: Any,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    order: str = "any",
    remainder: str = "drop",
    feed_with: Union[None, Feeder, Sequence[Feeder]] = None,
    prefetch: Optional[int] = None,
    resumable: bool = False,
) -> "FromQueue":
    """Creates an input pipeline over your own tf.FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue or PriorityQueue.

        queue: a b c d e f g h ...   ->   step 0:  tower 0 [a b]  tower 1 [c d]   step 1:  tower 0 [e f]  tower 1 [g h]

    The queue is filled by queue runners of the collection QUEUE_RUNNERS, by your own threads, or by `feed_with`. If it
    has names, a tower's batch is a dict; otherwise it is what `queue.dequeue()` returns, a list or a single tensor.

        queue = tf.RandomShuffleQueue(1000, 500, [tf.float32, tf.int32], [[28, 28], []])

        def digits():                      # called in each session, in a thread
            while True:
                yield image, label         # an example, or a batch: arrays of shape [n, 28, 28] and [n]

        inputs = lt.inputs.from_queue(queue, per_tower_batch_size=32, feed_with=digits)

    Args:
      queue: a queue in the default graph.
      per_tower_batch_size, global_batch_size: examples per step, of one tower or of all towers, if the queue holds
        single examples. Without both the queue holds batches, and each tower takes one.
      order: "any"; or "fixed": tower 0 takes the next examples or batch, then tower 1, and so on.
      remainder: what happens to the last examples that don't fill a step: "drop", "pad" with copies, or "short"
        batches. "pad" and "short" need a queue with static shapes other than a PriorityQueue.
      feed_with: a function that returns an iterator over examples or batches of examples, such as a generator
        function; or a list of functions, each for its own thread. They are called in each new session. When all
        iterators have ended, the queue is closed. The session raises their errors with their tracebacks.
      prefetch: steps that a queue runner dequeues in advance, to the towers' hosts; None dequeues in the step.
      resumable: whether the iterators of `feed_with` report their position, by `state_dict()` and
        `load_state_dict(state)`, so that a run resumes at the next example: see `lt.Examples.from_generator`. It needs
        one function and a queue that keeps the order. With order="fixed", or one tower, the run is exact.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: when the step is built: the shapes of the queue don't allow the options. While `feed_with` runs: an
        item does not fit the queue; the message names the component.
    """
    feeders = _checked_feeders(queue, order, feed_with)
    if resumable and (len(feeders) != 1 or _kind(queue) not in _IN_ORDER):
        raise ArgumentError(
            "resumable=True needs a queue that keeps the order (tf.FIFOQueue or tf.PaddingFIFOQueue) and one function "
            "as feed_with, got {} and {} functions".format(_kind(queue), len(feeders))
        )
    if per_tower_batch_size is not None or global_batch_size is not None:
        check_sizes(per_tower_batch_size, global_batch_size)
    check_remainder(remainder)
    if prefetch is not None:
        check_positive("prefetch", prefetch)
    return FromQueue(queue, (per_tower_batch_size, global_batch_size), order, remainder, feeders, prefetch, resumable)


def _checked_feeders(queue: Any, order: str, feed_with: Union[None, Feeder, Sequence[Feeder]]) -> List[Feeder]:
    """Returns the functions of `feed_with` as a list; raises ArgumentError for a wrong queue, order or feed_with."""
    if not isinstance(queue, tf.QueueBase):
        raise ArgumentError(
            "queue must be a tf.QueueBase such as tf.FIFOQueue, got {}; pass the tensors of a dequeue to "
            "lt.inputs.from_tensors".format(type(queue).__name__)
        )
    check_order(order)
    feeders: List[Feeder] = []
    if feed_with is not None:
        if callable(feed_with):
            feeders = [feed_with]
        elif isinstance(feed_with, (list, tuple)):
            feeders = list(feed_with)
        if not feeders or not all(callable(feeder) for feeder in feeders):
            raise ArgumentError(
                "feed_with must be a function that returns an iterator, such as a generator function, or a list of "
                "such functions: an iterator can't be restarted in a new session"
            )
    if order == "fixed" and len(feeders) > 1:
        raise ArgumentError(
            'feed_with has {} functions, which contradicts order="fixed": threads enqueue in any order'.format(
                len(feeders)
            )
        )
    if order == "fixed" and _kind(queue) == "RandomShuffleQueue":
        raise ArgumentError('order="fixed" contradicts {}, which is a RandomShuffleQueue'.format(_name(queue)))
    return feeders


class FromQueue(Input):
    """The input pipeline of `from_queue`."""

    def __init__(
        self,
        queue: Any,
        batch_sizes: Tuple[Optional[int], Optional[int]],
        order: str,
        remainder: str,
        feeders: List[Feeder],
        prefetch: Optional[int],
        resumable: bool,
    ) -> None:
        self._resumable = resumable
        self._queue = queue
        self._batch_sizes = batch_sizes
        self._order = order
        self._remainder = remainder
        self._feeders = feeders
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        return self._build(devices, self._position(len(devices), len(devices)))

    def build_asynchronous(self, devices: Sequence[str]) -> TowerBatches:
        position = self._position(1, len(devices))
        if position is not None:
            position.by_tower = True
        return self._build(devices, position)

    def _build(self, devices: Sequence[str], position: Optional[ItemsPosition]) -> TowerBatches:
        hooks: List[Any] = [RaiseRunnerErrors()]
        runners = self._runners()
        # On the queue's device, not on that of the caller's device scope.
        device = self._queue.queue_ref.device or host_device(devices[0])
        with tf.name_scope("inputs"), tf.device(device):
            if self._feeders:
                hooks.append(FeedQueueHook(self._queue, self._feeders, position))
            step, input_ops = self._take(len(devices))
            if self._prefetch is not None:
                ahead = Prefetch(step, devices, self._prefetch)
                ahead.fill([step])
                step, input_ops = ahead.take()
        per_tower = [
            move_to_tower(named_components(self._queue, parts), tower, each)
            for tower, (parts, each) in enumerate(zip(step.parts, devices))
        ]
        promise = refused(self._no_position(runners)) if position is None else position.promise
        return TowerBatches(
            per_tower, hooks, self._plan(step, runners).with_promise(promise), tuple(input_ops), step.counts,
            padded=self._remainder == "pad", position=position,
        )

    def _position(self, towers: int, all_towers: int) -> Optional[ItemsPosition]:
        """Returns the position, where the queue is resumable, by the steps of so many of the towers."""
        if not self._resumable:
            return None
        promise = Promise(EXACT, "the iterator of feed_with reports its position: a resumed run begins there")
        if self._order != "fixed" and self._remainder == "drop" and towers > 1:
            promise = Promise(ONCE, 'towers take the examples of a step in any order: order="fixed" is exact')
        per_step = towers
        if self._batch_sizes != (None, None):
            per_step = towers * resolve_sizes(self._batch_sizes[0], self._batch_sizes[1], all_towers).per_tower
        name = "the function {}".format(getattr(self._feeders[0], "__name__", "feed_with"))
        log = ItemLog(name, "from_queue(..., resumable=True)", numbered="item {:,}")
        return ItemsPosition(promise, per_step, "what feed_with puts into your queue", log)

    def _no_position(self, runners: List[Any]) -> str:
        """Returns why a run that resumes begins again, and what to use instead, in a clause."""
        kind = _kind(self._queue)
        if kind not in _IN_ORDER:
            return "a {} keeps no order: shuffle in feed_with, with a tf.FIFOQueue and resumable=True".format(kind)
        if len(self._feeders) > 1:
            return "several functions fill the queue in any order: use one, with resumable=True"
        if self._feeders:
            return (
                "only your iterator knows where it is: one with state_dict() and load_state_dict(), and "
                "resumable=True, resumes exactly"
            )
        return "{} the queue: lt.inputs.queue over lt.Examples, or feed_with=... with resumable=True, resumes".format(
            "queue runners fill" if runners else "your threads fill"
        )

    def _runners(self) -> List[Any]:
        """Returns the queue runners that fill the queue; raises InputError if there is `feed_with` too."""
        ref = self._queue.queue_ref.op.name
        runners = [
            runner for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) if queue_of(runner).name == ref
        ]
        if runners and self._feeders:
            raise InputError(
                "{} is filled by a queue runner, which would fail when the end of feed_with closes the queue: let "
                "feed_with fill another queue".format(_name(self._queue))
            )
        return runners

    def _take(self, towers: int) -> Tuple[StepParts, List[Any]]:
        if self._batch_sizes == (None, None):
            return self._take_batches(towers)
        sizes = resolve_sizes(self._batch_sizes[0], self._batch_sizes[1], towers)
        if self._remainder != "drop":
            self._check_takes_up_to()
        if _kind(self._queue) != "PaddingFIFOQueue":
            self._check_shapes("dequeuing batches of single examples")
        return take_step(self._queue, sizes, self._remainder, self._order == "fixed")

    def _take_batches(self, towers: int) -> Tuple[StepParts, List[Any]]:
        queue = self._queue
        if self._remainder == "drop":
            taken = take_batches([lambda: as_list(queue.dequeue())] * towers, self._order == "fixed")
            return StepParts(taken, None), [tensors[0].op for tensors in taken]
        self._check_takes_up_to()
        self._check_shapes("remainder={!r}".format(self._remainder))
        rows = [shape.as_list()[:1] for shape in queue.shapes]
        if [] in rows or len({row[0] for row in rows}) != 1:
            raise InputError(
                "{} has components of shapes {}: components of batches must have the same first dimension; give "
                "per_tower_batch_size if the queue holds single examples".format(
                    _name(queue), ", ".join(str(tuple(shape.as_list())) for shape in queue.shapes)
                )
            )
        stacked = as_list(queue.dequeue_up_to(towers))  # [batches left, examples of a batch, ...]
        joined = [tf.reshape(tensor, [-1] + shape.as_list()[1:]) for tensor, shape in zip(stacked, queue.shapes)]
        parts, counts = split_incomplete(joined, towers, rows[0][0], self._remainder)
        return StepParts(parts, counts), [stacked[0].op]

    def _check_takes_up_to(self) -> None:
        if _kind(self._queue) == "PriorityQueue":
            raise InputError(
                "{} is a PriorityQueue, which can't dequeue short batches: remainder={!r} needs another queue".format(
                    _name(self._queue), self._remainder
                )
            )

    def _check_shapes(self, purpose: str) -> None:
        for index, shape in enumerate(self._queue.shapes):
            if not shape.is_fully_defined():
                name = self._queue.names[index] if self._queue.names else index
                raise InputError(
                    "component {!r} of {} has the shape {}: {} needs static shapes; create the queue with shapes=, or "
                    "use a tf.PaddingFIFOQueue if the shapes vary".format(name, _name(self._queue), shape, purpose)
                )

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
            details["filled_by"] = "queue runners, {} thread(s)".format(threads) if runners else "the caller"
        if self._prefetch is not None:
            details["prefetch"] = "{} steps".format(self._prefetch)
        details["end"] = describe_end(self._remainder)
        return InputPlan(
            "from_queue", None, self._order, sizes and sizes.per_tower, sizes and sizes.global_, None, None,
            _name(self._queue), details, lasts="as long as it is filled", steps_ahead=self._steps_ahead(sizes, towers),
        )

    def _steps_ahead(self, sizes: Optional[Sizes], towers: int) -> Optional[int]:
        operation = self._queue.queue_ref.op
        elements = operation.get_attr("capacity") if "capacity" in operation.node_def.attr else 0
        if _kind(self._queue) == "RandomShuffleQueue":
            elements -= operation.get_attr("min_after_dequeue")  # never dequeued before the end
        per_step = towers if self._batch_sizes == (None, None) else sizes and sizes.global_
        if elements <= 0 or not per_step:
            return None
        return -(-int(elements) // per_step) + (0 if self._prefetch is None else self._prefetch + 1)


# The queues that return what they hold in the order in which they got it.
_IN_ORDER = ("FIFOQueue", "PaddingFIFOQueue")


def _kind(queue: Any) -> str:
    """Returns "FIFOQueue", "RandomShuffleQueue", ... for all versions of the operations."""
    kind = str(queue.queue_ref.op.type)
    return kind[:-2] if kind.endswith("V2") else kind


def _name(queue: Any) -> str:
    return "the queue {!r}".format(queue.queue_ref.op.name)
