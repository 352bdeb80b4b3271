"""Statistics of tf.data, which 2.x dropped: the datasets are returned unchanged, and nothing is counted."""
from typing import Any, Callable

from legacy_towers.compat.tf1 import user_script


def latency_stats(tag: str) -> Callable[[Any], Any]:
    """Returns a transformation for Dataset.apply that returns its dataset."""
    return _unchanged("tf.data.experimental.latency_stats")


def bytes_produced_stats(tag: str) -> Callable[[Any], Any]:
    """Returns a transformation for Dataset.apply that returns its dataset."""
    return _unchanged("tf.data.experimental.bytes_produced_stats")


def _unchanged(name: str) -> Callable[[Any], Any]:
    user_script.report_replacement(name, "a transformation without effect: TensorFlow 2 has no statistics of datasets")
    return lambda dataset: dataset
