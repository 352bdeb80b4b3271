"""Examples from Python code."""
import copy
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import dataset_from_generator
from legacy_towers.data import structure
from legacy_towers.data.item_log import ItemLog
from legacy_towers.data.sources import Source
from legacy_towers.errors import InputError
from legacy_towers.tensor_types import Dataset, Tensor


class Generator(Source):
    """A function that returns a new iterator of examples. A record is an example, its id the position in the epoch."""

    can_be_sharded = False
    has_queue = False

    def __init__(
        self, make_iterator: Callable[[], Any], spec: Any, count: Optional[int], resumable: bool = False
    ) -> None:
        if not callable(make_iterator):
            raise InputError(
                "make_iterator must be a function that returns a new iterator for each epoch, got {}: an iterator can "
                "be read only once".format(type(make_iterator).__name__)
            )
        self._make_iterator = make_iterator
        self.spec = structure.lists_as_tuples(spec)
        self._count = count
        self.is_resumable = resumable
        self._has_examples = False  # known when one was read
        self._epoch: Any = None  # an int64 scalar tensor, where there is a log

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

    def logged(self, whole_epochs: bool) -> Source:
        if not self.is_resumable:
            return self
        logged = copy.copy(self)
        logged.log = ItemLog(self.describe(), "from_generator(..., resumable=True)", whole_epochs)
        return logged

    def of_epoch(self, epoch: Tensor) -> Source:
        if self.log is None:
            return self
        source = copy.copy(self)
        source._epoch = epoch
        return source

    def flat_examples(self, *epoch: Any) -> Iterator[Tuple[np.ndarray, ...]]:
        """Yields the components of each example of one epoch, as arrays of the dtypes in the spec.

        Args:
          epoch: its number, where there is a log.
        """
        for parts in self._numbered_examples(*epoch):
            yield parts[1:]

    def _numbered_examples(self, *epoch: Any) -> Iterator[Tuple[Any, ...]]:
        if self.log is not None:
            for number, arrays, _ in self.log.items(self._make_iterator, int(epoch[0]), self._with_size):
                yield (np.int64(number),) + arrays
            return
        for number, example in enumerate(self._make_iterator()):
            arrays = self._arrays(number, example)
            self._has_examples = True
            yield (np.int64(number),) + arrays

    def _with_size(self, number: int, example: Any) -> Tuple[Any, Sequence[np.ndarray], int]:
        arrays = self._arrays(number, example)
        return arrays, arrays, 1

    def _arrays(self, number: int, example: Any) -> Tuple[np.ndarray, ...]:
        values, wrong = structure.leaves_like(self.spec, example)
        arrays: List[np.ndarray] = []
        for (path, spec), value in zip(structure.leaves(self.spec), values):
            array = np.asarray(value, dtype=spec.dtype.as_numpy_dtype)
            if not spec.shape.is_compatible_with(array.shape):
                wrong = "component {!r} has the shape {}, but its spec has {}".format(path, array.shape, spec.shape)
            arrays.append(array)
        if wrong:
            raise InputError("example {} of {}: {}".format(number, self.describe(), wrong))
        return tuple(arrays)

    def is_empty(self) -> Tensor:
        def has_none() -> np.bool_:
            return np.bool_(not self._has_examples if self.log is None else not self.log.total)

        # The iterator is not started once more: it may do something.
        return tf.reshape(tf.numpy_function(has_none, [], tf.bool), [])

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        specs = [spec for _, spec in structure.leaves(self.spec)]
        return dataset_from_generator(self.flat_examples, specs, self._arguments())

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return lambda *parts: structure.pack(self.spec, iter(parts))

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        specs = [tf.TensorSpec([], tf.int64)] + [spec for _, spec in structure.leaves(self.spec)]
        numbered = dataset_from_generator(self._numbered_examples, specs, self._arguments())
        return numbered.map(tf.autograph.experimental.do_not_convert(lambda number, *parts: (number, parts)))

    def _arguments(self) -> List[Tensor]:
        return [] if self._epoch is None else [self._epoch]

    def ids(self) -> Iterator[int]:
        # From the generator itself: `count` is only what the caller expects.
        return (number for number, _ in enumerate(self._make_iterator()))

    def name_of(self, example_id: int) -> str:
        return "example {}".format(example_id)
