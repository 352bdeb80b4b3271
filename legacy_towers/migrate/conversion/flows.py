"""A dataset that gives what a queue gave, with how it is made."""
from typing import Callable, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.tensor_types import Dataset, Operation


class LastMap(NamedTuple):
    """The map at the end of a flow, before which the flow may still shuffle and make batches.

        queue:    names --> decode --> shuffle --> batch     shuffles images
        tf.data:  names --> shuffle --> decode --> batch     shuffles names: the same set of examples

    Attributes:
      of_elements: a function that takes the dataset before the map, and returns the one after it.
      steps: how it makes that.
      of_batches: a function that takes the dataset of batches of what is before the map, and returns that of batches of
        what is after it, of which each row depends on one row; None: the map takes no batches.
      batch_step: how it makes that.
    """

    of_elements: Callable[[Dataset], Dataset]
    steps: Tuple[str, ...]
    of_batches: Optional[Callable[[Dataset], Dataset]] = None
    batch_step: str = ""


class Flow(NamedTuple):
    """A dataset of tuples of tensors.

    Attributes:
      before: the dataset, but for its last map.
      steps_before: how that is made, one transformation each.
      mixed: why its order is not the one that the queues gave; empty where it is.
      initializers: operations that start what it reads from, beside its own iterator.
      filled: what makes the queues that it takes from and that Python code fills.
      split: the dataset of the batches that its last transformation split into elements; None: it did something else.
      last: its last map, if the order of elements and their batches may be made before it.
    """

    before: Dataset
    steps_before: Tuple[str, ...]
    mixed: Tuple[str, ...] = ()
    initializers: Tuple[Operation, ...] = ()
    filled: Tuple[Operation, ...] = ()
    split: Optional[Dataset] = None
    last: Optional[LastMap] = None

    @property
    def dataset(self) -> Dataset:
        """The dataset; each access adds its last map to the graph."""
        return self.before if self.last is None else self.last.of_elements(self.before)

    @property
    def steps(self) -> Tuple[str, ...]:
        """How the dataset is made, one transformation each."""
        return self.steps_before + (() if self.last is None else self.last.steps)

    def then(self, dataset: Dataset, step: str, *mixed: str) -> "Flow":
        """Returns the flow after one more transformation."""
        return self._replace(
            before=dataset, steps_before=self.steps + (step,), mixed=self.mixed + mixed, split=None, last=None
        )

    def ending_with(self, last: LastMap) -> "Flow":
        """Returns the flow with one more map."""
        return self._replace(before=self.dataset, steps_before=self.steps, split=None, last=last)

    def shuffled(self, size: int, seed: Optional[int], reason: str) -> "Flow":
        """Returns the flow with its elements shuffled: before its last map, if it has one.

        Args:
          size: that of the buffer, in elements.
          seed: of the shuffle; None: a different order in each run.
          reason: why its order is not the one that the queues gave.
        """
        return self._replace(
            before=self.before.shuffle(size, seed=seed),
            steps_before=self.steps_before + ("shuffle({})".format(size),),
            mixed=self.mixed + (reason,), split=None,
        )

    def batched(self, size: int, drop_remainder: bool) -> "Flow":
        """Returns the flow of batches of `size` elements."""
        step = "batch({}{})".format(size, ", drop_remainder=True" if drop_remainder else "")
        if self.last is None or self.last.of_batches is None:
            return self.then(self.dataset.batch(size, drop_remainder), step)
        batches = self.before.batch(size, drop_remainder)
        return self._replace(
            before=self.last.of_batches(batches), steps_before=self.steps_before + (step, self.last.batch_step),
            split=None, last=None,
        )

    @staticmethod
    def of_several(flows: Sequence["Flow"], dataset: Dataset, step: str, *mixed: str) -> "Flow":
        """Returns the flow of a dataset that is made from those of several flows.

        Args:
          flows: these flows.
          dataset: the dataset.
          step: how it is made, with {} for the steps of `flows`.
          mixed: why its order is not the one that the queues gave.
        """
        steps = "; ".join(".".join(flow.steps) for flow in flows)
        return Flow(
            dataset, (step.format(steps),), sum((flow.mixed for flow in flows), ()) + mixed,
            tuple(dict.fromkeys(sum((flow.initializers for flow in flows), ()))),
            tuple(dict.fromkeys(sum((flow.filled for flow in flows), ()))),
        )
