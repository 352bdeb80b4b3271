"""How the queue runner of a pipeline's readers continues where a run resumes."""
import functools
from typing import Any, Callable, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.queues.counted import CountedPosition
from legacy_towers.inputs.queues.skipping import SkippingRunner, selected


class Resuming(NamedTuple):
    """What the queue runner of the readers needs to leave out what was used before."""

    position: ExamplesPosition
    readers: List[Callable[[], Any]]  # [] for a runner that moves examples between queues
    parse: Optional[Callable[[Any], Any]]
    epochs: Optional[int]

    def runner(self, enqueue: Callable[[Any], Any]) -> Callable[..., Any]:
        """Returns what creates the runner; `enqueue` creates the operation that enqueues an example."""
        position, parse = self.position, self.parse
        if parse is None:
            return tf.train.QueueRunner
        if isinstance(position, CountedPosition):
            counted = position

            def begin_counted() -> int:
                counted.begin()
                return 0 if self.epochs is None else counted.read_before()

            return functools.partial(
                SkippingRunner, read=self.readers[0], begin=begin_counted,
                selecting=[enqueue(parse(selected(read, counted.keeps))) for read in self.readers],
                selects=lambda: counted.skips,
            )

        def begin() -> int:
            position.begin()
            # An epoch that is counted must be read.
            return int(position.start().skip if self.epochs is None else position.examples)

        return functools.partial(SkippingRunner, read=self.readers[0], begin=begin)
