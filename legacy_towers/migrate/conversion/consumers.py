"""Who takes elements from each queue and reader of a graph, where several take from one what the others leave."""
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set

from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.operations import (
    COUNTERS,
    files_of,
    is_read,
    reads_one_record_per_file,
    store_of,
)
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Operation


class Consumer(NamedTuple):
    """What takes elements from a queue or a reader, one after the other.

        number = queue.dequeue()
        batch([number], num_threads=2)     one consumer: `number`, by the operation that both threads run
        batch([number * 2])                another one: `number`, by the operation of this queue's thread

    Attributes:
      source: a dequeue or read operation; or a reader, which takes the names of files; None: all of the model.
      runs: the operations that queue runners run, each of which takes by `source`.
    """

    source: Optional[Operation]
    runs: FrozenSet[Operation] = frozenset()


MODEL = Consumer(None)


class Consumers:
    """The consumers of each queue and reader.

    Args:
      groups: for each queue, its enqueues, those together that compute the same.
      model: dequeues and read operations of the model.
    """

    def __init__(self, groups: Sequence[Sequence[List[Enqueue]]], model: Sequence[Operation]) -> None:
        self._of: Dict[Operation, List[Consumer]] = {}
        self._passes: Dict[Consumer, int] = {}
        groups_of: Dict[Operation, Set[int]] = {}
        number = 0
        for of_queue in groups:
            for group in of_queue:
                number += 1
                for source in group[0].part.sources:
                    consumer = consumer_of(source, group)
                    self._note(source, consumer)
                    self._passes[consumer] = self._passes.get(consumer, 0) + 1
                for operation in group[0].part.operations:
                    groups_of.setdefault(operation, set()).add(number)
        self.in_several_groups = {operation for operation, numbers in groups_of.items() if len(numbers) > 1}
        for source in model:
            self._note(source, MODEL)

    def _note(self, source: Operation, consumer: Consumer) -> None:
        if source.type in COUNTERS:
            return
        if not is_read(source):
            self._add(store_of(source), consumer)
            return
        reader = store_of(source)
        if reads_one_record_per_file(reader):
            self._add(files_of(source), consumer)
        else:
            self._add(reader, consumer)
            self._add(files_of(source), Consumer(reader))

    def _add(self, store: Operation, consumer: Consumer) -> None:
        consumers = self._of.setdefault(store, [])
        if consumer not in consumers:
            consumers.append(consumer)

    def of(self, store: Operation) -> List[Consumer]:
        """Returns the consumers of a queue or a reader.

        Raises:
          Refused: an operation takes one element for several queues in some runs, for one of them in others.
        """
        consumers = self._of.get(store, [])
        for number, consumer in enumerate(consumers):
            for other in consumers[:number]:
                if consumer.source is other.source and consumer.source is not None and consumer.runs & other.runs:
                    reason = "some threads read from it for several queues at once, others for one"
                    raise Refused(reason, consumer.source)
        return consumers

    def passes(self, consumer: Consumer) -> int:
        """Returns how many operations that differ put what is taken into queues, in the same runs."""
        return self._passes[consumer]


def consumer_of(source: Operation, group: Sequence[Enqueue]) -> Consumer:
    """Returns the consumer that a source of a group of enqueues is."""
    return Consumer(source, frozenset(each.operation for each in group))
