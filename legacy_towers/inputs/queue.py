"""The way in by queues and their runner threads, as TF1 jobs were written.

    file names -> readers -> parse -> shuffling, FIFO or padding queue, or one per bucket of lengths
               -> steps of per-tower batches -> prefetch queue -> towers

All of it stands on the host's CPU: TF 2.21 refuses a queue with its reader under a GPU's scope.
"""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.examples.sources import parts_of
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, onto_tower
from legacy_towers.inputs.bucketing import (
    Boundaries,
    check_buckets,
    describe_buckets,
    describe_end,
    enqueue_by_length,
)
from legacy_towers.inputs.queue_hooks import RaiseRunnerErrors
from legacy_towers.inputs.queue_steps import Prefetch, add_runner, as_list, take_step, together
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.sizes import Sizes, check_positive


def queue(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    threads: Optional[int] = None,
    capacity: Optional[int] = None,
    remainder: str = "drop",
    join: Optional[int] = None,
    dynamic_pad: bool = False,
    bucket_by: Optional[Callable[[Any], Any]] = None,
    bucket_boundaries: Optional[Boundaries] = None,
) -> "QueueInput":
    """Returns the way in that reads the examples by queues.

    Args:
      examples: an `lt.Examples` of files or arrays.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      epochs: how often the data is read; None for ever. It is counted in a local variable.
      shuffle: as in `Examples`, instead of what the examples were made with. Even with a seed the order of a shuffling
        queue is another in each run: it depends on how full the queue is.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      threads: threads that run the one reader and the parse function; None means 2, and 1 for order="fixed".
      capacity: per-tower batches that are kept ready, rounded up to whole steps; None means those of two steps. They
        wait on the host of their tower.
      remainder: what happens to the examples at the very end that don't fill a global batch: "drop", "pad" or "short".
      join: so many readers in place of one, each with a thread and a parse pipeline of its own, which share the files
        among them: as `tf.train.batch_join` and `shuffle_batch_join`. It mixes the examples of several files.
      dynamic_pad: pad components with unknown dimensions by zeros (or empty strings) to the largest of each batch: of
        a tower's batch with remainder="drop", else of the global batch. Without it they are refused.
      bucket_by: a function from an example to its length, a scalar tensor. A step holds examples of one bucket only,
        and components with unknown dimensions are padded as by `dynamic_pad`.
      bucket_boundaries: growing lengths; one that equals a boundary belongs to the bucket that begins there.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: the examples come from a generator. And when the step is built: a component is sparse or ragged, or
        has a shape that a queue can't take.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    if not examples.source.has_queue:
        raise InputError(
            'a queue can\'t read {}: inputs.feed, and inputs.dataset by route="split" or "next_per_tower", serve '
            "generators".format(examples.describe())
        )
    for name, number in (("threads", threads), ("capacity", capacity), ("join", join)):
        if number is not None:
            check_positive(name, number)
    check_buckets(bucket_by, bucket_boundaries)
    if join is not None and threads is not None:
        raise ArgumentError("join={} has a thread for each reader: leave threads={} out".format(join, threads))
    if order == "fixed":
        if threads not in (None, 1):
            raise ArgumentError(
                'threads={} contradicts order="fixed": several readers overtake each other'.format(threads)
            )
        if join not in (None, 1):
            raise ArgumentError('join={} contradicts order="fixed": several readers overtake each other'.format(join))
        if bucket_by is not None:
            raise ArgumentError('bucket_by contradicts order="fixed": examples wait until their bucket is full')
    options = _Options(
        threads or (1 if order == "fixed" or join else 2), join or 1, capacity, dynamic_pad, bucket_by,
        bucket_boundaries,
    )
    return QueueInput(reading, options)


class _Options(NamedTuple):
    threads: int  # per reader
    readers: int
    capacity: Optional[int]  # per-tower batches
    dynamic_pad: bool
    bucket_by: Optional[Callable[[Any], Any]]
    boundaries: Optional[Boundaries]


class QueueInput(Input):
    """See `queue`."""

    def __init__(self, reading: Reading, options: _Options) -> None:
        self._reading = reading
        self._options = options

    def build(self, devices: Sequence[str]) -> TowerBatches:
        return self._build(devices, apart=False)

    def build_apart(self, devices: Sequence[str]) -> TowerBatches:
        return self._build(devices, apart=self._reading.order != "fixed")

    def _build(self, devices: Sequence[str], apart: bool) -> TowerBatches:
        remainder = self._reading.remainder
        sizes = self._reading.sizes(len(devices))
        capacity = 2 * sizes.towers if self._options.capacity is None else self._options.capacity
        steps_ahead = -(-capacity // sizes.towers)
        # Apart, each tower takes elements of one tower's batch, all of them on the first one's host.
        taking = Sizes(sizes.per_tower, sizes.per_tower, 1) if apart else sizes
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
            pipelines = self._pipelines()
            example = pipelines[0]
            queues = self._fill_queues(pipelines, sizes)
            taken = [take_step(each, taking, remainder, self._reading.order == "fixed")[0] for each in queues]
            prefetch = Prefetch(taken[0], devices[:taking.towers], steps_ahead * sizes.towers // taking.towers)
            prefetch.fill(taken)
            takes = [prefetch.take() for _ in (devices if apart else [None])]
        step, pulls = together(takes)
        per_tower = [
            onto_tower(structure.pack(example, iter(parts)), tower, device)
            for tower, (parts, device) in enumerate(zip(step.parts, devices))
        ]
        return TowerBatches(
            per_tower, [RaiseRunnerErrors()], self._plan(sizes, steps_ahead, apart), tuple(pulls), step.counts,
            padded=remainder == "pad",
        )

    def _pipelines(self) -> List[Any]:
        """Returns the tensors of one example from each reader."""
        reading = self._reading
        source, shuffled = reading.examples.source, bool(reading.shuffle_now())
        records = source.queue_records(self._options.readers, shuffled, reading.examples.seed, reading.epochs)
        parse = reading.examples.parser(in_variables=True)
        examples = [parse(*parts_of(record)) for record in records]
        for example in examples:
            for path, leaf in structure.leaves(example):
                self._check(path, leaf)
        return examples

    def _check(self, path: str, leaf: Any) -> None:
        if isinstance(leaf, (tf.SparseTensor, tf.RaggedTensor)):
            raise InputError(
                "component {!r} is no dense tensor ({}): inputs.queue serves only dense ones, inputs.dataset "
                "serves all".format(path, type(leaf).__name__)
            )
        if self._padded() and leaf.shape.ndims is None:
            raise InputError(
                "component {!r} has an unknown number of dimensions: it can be padded only where that is known; set it "
                "in the parse function by set_shape or tf.reshape".format(path)
            )
        if not self._padded() and not leaf.shape.is_fully_defined():
            raise InputError(
                "component {!r} has the shape {}: inputs.queue needs shapes without unknown dimensions; set it in "
                "the parse function by set_shape or tf.reshape, or pad to the largest of each batch by "
                "dynamic_pad=True".format(path, leaf.shape)
            )

    def _padded(self) -> bool:
        return self._options.dynamic_pad or self._options.bucket_by is not None

    def _fill_queues(self, pipelines: List[Any], sizes: Sizes) -> List[Any]:
        """Returns the queues of single examples from which steps are taken: one, or one for each bucket."""
        leaves = structure.leaves_of(pipelines[0])
        dtypes, shapes = [leaf.dtype for leaf in leaves], [leaf.shape for leaf in leaves]
        buffer, seed = int(self._reading.shuffle_now()), self._reading.examples.seed
        threads = self._options.threads
        room = threads * self._options.readers * sizes.per_tower + max(2 * sizes.per_tower, sizes.global_)
        padded = not all(shape.is_fully_defined() for shape in shapes)
        if buffer and not padded and self._options.bucket_by is None:
            shuffling = tf.RandomShuffleQueue(buffer + room, buffer, dtypes, shapes, seed=seed, name="shuffle")
            self._enqueue(pipelines, threads, [shuffling], buffer + room)
            return [shuffling]
        if buffer:
            # No queue both shuffles and pads: one shuffles single examples, the next pads or sorts them.
            shuffling = tf.RandomShuffleQueue(buffer + room, buffer, dtypes, seed=seed, name="shuffle")
            self._enqueue(pipelines, threads, [shuffling], buffer + room)
            mixed = as_list(shuffling.dequeue())
            for tensor, shape in zip(mixed, shapes):
                tensor.set_shape(shape)
            pipelines, threads = [structure.pack(pipelines[0], iter(mixed))], 1
        kind, name = (tf.PaddingFIFOQueue, "pad") if padded else (tf.FIFOQueue, "batch")
        number = 1 if self._options.boundaries is None else len(self._options.boundaries) + 1
        queues = [kind(room, dtypes, shapes, name=name if number == 1 else "bucket") for _ in range(number)]
        self._enqueue(pipelines, threads, queues, room)
        return queues

    def _enqueue(self, pipelines: List[Any], threads: int, queues: List[Any], capacity: int) -> None:
        """Makes the queue runner that puts the pipelines' examples into the queue, or each into that of its bucket."""
        enqueues = []
        for example in pipelines:
            components = structure.leaves_of(example)
            if len(queues) == 1:
                enqueues.append(queues[0].enqueue(components))
            else:
                assert self._options.bucket_by is not None and self._options.boundaries is not None
                length = self._options.bucket_by(example)
                enqueues.append(enqueue_by_length(queues, self._options.boundaries, length, components))
        add_runner(queues, enqueues * threads)
        for each in queues:
            # As tf.train.batch does: a queue that is mostly empty is where a job waits.
            tf.summary.scalar(
                "{}/fraction_of_{}_full".format(each.name.split("/")[-1], capacity),
                tf.cast(each.size(), tf.float32) * (1.0 / capacity),
            )

    def _plan(self, sizes: Sizes, steps_ahead: int, apart: bool) -> InputPlan:
        options, remainder = self._options, self._reading.remainder
        details: Dict[str, Any] = {"threads": options.threads * options.readers}
        if options.readers > 1:
            details["readers"] = "{}, which share the files".format(options.readers)
        if self._padded():
            details["padding"] = "to the largest of each {} batch".format(
                "tower's" if remainder == "drop" or apart else "global"
            )
        details["prefetch"] = "{} per-tower batches".format(steps_ahead * sizes.towers)
        if options.boundaries is not None:
            details["buckets"] = describe_buckets(options.boundaries)
        plan = self._reading.plan("queue", None, sizes, details, apart)
        if "end" in plan.details and options.boundaries is not None:
            size = sizes.per_tower if apart else sizes.global_
            plan.details["end"] = describe_end(options.boundaries, remainder, size, "" if apart else "global ")
        return plan
