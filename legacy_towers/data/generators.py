"""Examples from Python code."""
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import dataset_from_generator
from legacy_towers.data import structure
from legacy_towers.data.sources import Source
from legacy_towers.errors import InputError
from legacy_towers.tensor_types import Dataset, Tensor


class Generator(Source):
    """A function that returns a new iterator of examples. A record is an example, its id the position in the epoch."""

    can_be_sharded = False
    has_queue = False

    def __init__(self, make_iterator: Callable[[], Any], spec: Any, count: Optional[int]) -> None:
        if not callable(make_iterator):
            raise InputError(
                "make_iterator must be a function that returns a new iterator for each epoch, got {}: an iterator can "
                "be read only once".format(type(make_iterator).__name__)
            )
        self._make_iterator = make_iterator
        self.spec = structure.lists_as_tuples(spec)
        self._count = count
        self._has_examples = False  # known when one was read

    def describe(self) -> str:
        return "the generator {}".format(getattr(self._make_iterator, "__name__", type(self._make_iterator).__name__))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is None:
            raise InputError(
                "the number of examples of {} is unknown: pass count= to from_generator".format(self.describe())
            )
        return self._count

    def exact_count(self) -> Optional[int]:
        return None  # an iterator can end anywhere

    def flat_examples(self) -> Any:
        """Yields the components of each example of one epoch, as arrays of the dtypes in the spec."""
        specs = structure.leaves(self.spec)
        for number, example in enumerate(self._make_iterator()):
            values, wrong = structure.leaves_like(self.spec, example)
            arrays = []
            for (path, spec), value in zip(specs, values):
                array = np.asarray(value, dtype=spec.dtype.as_numpy_dtype)
                if not spec.shape.is_compatible_with(array.shape):
                    wrong = "component {!r} has the shape {}, but its spec has {}".format(path, array.shape, spec.shape)
                arrays.append(array)
            if wrong:
                raise InputError("example {} of {}: {}".format(number, self.describe(), wrong))
            self._has_examples = True
            yield tuple(arrays)

    def is_empty(self, shard: Optional[Sequence[int]]) -> Tensor:
        # The iterator is not started once more: it may do something.
        return tf.reshape(tf.numpy_function(lambda: not self._has_examples, [], tf.bool), [])

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        specs = [spec for _, spec in structure.leaves(self.spec)]
        return dataset_from_generator(self.flat_examples, specs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return lambda *parts: structure.pack(self.spec, iter(parts))

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        return self.records(shuffle_files, seed).enumerate()

    def ids(self) -> Iterator[int]:
        # From the generator itself: `count` is only what the caller expects.
        return (number for number, _ in enumerate(self._make_iterator()))

    def name_of(self, example_id: int) -> str:
        return "example {}".format(example_id)
