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


class Taker(NamedTuple):
    """What takes elements from a queue or a reader, one after the other.

        number = queue.dequeue()
        batch([number], num_threads=2)     one taker: `number`, by the operation that both threads run
        batch([number * 2])                another one: `number`, by the operation of this queue's thread

    Attributes:
      source: a dequeue or read operation; or a reader, which takes the names of files; None: all of the model.
      runs: the operations that queue runners run, each of which takes by `source`.
    """

    source: Optional[Operation]
    runs: FrozenSet[Operation] = frozenset()


MODEL = Taker(None)


class Takers:
    """Who takes elements from each queue and reader.

    Args:
      groups: for each queue, its enqueues, those together that compute the same.
      model: dequeues and read operations of the model.
    """

    def __init__(self, groups: Sequence[Sequence[List[Enqueue]]], model: Sequence[Operation]) -> None:
        self._of: Dict[Operation, List[Taker]] = {}
        self._passes: Dict[Taker, int] = {}
        groups_of: Dict[Operation, Set[int]] = {}
        number = 0
        for of_queue in groups:
            for group in of_queue:
                number += 1
                for source in group[0].part.sources:
                    taker = taker_of(source, group)
                    self._note(source, taker)
                    self._passes[taker] = self._passes.get(taker, 0) + 1
                for operation in group[0].part.operations:
                    groups_of.setdefault(operation, set()).add(number)
        self.in_several_groups = {operation for operation, numbers in groups_of.items() if len(numbers) > 1}
        for source in model:
            self._note(source, MODEL)

    def _note(self, source: Operation, taker: Taker) -> None:
        if source.type in COUNTERS:
            return
        if not is_read(source):
            self._add(store_of(source), taker)
            return
        reader = store_of(source)
        if reads_one_record_per_file(reader):
            self._add(files_of(source), taker)
        else:
            self._add(reader, taker)
            self._add(files_of(source), Taker(reader))

    def _add(self, store: Operation, taker: Taker) -> None:
        takers = self._of.setdefault(store, [])
        if taker not in takers:
            takers.append(taker)

    def of(self, store: Operation) -> List[Taker]:
        """Returns who takes elements from a queue or a reader.

        Raises:
          Refused: an operation takes one element for several queues in some runs, for one of them in others.
        """
        takers = self._of.get(store, [])
        for number, taker in enumerate(takers):
            for other in takers[:number]:
                if taker.source is other.source and taker.source is not None and taker.runs & other.runs:
                    raise Refused("some threads read from it for several queues at once, others for one", taker.source)
        return takers

    def passes(self, taker: Taker) -> int:
        """Returns how many operations that differ put what is taken into queues, in the same runs."""
        return self._passes[taker]


def taker_of(source: Operation, group: Sequence[Enqueue]) -> Taker:
    """Returns the taker that a source of a group of enqueues is."""
    return Taker(source, frozenset(each.operation for each in group))
