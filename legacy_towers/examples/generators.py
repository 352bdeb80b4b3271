"""Examples from Python code."""
from typing import Any, Callable, Iterator, Optional

import numpy as np

from legacy_towers import structure
from legacy_towers.compat.data import dataset_from_generator
from legacy_towers.errors import InputError
from legacy_towers.examples.sources import Source


class Generator(Source):
    """A callable that returns a fresh iterator of examples; a record is an example, its id the place in the epoch."""

    can_be_sharded = False
    has_queue = False

    def __init__(self, make_iterator: Callable[[], Any], spec: Any, count: Optional[int]) -> None:
        if not callable(make_iterator):
            raise InputError(
                "make_iterator must be a function that returns a fresh iterator for each epoch, not {}: "
                "an iterator can be read only once".format(type(make_iterator).__name__)
            )
        self._make_iterator = make_iterator
        self.spec = structure.lists_as_tuples(spec)
        self._count = count

    def describe(self) -> str:
        return "the generator {}".format(getattr(self._make_iterator, "__name__", type(self._make_iterator).__name__))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is None:
            raise InputError("nobody knows how many examples {} gives: pass count=".format(self.describe()))
        return self._count

    def flat_examples(self) -> Any:
        """Yields the leaves of one epoch's examples, each as an array of its spec's dtype."""
        specs = structure.leaves(self.spec)
        for number, example in enumerate(self._make_iterator()):
            values, wrong = structure.leaves_like(self.spec, example)
            arrays = []
            for (path, spec), value in zip(specs, values):
                array = np.asarray(value, dtype=spec.dtype.as_numpy_dtype)
                if not spec.shape.is_compatible_with(array.shape):
                    wrong = "component {!r} has shape {}, its spec says {}".format(path, array.shape, spec.shape)
                arrays.append(array)
            if wrong:
                raise InputError("example {} of {}: {}".format(number, self.describe(), wrong))
            yield tuple(arrays)

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        specs = [spec for _, spec in structure.leaves(self.spec)]
        return dataset_from_generator(self.flat_examples, specs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return lambda *parts: structure.pack(self.spec, iter(parts))

    def numbered_records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        return self.records(shuffle_files, seed).enumerate()

    def ids(self) -> Iterator[int]:
        # By running it: what it gives is the truth, `count` only what somebody said.
        return (number for number, _ in enumerate(self._make_iterator()))

    def name_of(self, number: int) -> str:
        return "example {}".format(number)
