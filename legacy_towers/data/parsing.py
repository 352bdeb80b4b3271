"""From a record to an example: a parse function, and the functions that are mapped to its result."""
import itertools
from typing import Any, Callable, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.data.sources import record_parts

_DATA = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


class SeededMap:
    """A function over examples that takes a seed too."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self._function = function

    def __call__(self, example: Any, seed: Any) -> Any:
        return self._function(example, seed)


def needs_seeds(maps: Sequence[Callable[..., Any]]) -> bool:
    """Returns whether one of the functions takes a seed."""
    return len(before_seeds(maps)) < len(maps)


def before_seeds(maps: Sequence[Callable[..., Any]]) -> Tuple[Callable[..., Any], ...]:
    """Returns the functions before the first one that takes a seed."""
    return tuple(itertools.takewhile(lambda function: not isinstance(function, SeededMap), maps))


def parse_and_map(parse: Callable[..., Any], maps: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Returns a function that parses a record and applies `maps`.

    Its arguments are the parts of a record, or a tuple; where a map takes a seed, a seed and a record.
    """

    def example(*record: Any) -> Any:
        return mapped(None, *(record_parts(record[0]) if len(record) == 1 else record))

    def seeded(seed: Any, record: Any) -> Any:
        return mapped(seed, *record_parts(record))

    def mapped(seed: Any, *parts: Any) -> Any:
        parsed = as_structure(parse(*parts))
        for number, function in enumerate(maps):
            # Each of several functions draws other numbers.
            own = (seed + [number, 0],) if isinstance(function, SeededMap) else ()
            parsed = as_structure(function(parsed, *own))
        return parsed

    # Without AutoGraph, as in a queue's graph, so that a parse function computes the same in every pipeline.
    return tf.autograph.experimental.do_not_convert(seeded if needs_seeds(maps) else example)


def as_structure(parsed: Any) -> Any:
    """Returns `parsed` with lists of tensors as tuples, and Python and numpy values as tensors.

        [image, label]  ->  (image, label)          {"scale": [0.5, 2.0]}  ->  {"scale": a tensor of shape [2]}
    """
    if isinstance(parsed, dict):
        return {key: as_structure(part) for key, part in parsed.items()}
    if isinstance(parsed, list) and all(isinstance(leaf, _DATA) for leaf in structure.leaves_of(parsed)):
        return tf.convert_to_tensor(parsed)
    if isinstance(parsed, (tuple, list)):
        parts = [as_structure(part) for part in parsed]
        return type(parsed)(*parts) if hasattr(parsed, "_fields") else tuple(parts)
    return tf.convert_to_tensor(parsed) if isinstance(parsed, _DATA) else parsed
