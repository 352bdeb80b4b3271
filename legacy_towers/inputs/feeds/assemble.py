"""Assembles the arrays of a step from examples: one batch per tower, in aligned memory."""
from typing import Any, Generator, List, NamedTuple, Tuple

import numpy as np

from legacy_towers.data import structure
from legacy_towers.data.batches import StepGraph, index_batches
from legacy_towers.data.start import Start
from legacy_towers.inputs.feeds.aligned import ALIGNMENT, BufferRing, address_of, is_aligned
from legacy_towers.inputs.feeds.checks import numpy_dtype
from legacy_towers.inputs.feeds.prepare import copy_aligned
from legacy_towers.inputs.reading import Reading
from legacy_towers.specs.batch_sizes import Sizes


class StepArrays(NamedTuple):
    """The batches of one step."""

    per_tower: List[List[np.ndarray]]  # per tower its components, in the order of `structure.leaves`
    counts: List[int]  # per tower its examples without copies
    copied_bytes: int  # of rows or values that were not aligned


class Assembler:
    """Makes the arrays of each step for the towers.

    Rows of arrays are copied once, into the memory that TensorFlow uses; consecutive rows that are aligned already are
    not copied. Parsed examples are in TensorFlow's own aligned memory; the values that a session returns unaligned, as
    1.15 does at times, are copied.
    """

    def __init__(self, reading: Reading, sizes: Sizes, placeholders: Any, ring: BufferRing) -> None:
        """
        Args:
          placeholders: the placeholders of a tower, whose order is the order of the components.
          ring: the memory of the arrays.
        """
        self._reading = reading
        self._sizes = sizes
        self._placeholders = placeholders
        self._dtypes = [numpy_dtype(leaf) for leaf in structure.leaves_of(placeholders)]
        self._ring = ring
        self._graph: Any = None

    def steps(self, start: Start) -> Generator[StepArrays, None, None]:
        """Yields the `StepArrays` of each step; without remainder="drop" the last one may be incomplete."""
        return self._rows(start) if self._reading.examples.arrays is not None else self._parsed(start)

    def _rows(self, begin: Start) -> Generator[StepArrays, None, None]:
        reading, sizes = self._reading, self._sizes
        examples = reading.examples
        components = [
            _Component(array, dtype) for array, dtype in zip(self._components(examples.arrays), self._dtypes)
        ]
        shuffled = bool(reading.shuffle_now())
        numbers = index_batches(
            examples.count(), sizes.global_, reading.epochs, shuffled, begin.seed, reading.remainder == "drop",
            begin.epoch, begin.skip,
        )
        size, last = sizes.per_tower, sizes.global_ - 1
        starts = [tower * size for tower in range(sizes.towers)]
        full = [size] * sizes.towers
        indices: List[Any]
        for rows in numbers:
            if len(rows) <= last:
                counts = [min(max(len(rows) - start, 0), size) for start in starts]
                indices = [_as_slice(rows[self._own(tower, count)]) for tower, count in enumerate(counts)]
            elif not shuffled and rows.item(last) - rows.item(0) == last:  # all from one epoch, one after another
                first, counts = rows.item(0), full
                indices = [slice(first + start, first + start + size) for start in starts]
            else:
                counts = full
                indices = [_as_slice(rows[start:start + size]) for start in starts]
            yield self._taken(components, indices, counts)

    def _components(self, values: Any) -> List[np.ndarray]:
        found, wrong = structure.leaves_like(self._placeholders, values)
        assert not wrong, wrong  # both come from the same examples
        return found

    def _own(self, tower: int, count: int) -> np.ndarray:
        """Returns the rows of a global batch that a tower gets; copies of the first row replace missing ones."""
        wanted = max(count, 1) if self._reading.remainder == "short" else self._sizes.per_tower
        own = tower * self._sizes.per_tower + np.arange(wanted)
        own[count:] = 0
        return own

    def _taken(self, components: List["_Component"], indices: List[Any], counts: List[int]) -> StepArrays:
        """Returns the arrays of a step; `indices` has a tower's rows, or the slice of them if they are consecutive."""
        taken: List[List[Any]] = []
        to_copy: List[Tuple[int, int]] = []  # tower, component
        shapes: List[Tuple[Tuple[int, ...], np.dtype]] = []  # of these copies
        for tower, index in enumerate(indices):
            values: List[Any] = []
            for number, component in enumerate(components):
                if component.is_fed_as_is(index):
                    values.append(component.array[index])
                    continue
                values.append(None)
                to_copy.append((tower, number))
                length = index.stop - index.start if type(index) is slice else len(index)
                shapes.append(((length,) + component.row_shape, component.dtype))
            taken.append(values)
        copied = 0
        if to_copy:
            for (tower, number), block in zip(to_copy, self._ring.arrays(shapes)):
                components[number].copy(indices[tower], block)
                if type(indices[tower]) is slice:
                    copied += block.nbytes
                taken[tower][number] = block
        return StepArrays(taken, counts, copied)

    def _parsed(self, begin: Start) -> Generator[StepArrays, None, None]:
        if self._graph is None:
            reading, sizes = self._reading, self._sizes
            self._graph = StepGraph(
                reading.examples, sizes.towers, sizes.per_tower, reading.epochs, reading.shuffle_now(),
                reading.remainder == "drop",
            )
        steps = self._graph.steps(begin)
        try:
            for step in steps:
                per_tower = [self._components(batch) for batch in step]
                del step
                counts = [len(leaves[0]) for leaves in per_tower]
                if counts[-1] < self._sizes.per_tower:
                    per_tower = [self._filled(leaves, per_tower[0]) for leaves in per_tower]
                yield self._aligned(per_tower, counts)
                del per_tower
        finally:
            steps.close()

    def _filled(self, leaves: List[np.ndarray], first: List[np.ndarray]) -> List[np.ndarray]:
        """Returns a tower's last batch, with copies of the step's first example for missing ones."""
        count = len(leaves[0])
        missing = (1 if self._reading.remainder == "short" else self._sizes.per_tower) - count
        if missing <= 0:
            return leaves
        return [np.concatenate([leaf] + [one[:1]] * missing) for leaf, one in zip(leaves, first)]

    def _aligned(self, per_tower: List[List[np.ndarray]], counts: List[int]) -> StepArrays:
        unfit = [
            (tower, component)
            for tower, leaves in enumerate(per_tower)
            for component, leaf in enumerate(leaves)
            if not leaf.dtype.hasobject and not is_aligned(leaf)
        ]
        copies = copy_aligned([
            (per_tower[tower][component], self._dtypes[component]) for tower, component in unfit
        ], self._ring)
        for (tower, component), copy in zip(unfit, copies):
            per_tower[tower][component] = copy
        return StepArrays(per_tower, counts, sum(copy.nbytes for copy in copies))


