"""Compares what the two versions of a pipeline gave."""
import collections
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.migrate.proof.recording import Recording
from legacy_towers.migrate.proof.sides import Shape
from legacy_towers.text.names import counted

_MOST_CHARACTERS = 60


class Difference(NamedTuple):
    """The first difference.

    Attributes:
      batch: the number of the batch, from 0.
      component: the number of its component; None: all of it.
      sentence: what differs, without the values.
    """

    batch: int
    component: Optional[int]
    sentence: str


def sequences(queue: Recording, dataset: Recording, shape: Shape) -> Optional[Difference]:
    """Returns the first difference between two sequences of batches; None if they are equal, bit for bit."""
    for number, (one, other) in enumerate(zip(queue.batches, dataset.batches)):
        for index, component in enumerate(shape.reads[number % len(shape.reads)]):
            if one.described[index] != other.described[index]:
                sentence = "batch {}, component {} ({!r}): the queue gave {}, tf.data gave {}".format(
                    number + 1, index, component.name, one.described[index], other.described[index]
                )
                return Difference(number, index, sentence)
            if one.components[index] != other.components[index]:
                return Difference(number, index, "batch {}, component {} ({!r}) has other values".format(
                    number + 1, index, component.name
                ))
    return counts(queue, dataset)


def counts(queue: Recording, dataset: Recording) -> Optional[Difference]:
    """Returns a difference in the number and the sizes of batches; None if they are equal."""
    for number, (one, other) in enumerate(zip(queue.batches, dataset.batches)):
        if one.size != other.size:
            return Difference(number, None, "batch {} of the queue has {}, that of tf.data has {}".format(
                number + 1, counted(one.size, "example"), other.size
            ))
    numbers = len(queue.batches), len(dataset.batches)
    if numbers[0] != numbers[1]:
        return Difference(min(numbers), None, "the queue gave {} ({}), tf.data gave {} ({})".format(
            counted(numbers[0], "batch"), counted(len(queue.examples), "example"),
            counted(numbers[1], "batch"), counted(len(dataset.examples), "example")
        ))
    return None


def descriptions(queue: Recording, dataset: Recording) -> Optional[Difference]:
    """Returns a difference in the dtypes, and in the shapes of examples; None if they are equal."""
    for number, (one, other) in enumerate(zip(queue.batches, dataset.batches)):
        for index, (first, second) in enumerate(zip(one.described, other.described)):
            if _dtype(first) != _dtype(second):
                return Difference(number, index, "batch {}, component {}: the queue gave {}, tf.data gave {}".format(
                    number + 1, index, first, second
                ))
    return None


def sets(queue: Recording, dataset: Recording, chosen: Sequence[int]) -> Optional[Difference]:
    """Returns a difference between two multisets of examples; None if each example is in both as often.

    Args:
      chosen: the components to compare.
    """
    one, other = (
        collections.Counter(tuple(each[index] for index in chosen) for each in recording.examples)
        for recording in (queue, dataset)
    )
    missing, more = sum((one - other).values()), sum((other - one).values())
    if not missing and not more:
        return None
    repeated = sum((collections.Counter({each: n for each, n in (other - one).items() if each in one})).values())
    parts = []
    if missing:
        parts.append("{} of {} examples of the queue are not in tf.data as often".format(missing, len(queue.examples)))
    if more - repeated:
        parts.append("{} of tf.data are not in the queue".format(more - repeated))
    if repeated:
        parts.append("{} of tf.data are in the queue, but less often".format(repeated))
    number = _place(queue, one - other, chosen) if missing else _place(dataset, other - one, chosen)
    return Difference(number, None, ", ".join(parts))


def _place(recording: Recording, wanted: Any, chosen: Sequence[int]) -> int:
    """Returns the place of the first example that is in a Counter."""
    for place, each in enumerate(recording.examples):
        if wanted.get(tuple(each[index] for index in chosen)):
            return place
    return 0


def shown(value: Any) -> str:
    """Returns a value on one line of at most 60 characters."""
    if isinstance(value, tuple):
        value = value[1]
    text = " ".join(np.array2string(np.asarray(value), threshold=8, edgeitems=3).split())
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


def _dtype(described: str) -> str:
    return described[: described.index("[")]
