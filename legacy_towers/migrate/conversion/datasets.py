"""The dataset that gives what a queue gave."""
import functools
import random
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import has_rebatch
from legacy_towers.migrate.conversion import queue_graph
from legacy_towers.migrate.conversion.buckets import find_buckets
from legacy_towers.migrate.conversion.checks import check_part, unseeded
from legacy_towers.migrate.conversion.consumers import MODEL, Consumer, Consumers, consumer_of
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.filled_by_python import dequeued, room, with_room
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.mapped import mapped_by, mapped_in_batches
from legacy_towers.migrate.conversion.operations import (
    COUNTERS,
    count_of,
    files_of,
    is_dequeue,
    is_read,
    reads_one_record_per_file,
    store_of,
    users_of,
)
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.migrate.conversion.queue_graph import Queue, QueueGraph
from legacy_towers.migrate.conversion.readers import records_of
from legacy_towers.migrate.conversion.row_wise import is_row_wise
from legacy_towers.migrate.conversion.sources import known_strings, numbers_of, outputs_of, readers_like
from legacy_towers.migrate.conversion.unbatching import by_priority, unbatched
from legacy_towers.tensor_types import Dataset, Operation, Tensor


class DatasetBuilder:
    """Builds datasets from the operations that fill queues.

        files --> [enqueue] --> queue --> reader --> decode --> [enqueue] --> queue --> dequeue
        from_tensors(files).repeat()  .interleave(records)  .map(decode)  .shuffle(...)  .batch(...)

    Args:
      queues: the queues of the graph.
      model: dequeues and read operations of the model: those of one queue or reader share what is in it.
      epochs: how often producers without a limit of their own give their elements; None: for ever.
      seed: of shuffles and random operations without a seed of their own; None leaves them to chance.
    """

    def __init__(
        self,
        queues: QueueGraph,
        model: Sequence[Operation] = (),
        epochs: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self._queues = queues
        self._epochs = epochs
        self._seed = seed
        self._seeds: Dict[str, Tuple[int, int]] = {}
        self._copies = 1  # how many times what is built now is built
        self._groups = {queue.operation: queue.groups() for queue in queues.queues.values()}
        self._buckets = find_buckets(queues, self._groups)
        for buckets in self._buckets.values():
            # The examples of all of them are taken at once.
            first, *others = buckets.queues
            self._groups[first.operation] = [[buckets.enqueue]]
            self._groups.update((each.operation, []) for each in others)
        self._consumers = Consumers(list(self._groups.values()), model)
        self._shared: Dict[Operation, Any] = {}  # queue or reader with several consumers -> its flow and its iterator

    def preview(self, operation: Operation) -> Flow:
        """Returns the flow of an operation that fills a queue, for what else reads its outputs: in a pass of its own.

        Raises:
          Refused: the queues can't be converted.
        """
        return self.flow_of(operation, None)

    def has_several_consumers(self, store: Operation) -> bool:
        """Returns whether several consumers share the elements of a queue or a reader."""
        return len(self._consumers.of(store)) > 1

    def flow_of(
        self, operation: Operation, consumer: Optional[Consumer] = MODEL, readers: int = 1, one_by_one: bool = False
    ) -> Flow:
        """Returns the flow of what an operation takes, run by run, as tuples of its `outputs_of`.

        Args:
          operation: a dequeue, a read operation or a counter.
          consumer: what uses the elements; MODEL stands for all of the model that takes from the same queue or reader;
            None: they are not taken away from the consumers.
          readers: how many readers like this one read the files of its queue.
          one_by_one: whether the elements are single records, also where it takes several at once; without a key,
            they are no tuples.

        Raises:
          Refused: the queues can't be converted.
        """
        if operation.type in COUNTERS:
            return numbers_of(operation)
        count = count_of(operation)
        if count == -1:
            raise Refused("the number of elements that it reads at once is not known before the run", operation)
        if is_read(operation):
            return self._read(operation, consumer, None if one_by_one else count, readers, one_by_one)
        queue = self._queues.queue_of(operation)
        if queue.is_filled_by_python:
            return self._filled(queue, operation, consumer, count)
        flow = self._share(queue.operation, consumer, lambda: self._elements(queue))
        if count is None:
            return flow
        exact = "UpTo" not in operation.type
        remainder = ", drop_remainder=True" if exact else ""
        if queue.kind == queue_graph.PADDING:
            dataset = flow.dataset.padded_batch(count, tuple(queue.shapes or ()), drop_remainder=exact)
            return flow.then(dataset, "padded_batch({}{})".format(count, remainder))
        if flow.split is not None and has_rebatch(flow.split):
            # One copy of each example in place of two.
            return flow.then(flow.split.rebatch(count, exact), "batch({}{})".format(count, remainder))
        return flow.batched(count, exact)

    def _source(self, source: Operation, group: List[Enqueue], one_by_one: bool = False) -> Flow:
        """Returns the flow of a source of an enqueue; the same one for each enqueue that it is a source of."""
        consumer = consumer_of(source, group)
        passes = self._consumers.passes(consumer)
        self._copies *= passes
        try:
            flow = self.flow_of(source, consumer, readers_like(source, group), one_by_one)
            if flow.filled and is_dequeue(source):
                queue = self._queues.queue_of(source)
                if not queue.is_filled_by_python:
                    flow = with_room(flow, room(queue, count_of(source)))
        finally:
            self._copies //= passes
        if passes == 1:
            return flow
        return flow._replace(mixed=flow.mixed + (
            "{} operations enqueue elements of {!r}, each in a pass of its own".format(passes, source.name),
        ))

    def _filled(self, queue: Queue, source: Operation, consumer: Optional[Consumer], count: Optional[int]) -> Flow:
        """Returns the flow of a queue that Python code fills: of what it takes ahead, nothing is left for others."""
        if queue.operation in self._queues.lost:
            raise self._queues.lost[queue.operation]
        if consumer is None or self._copies > 1:
            raise Refused("Python code fills {!r}, and tf.data would need its elements in several passes".format(
                queue.name), source)
        if self.has_several_consumers(queue.operation):
            raise Refused("Python code fills {!r}, and several consumers share its elements".format(queue.name),
                          source)
        return dequeued(queue, source, count)

    def _share(self, store: Operation, consumer: Optional[Consumer], make: Callable[[], Flow]) -> Flow:
        """Returns the part of a flow that one of several consumers gets: what the others leave."""
        consumers = self._consumers.of(store)
        if len(consumers) < 2 or consumer is None:
            return make()
        if self._copies > 1:
            raise Refused("several consumers share its elements, and one of them reads in several passes", store)
        if store not in self._shared:
            flow = make()
            self._shared[store] = flow, tf.data.make_initializable_iterator(flow.dataset)
        flow, iterator = self._shared[store]

        def next_element(_: Tensor) -> Any:
            return iterator.get_next()

        turns = tf.data.Dataset.range(tf.int64.max)
        dataset = turns.map_with_legacy_function(tf.autograph.experimental.do_not_convert(next_element))
        return Flow(
            dataset, flow.steps + ("shared by {}".format(len(consumers)),),
            flow.mixed + ("{} consumers share the elements of {!r}".format(len(consumers), store.name),),
            flow.initializers + (iterator.initializer,),
        )

    def _read(
        self, operation: Operation, consumer: Optional[Consumer], count: Optional[int], readers: int, one_by_one: bool
    ) -> Flow:
        reader = store_of(operation)
        files_queue = self._queues.queue_of(operation)
        has_state = not reads_one_record_per_file(reader)
        for other in users_of(reader):
            if has_state and is_read(other) and files_of(other) is not files_queue.operation:
                raise Refused("one reader reads the files of several queues: make a reader for each of them", other)
        is_shared = has_state and consumer is not None and self.has_several_consumers(reader)
        wants_keys = len(outputs_of(operation, consumer is MODEL)) == 2
        consumer_of_files = consumer if consumer is None or not has_state else Consumer(reader)
        make = functools.partial(
            self._records, operation, consumer_of_files, count, readers, wants_keys or is_shared, one_by_one
        )
        if not is_shared:
            return make()
        if {count_of(each) for each in users_of(reader) if is_read(each)} != {count}:
            raise Refused("operations read different numbers of records from one reader", operation)
        flow = self._share(reader, consumer, make)
        return flow if wants_keys else flow._replace(before=flow.dataset.map(lambda key, record: (record,)))

    def _records(
        self, operation: Operation, consumer: Optional[Consumer], count: Optional[int], readers: int, with_keys: bool,
        one_by_one: bool,
    ) -> Flow:
        """Returns the flow of the records in the files of a read operation, with their keys in front if `with_keys`."""
        queue = self._queues.queue_of(operation)
        records = records_of(store_of(operation), known_strings(queue))

        def of_file(path: Tensor) -> Dataset:
            dataset = records.keyed(path) if with_keys else records.of_file(path)
            if count is not None:
                dataset = dataset.batch(count)
            # `zip` makes tuples without a function that runs for each record. Batches of single records need none.
            return dataset if with_keys or one_by_one else tf.data.Dataset.zip((dataset,))

        if queue.is_filled_by_python:
            files = self._filled(queue, operation, consumer, None)
        else:
            files = self._share(queue.operation, consumer, lambda: self._elements(queue))
        name = "{}{}".format(records.name, "" if count is None else ".batch({})".format(count))
        function = tf.autograph.experimental.do_not_convert(of_file)
        if files.filled and readers > 1:
            raise Refused("Python code fills {!r}, and one of its {} readers would wait for the others".format(
                files.filled[0].name, readers), operation)
        if readers == 1:
            return files.then(files.dataset.flat_map(function), "flat_map(file -> {})".format(name))
        return files.then(
            files.dataset.interleave(function, cycle_length=readers, block_length=1),
            "interleave(file -> {}, cycle_length={})".format(name, readers),
        )

    def _elements(self, queue: Queue) -> Flow:
        """Returns the flow of the elements of a queue, one by one."""
        if queue.operation in self._queues.lost:
            raise self._queues.lost[queue.operation]
        groups = self._groups[queue.operation]
        if not groups:
            raise Refused("no operation fills it", queue.operation)
        for group in groups:
            for each in group:
                if not each.threads:
                    raise Refused("a queue runner and Python code both fill {!r}".format(queue.name), each.operation)
        buckets = self._buckets.get(queue.operation)
        if buckets is not None:
            flows = [self._enqueued(buckets.queues[0], [buckets.enqueue])]
        else:
            flows = [self._enqueued(queue, group) for group in groups]
        flow = flows[0]
        filled = sum((each.filled for each in flows), ())
        if filled and (len(groups) > 1 or queue.kind == queue_graph.PRIORITY):
            raise Refused("Python code fills {!r}, and {} would wait for elements that may never come".format(
                filled[0].name,
                "one operation that fills {!r}".format(queue.name) if len(groups) > 1 else "sorting",
            ), queue.operation)
        if buckets is not None:
            flow = buckets.grouped(flow, queue.name)
        elif len(flows) > 1:
            turns = tf.data.Dataset.range(len(flows)).repeat()
            flow = Flow.of_several(
                flows, tf.data.experimental.choose_from_datasets([each.dataset for each in flows], turns),
                "choose_from_datasets([{}], in turn)", _several_fill(queue),
            )
        if queue.kind == queue_graph.PRIORITY:
            return by_priority(flow, queue)
        return self._shuffled(flow, queue) if queue.kind == queue_graph.SHUFFLE else flow

    def _shuffled(self, flow: Flow, queue: Queue) -> Flow:
        if queue.capacity < 1:
            raise Refused("it shuffles any number of elements: give it a capacity", queue.operation)
        # A dataset waits until its buffer is full: what Python code fills may never give as much as the capacity.
        size = queue.min_after_dequeue + 1 if flow.filled else queue.capacity
        return flow.shuffled(size, self._shuffle_seed(queue), "{!r} shuffles".format(queue.name))

    def _shuffle_seed(self, queue: Queue) -> Optional[int]:
        seeds = [queue.operation.get_attr("seed"), queue.operation.get_attr("seed2")]
        if any(seeds):
            return int(seeds[1] or seeds[0])
        return None if self._copies == 1 and self._seed is None else self.seeds_of(queue.name)[0]

    def seeds_of(self, name: str) -> Tuple[int, int]:
        """Returns the two seeds of all copies of what has no seed of its own; `name` is that of its operation."""
        if name not in self._seeds:
            draw = random.Random(None if self._seed is None else "{} {}".format(self._seed, name))
            self._seeds[name] = draw.randrange(1, 2**31), draw.randrange(1, 2**31)
        return self._seeds[name]

    def _enqueued(self, queue: Queue, group: List[Enqueue]) -> Flow:
        """Returns the flow of what several operations, which compute the same, put into a queue."""
        enqueue = group[0]
        part = enqueue.part
        check_part(part)
        count = self._records_at_once(group)
        flow = self._sources(group) if count is None else self._source(part.sources[0], group, one_by_one=True)
        threads = sum(each.threads for each in group)
        if len(group) > 1:
            flow = flow._replace(mixed=flow.mixed + (_several_fill(queue),))
        elif threads > 1 and len(queue.enqueues) == 1:
            flow = flow._replace(mixed=flow.mixed + ("{} threads fill {!r}".format(threads, queue.name),))
        given = sum((outputs_of(source) for source in part.sources), [])
        if count is not None:
            return mapped_in_batches(enqueue, flow, given, count)
        # Each copy of an operation draws the numbers of the others.
        seeds = {
            each.name: self.seeds_of(each.name) for each in part.unseeded
            if self._seed is not None or self._copies > 1 or each in self._consumers.in_several_groups
        }
        if not part.operations and not enqueue.conditions and part.sources and list(part.targets) == given:
            mapped = flow
        else:
            mapped = mapped_by(enqueue, flow, given, seeds, threads)
            mapped = mapped._replace(mixed=mapped.mixed + unseeded(part))
        if enqueue.conditions:
            kept = mapped.dataset.filter(lambda *values: values[-1])
            mapped = mapped.then(kept.map(lambda *values: values[:-1]), "filter(keep_input)")
        if enqueue.many:
            batches = mapped.dataset
            mapped = mapped.then(unbatched(batches, len(enqueue.tensors)), "unbatch()")._replace(split=batches)
        return mapped

    def _records_at_once(self, group: List[Enqueue]) -> Optional[int]:
        """Returns how many records one reader reads at once, if what is enqueued has a row for each; None otherwise."""
        enqueue = group[0]
        part = enqueue.part
        if not enqueue.many or enqueue.conditions or len(part.sources) != 1 or not is_read(part.sources[0]):
            return None
        source = part.sources[0]
        count = count_of(source)
        if count is None or count < 0 or readers_like(source, group) > 1:
            return None
        if self.has_several_consumers(store_of(source)):
            return None
        # Of what Python code fills, no batch waits for more.
        return count if not self._queues.takes_from_python(source) and is_row_wise(part) else None

    def _sources(self, group: List[Enqueue]) -> Flow:
        part = group[0].part
        if not part.sources:
            constants = tf.data.Dataset.from_tensors(tf.constant(0))
            return Flow(
                constants.repeat(self._epochs),
                ("Dataset.from_tensors(constants).repeat({})".format("" if self._epochs is None else self._epochs),),
            )
        flows = [self._source(source, group) for source in part.sources]
        if len(flows) == 1:
            return flows[0]
        return Flow.of_several(flows, tf.data.Dataset.zip(tuple(flow.dataset for flow in flows)), "zip({})")


def _several_fill(queue: Queue) -> str:
    """Returns the reason of an order that is not determined, the same one for all operations that fill a queue."""
    return "{} operations fill {!r}".format(len(queue.enqueues), queue.name)
