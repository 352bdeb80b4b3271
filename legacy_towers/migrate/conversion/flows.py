"""A dataset that gives what a queue gave, with how it is made."""
from typing import NamedTuple, Optional, Sequence, Tuple

from legacy_towers.tensor_types import Dataset, Operation


class Flow(NamedTuple):
    """A dataset of tuples of tensors.

    Attributes:
      dataset: the dataset.
      steps: how it is made, one transformation each.
      mixed: why its order is not the one that the queues gave; empty where it is.
      initializers: operations that start what it reads from, beside its own iterator.
      filled: what makes the queues that it takes from and that Python code fills.
      split: the dataset of the batches that its last transformation split into elements; None: it did something else.
    """

    dataset: Dataset
    steps: Tuple[str, ...]
    mixed: Tuple[str, ...] = ()
    initializers: Tuple[Operation, ...] = ()
    filled: Tuple[Operation, ...] = ()
    split: Optional[Dataset] = None

    def then(self, dataset: Dataset, step: str, *mixed: str) -> "Flow":
        """Returns the flow after one more transformation."""
        return self._replace(dataset=dataset, steps=self.steps + (step,), mixed=self.mixed + mixed, split=None)

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
