"""The input pipeline with queues and queue runners, as in TF1 jobs.

    file names -> readers -> parse -> shuffling, FIFO or padding queue, or a queue per bucket
               -> per-tower batches -> prefetch queue -> towers

Everything is placed on the host's CPU: TF 2.21 refuses a queue with its reader in a GPU's device scope.
"""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.data import Examples, structure
from legacy_towers.data.readable_examples import Shuffle
from legacy_towers.data.sources import record_parts
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device, move_to_tower
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.position import EXACT, ONCE, Promise
from legacy_towers.inputs.queues.batches import Prefetch, add_runner, as_list, merge_steps, take_step
from legacy_towers.inputs.queues.bucketing import (
    Boundaries,
    check_buckets,
    describe_buckets,
    describe_end,
    enqueue_by_length,
)
from legacy_towers.inputs.queues.counted import CountedPosition
from legacy_towers.inputs.queues.hooks import RaiseRunnerErrors
from legacy_towers.inputs.queues.resuming import Resuming
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.record_files import record_hooks
from legacy_towers.specs.batch_sizes import Sizes, check_positive


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
    """Creates an input pipeline that reads the examples with queues and queue runners.

        order="fixed", 2 towers of 2:      step 0:  tower 0 [a b]  tower 1 [c d]      step 1:  tower 0 [e f]  ...
        order="any":                       each tower takes the next 2 examples of the queue, in any order

        inputs = lt.inputs.queue(examples, per_tower_batch_size=32, threads=4)

    Args:
      examples: an `lt.Examples` of files or arrays.
      per_tower_batch_size, global_batch_size: examples per step, of one tower or of all towers; give one of them.
      epochs: how often the data is read, counted in a local variable; None repeats it indefinitely.
      shuffle: overrides the examples' own `shuffle` unless None. The order of a shuffling queue depends on how full the
        queue is, so that it differs from run to run even with a seed.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      threads: threads that run the reader and the parse function; None for 2, or 1 for order="fixed".
      capacity: per-tower batches in the prefetch queues of the towers' hosts, rounded up to whole steps; None for two
        steps.
      remainder: what happens to the last examples that don't fill a global batch: "drop", "pad" with copies, or
        "short" batches.
      join: number of readers, each with its own thread and parse function, which share the files among them, as in
        `tf.train.batch_join` and `shuffle_batch_join`. Examples of several files are mixed.
      dynamic_pad: whether to pad components with unknown dimensions with zeros (or empty strings), as in
        `tf.train.batch`: to the largest example of a tower's batch with remainder="drop", else of the global batch.
      bucket_by: a function from an example to its length, a scalar tensor. A step holds examples of one bucket only.
        Components with unknown dimensions are padded.
      bucket_boundaries: increasing lengths. A length that equals a boundary belongs to the bucket that begins there.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: the examples come from a generator, or a map takes a seed. When the step is built: a component is
        sparse or ragged, or its static shape is incomplete without padding.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    if not examples.source.has_queue:
        raise InputError(
            'a queue can\'t read {}: use lt.inputs.feed, or lt.inputs.dataset with route="split" or '
            '"next_per_tower"'.format(examples.describe())
        )
    if examples.needs_seeds:
        raise InputError(
            "a queue can't read examples with a map that takes a seed (with_seed=True), as its readers don't know the "
            "epoch: use lt.inputs.dataset or lt.inputs.feed"
        )
    _check_options(order, threads, capacity, join, bucket_by, bucket_boundaries)
    options = _Options(
        threads or (1 if order == "fixed" or join else 2), join or 1, capacity, dynamic_pad, bucket_by,
        bucket_boundaries,
    )
    return QueueInput(reading, options)


def _check_options(
    order: str,
    threads: Optional[int],
    capacity: Optional[int],
    join: Optional[int],
    bucket_by: Optional[Callable[[Any], Any]],
    bucket_boundaries: Optional[Boundaries],
) -> None:
    """Raises ArgumentError if options of `queue` are invalid or contradict each other."""
    for name, number in (("threads", threads), ("capacity", capacity), ("join", join)):
        if number is not None:
            check_positive(name, number)
    check_buckets(bucket_by, bucket_boundaries)
    if join is not None and threads is not None:
        raise ArgumentError("join={} has one thread per reader: leave threads={} out".format(join, threads))
    if order == "fixed":
        if threads not in (None, 1):
            raise ArgumentError(
                'threads={} contradicts order="fixed": several threads enqueue in any order'.format(threads)
            )
        if join not in (None, 1):
            raise ArgumentError('join={} contradicts order="fixed": several readers enqueue in any order'.format(join))
        if bucket_by is not None:
            raise ArgumentError('bucket_by contradicts order="fixed": examples wait until their bucket is full')


class _Options(NamedTuple):
    threads: int  # per reader
    readers: int
    capacity: Optional[int]  # per-tower batches
    dynamic_pad: bool
    bucket_by: Optional[Callable[[Any], Any]]
    boundaries: Optional[Boundaries]


class QueueInput(Input):
    """The input pipeline of `queue`."""

    def __init__(self, reading: Reading, options: _Options) -> None:
        self._reading = reading
        self._options = options

    def build(self, devices: Sequence[str]) -> TowerBatches:
        return self._build(devices, asynchronous=False)

    def build_asynchronous(self, devices: Sequence[str]) -> TowerBatches:
        return self._build(devices, asynchronous=self._reading.order != "fixed")

    def _build(self, devices: Sequence[str], asynchronous: bool) -> TowerBatches:
        remainder = self._reading.remainder
        sizes = self._reading.sizes(len(devices))
        capacity = 2 * sizes.towers if self._options.capacity is None else self._options.capacity
        steps_ahead = -(-capacity // sizes.towers)
        # Asynchronous towers dequeue single batches, all from one queue on the first tower's host.
        taking = Sizes(sizes.per_tower, sizes.per_tower, 1) if asynchronous else sizes
        position = self._position(sizes, asynchronous)
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
            examples, readers, parse = self._examples(position.counts_ids)
            queues = self._fill_queues(examples, sizes, Resuming(position, readers, parse, self._reading.epochs))
            taken = [take_step(each, taking, remainder, self._reading.order == "fixed")[0] for each in queues]
            prefetch = Prefetch(taken[0], devices[:taking.towers], steps_ahead * sizes.towers // taking.towers)
            prefetch.fill(taken)
            takes = [prefetch.take() for _ in (devices if asynchronous else [None])]
        step, input_ops = merge_steps(takes)
        ids: List[Any] = []
        if position.counts_ids:
            with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
                ids = [parts[0] for parts in step.parts]
                ids = ids if step.counts is None else [each[:count] for each, count in zip(ids, step.counts)]
            step = step._replace(parts=[parts[1:] for parts in step.parts])
        per_tower = [
            move_to_tower(structure.pack(self._own(examples[0], position), iter(parts)), tower, device)
            for tower, (parts, device) in enumerate(zip(step.parts, devices))
        ]
        plan = self._plan(sizes, steps_ahead, asynchronous).with_promise(position.promise)
        record_hooks_ = record_hooks(self._reading.examples)
        return TowerBatches(
            per_tower, [RaiseRunnerErrors(record_hooks_)] + record_hooks_, plan, tuple(input_ops), step.counts,
            padded=remainder == "pad", position=position, ids=tuple(ids), skipped=self._reading.examples.skipped,
        )

    @staticmethod
    def _own(example: Any, position: ExamplesPosition) -> Any:
        """Returns an example without its id."""
        return example["example"] if position.counts_ids else example

    def _position(self, sizes: Sizes, asynchronous: bool) -> ExamplesPosition:
        counted = Sizes(sizes.per_tower, sizes.per_tower, 1) if asynchronous else sizes
        position = self._position_in_steps(counted)
        position.by_tower = asynchronous
        return position

    def _position_in_steps(self, sizes: Sizes) -> ExamplesPosition:
        reading, options = self._reading, self._options
        problem = None
        if reading.shuffle_now():
            problem = "the order of a shuffling queue depends on how full it is"
        elif options.threads * options.readers > 1:
            problem = "several threads enqueue examples in any order"
        elif options.bucket_by is not None:
            problem = "examples wait until their bucket is full"
        if problem is not None:
            return CountedPosition(reading.examples, problem + ", so ids are counted", sizes.global_, reading.epochs)
        position = reading.position(sizes, "queues")
        in_turn = reading.order == "fixed" or reading.remainder != "drop" or sizes.towers == 1
        if position.promise.name == EXACT and not in_turn:
            position.promise = Promise(ONCE, 'towers take the examples of a step in any order: order="fixed" is exact')
        return position

    def _examples(self, with_ids: bool) -> Tuple[List[Any], List[Callable[[], Any]], Callable[[Any], Any]]:
        """Returns the tensors of one example from each reader, the readers, and what parses a record."""
        reading = self._reading
        examples = reading.examples.with_ids() if with_ids else reading.examples
        shuffled = bool(reading.shuffle_now())
        readers = examples.source.queue_readers(self._options.readers, shuffled, examples.seed, reading.epochs)
        parser = examples.parser(in_variables=True)

        def parse(record: Any) -> Any:
            return parser(*record_parts(record))

        parsed = [parse(read()) for read in readers]
        for example in parsed:
            for path, leaf in structure.leaves(example["example"] if with_ids else example):
                self._check(path, leaf)
        return parsed, readers, parse

    def _check(self, path: str, leaf: Any) -> None:
        if isinstance(leaf, (tf.SparseTensor, tf.RaggedTensor)):
            raise InputError(
                "component {!r} is a {}: lt.inputs.queue supports only dense tensors; use lt.inputs.dataset, which "
                "supports sparse and ragged ones".format(path, type(leaf).__name__)
            )
        if self._padded() and leaf.shape.ndims is None:
            raise InputError(
                "component {!r} has an unknown number of dimensions and can't be padded; set its shape in the parse "
                "function with set_shape or tf.reshape".format(path)
            )
        if not self._padded() and not leaf.shape.is_fully_defined():
            raise InputError(
                "component {!r} has the shape {}, but lt.inputs.queue needs complete static shapes; set the shape in "
                "the parse function with set_shape or tf.reshape, or pass dynamic_pad=True to pad to the largest "
                "example of each batch".format(path, leaf.shape)
            )

    def _padded(self) -> bool:
        return self._options.dynamic_pad or self._options.bucket_by is not None

    def _fill_queues(self, examples: List[Any], sizes: Sizes, resuming: Resuming) -> List[Any]:
        """Returns the queues of single examples from which steps are taken: one queue, or one per bucket."""
        leaves = structure.leaves_of(examples[0])
        dtypes, shapes = [leaf.dtype for leaf in leaves], [leaf.shape for leaf in leaves]
        buffer, seed = int(self._reading.shuffle_now()), self._reading.examples.seed
        threads, capacity = self._options.threads, self._capacity(sizes)
        padded = not all(shape.is_fully_defined() for shape in shapes)
        if buffer and not padded and self._options.bucket_by is None:
            shuffling = tf.RandomShuffleQueue(buffer + capacity, buffer, dtypes, shapes, seed=seed, name="shuffle")
            self._enqueue(examples, threads, [shuffling], buffer + capacity, resuming)
            return [shuffling]
        if buffer:
            # No queue both shuffles and pads: one shuffles single examples, the next one pads or buckets them.
            shuffling = tf.RandomShuffleQueue(buffer + capacity, buffer, dtypes, seed=seed, name="shuffle")
            self._enqueue(examples, threads, [shuffling], buffer + capacity, resuming)
            shuffled = as_list(shuffling.dequeue())
            for tensor, shape in zip(shuffled, shapes):
                tensor.set_shape(shape)
            examples, threads = [structure.pack(examples[0], iter(shuffled))], 1
            resuming = Resuming(resuming.position, [], None, None)
        kind, name = (tf.PaddingFIFOQueue, "pad") if padded else (tf.FIFOQueue, "batch")
        number = 1 if self._options.boundaries is None else len(self._options.boundaries) + 1
        queues = [kind(capacity, dtypes, shapes, name=name if number == 1 else "bucket") for _ in range(number)]
        self._enqueue(examples, threads, queues, capacity, resuming)
        return queues

    def _capacity(self, sizes: Sizes) -> int:
        """Returns the capacity of a queue of single examples, besides its shuffle buffer."""
        return self._options.threads * self._options.readers * sizes.per_tower + max(2 * sizes.per_tower, sizes.global_)

    def _enqueue(
        self, examples: List[Any], threads: int, queues: List[Any], capacity: int, resuming: Resuming
    ) -> None:
        """Adds the queue runner that enqueues the readers' examples, each in the queue of its bucket."""

        def enqueue(example: Any) -> Any:
            components = structure.leaves_of(example)
            if len(queues) == 1:
                return queues[0].enqueue(components)
            assert self._options.bucket_by is not None and self._options.boundaries is not None
            length = self._options.bucket_by(self._own(example, resuming.position))
            return enqueue_by_length(queues, self._options.boundaries, length, components)

        add_runner(queues, [enqueue(example) for example in examples] * threads, resuming.runner(enqueue))
        for each in queues:
            # The summary of tf.train.batch: a job waits for queues that are mostly empty.
            tf.summary.scalar(
                "{}/fraction_of_{}_full".format(each.name.split("/")[-1], capacity),
                tf.cast(each.size(), tf.float32) * (1.0 / capacity),
            )

    def _plan(self, sizes: Sizes, steps_ahead: int, asynchronous: bool) -> InputPlan:
        options, remainder = self._options, self._reading.remainder
        details: Dict[str, Any] = {"threads": options.threads * options.readers}
        if options.readers > 1:
            details["readers"] = "{}, which share the files".format(options.readers)
        if self._padded():
            details["padding"] = "to the largest of each {} batch".format(
                "tower's" if remainder == "drop" or asynchronous else "global"
            )
        details["prefetch"] = "{} per-tower batches".format(steps_ahead * sizes.towers)
        if options.boundaries is not None:
            details["buckets"] = describe_buckets(options.boundaries)
        plan = self._reading.plan("queue", None, sizes, details, asynchronous)
        # Steps in the prefetch queue, in the queues of single examples, and one step between them.
        single = -(-self._capacity(sizes) // sizes.global_) * (len(options.boundaries or ()) + 1)
        plan = plan._replace(steps_ahead=steps_ahead + single + 1)
        if "end" in plan.details and options.boundaries is not None:
            size = sizes.per_tower if asynchronous else sizes.global_
            plan.details["end"] = describe_end(options.boundaries, remainder, size, "" if asynchronous else "global ")
        return plan