class _Component:
    """An array of all rows, with what decides whether a slice of it is fed as it is: found once, not in each step."""

    def __init__(self, array: np.ndarray, dtype: np.dtype) -> None:
        """
        Args:
          dtype: that of the placeholder.
        """
        self.array = np.asarray(array)  # of a np.memmap, whose slices take longer, the plain array
        self.dtype = dtype
        self.row_shape = self.array.shape[1:]
        self._is_alike = self.array.dtype == dtype and self.array.dtype.isnative
        self._is_contiguous = self.array.flags.c_contiguous
        self._address = address_of(self.array)
        self._stride = self.array.strides[0]

    def is_fed_as_is(self, index: Any) -> bool:
        """Returns whether `array[index]` is fed without a copy in aligned memory; `index` is a slice or row numbers."""
        if self.dtype.hasobject:
            return True
        if type(index) is not slice or not self._is_alike:
            return False
        if self._is_contiguous:
            return (self._address + index.start * self._stride) % ALIGNMENT == 0
        return is_aligned(self.array[index])

    def copy(self, index: Any, block: np.ndarray) -> None:
        """Copies the rows `index` to `block`."""
        if type(index) is slice:
            np.copyto(block, self.array[index])
        elif self._is_alike:
            # All rows are valid: mode="clip" avoids the temporary copy that numpy makes for mode="raise".
            self.array.take(index, 0, block, "clip")
        else:
            np.copyto(block, self.array[index])


def _as_slice(rows: np.ndarray) -> Any:
    """Returns the slice of consecutive rows; others as they are."""
    first, length = rows.item(0), len(rows)
    if rows.item(-1) - first != length - 1 or (length > 2 and not (np.diff(rows) == 1).all()):
        return rows
    return slice(first, first + length)
