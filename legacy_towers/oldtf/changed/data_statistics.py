"""Statistics of tf.data, which 2.x dropped: the data pass through as they are, and nothing is counted."""
from typing import Any, Callable

from legacy_towers.oldtf import current


def latency_stats(tag: str) -> Callable[[Any], Any]:
    """A transformation for Dataset.apply."""
    return _unchanged("tf.data.experimental.latency_stats")


def bytes_produced_stats(tag: str) -> Callable[[Any], Any]:
    """A transformation for Dataset.apply."""
    return _unchanged("tf.data.experimental.bytes_produced_stats")


def _unchanged(name: str) -> Callable[[Any], Any]:
    current.say_once(name, "nothing: TensorFlow 2 has no statistics of datasets, and the data are the same")
    return lambda dataset: dataset
