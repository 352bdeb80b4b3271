"""A step's arrays from examples: one batch per tower, straight into aligned memory."""
from typing import Any, Generator, List, NamedTuple, Tuple

import numpy as np

from legacy_towers import structure
from legacy_towers.examples.batches import StepGraph, index_batches
from legacy_towers.inputs.aligned import BufferRing, is_aligned
from legacy_towers.inputs.check_feed import numpy_dtype
from legacy_towers.inputs.prepare import copy_aligned
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.sizes import Sizes


class StepArrays(NamedTuple):
    """What the towers get in one step."""

    per_tower: List[List[np.ndarray]]  # for each tower the components, in the order of `structure.leaves`
    counts: List[int]  # each tower's true examples
    copied_bytes: int  # of what lay in unaligned memory


class Assembler:
    """Makes each step's arrays for the towers, from the first step on each time it is asked.

    Rows of arrays in memory are copied once, from where they lie to where TensorFlow takes them; consecutive rows that
    are aligned already aren't copied at all. Examples that are parsed lie in TensorFlow's own aligned memory; what a
    session gives from elsewhere, as 1.15 does at times, is copied.
    """

    def __init__(self, reading: Reading, sizes: Sizes, placeholders: Any, ring: BufferRing) -> None:
        """
        Args:
          reading: what is read, and how.
          sizes: how many examples each tower gets.
          placeholders: a tower's, whose order, not that of a dict of values, is the order of the components.
          ring: where arrays are made.
        """
        self._reading = reading
        self._sizes = sizes
        self._placeholders = placeholders
        self._dtypes = [numpy_dtype(leaf) for leaf in structure.leaves_of(placeholders)]
        self._ring = ring
        self._graph: Any = None

    def steps(self) -> Generator[StepArrays, None, None]:
        """Yields one `StepArrays` per step; with `remainder` other than "drop" the last may be incomplete."""
        return self._rows() if self._reading.examples.arrays is not None else self._parsed()

    def _rows(self) -> Generator[StepArrays, None, None]:
        reading, sizes = self._reading, self._sizes
        examples = reading.examples
        arrays = self._components(examples.arrays)
        numbers = index_batches(
            examples.count(), sizes.global_, reading.epochs, bool(reading.shuffle_now()), examples.seed,
            reading.remainder == "drop",
        )
        for rows in numbers:
            left = [len(rows) - tower * sizes.per_tower for tower in range(sizes.towers)]
            counts = [min(max(number, 0), sizes.per_tower) for number in left]
            own = [rows[self._own(tower, count)] for tower, count in enumerate(counts)]
            per_tower, copied = self._taken(arrays, own)
            yield StepArrays(per_tower, counts, copied)

    def _components(self, values: Any) -> List[np.ndarray]:
        found, wrong = structure.leaves_like(self._placeholders, values)
        assert not wrong, wrong  # both come from the same examples
        return found

    def _own(self, tower: int, count: int) -> np.ndarray:
        """Returns which rows of a global batch a tower gets; where its own are too few, the first one fills up."""
        wanted = max(count, 1) if self._reading.remainder == "short" else self._sizes.per_tower
        own = tower * self._sizes.per_tower + np.arange(wanted)
        own[count:] = 0
        return own

    def _taken(self, arrays: List[np.ndarray], rows_of: List[np.ndarray]) -> Tuple[List[List[np.ndarray]], int]:
        taken: List[List[Any]] = []
        places: List[Tuple[int, int, np.ndarray]] = []  # tower, component, and the rows that go into the block
        copied = 0
        for tower, rows in enumerate(rows_of):
            first, last = int(rows[0]), int(rows[-1])
            consecutive = last - first == len(rows) - 1 and bool(np.all(np.diff(rows) == 1))
            taken.append([])
            for component, (array, dtype) in enumerate(zip(arrays, self._dtypes)):
                whole = array[first:last + 1] if consecutive else None
                if dtype.hasobject:
                    taken[-1].append(array[rows] if whole is None else whole)
                elif whole is not None and whole.dtype == dtype and is_aligned(whole):
                    taken[-1].append(whole)
                else:
                    taken[-1].append(whole)
                    places.append((tower, component, rows))
        blocks = self._ring.arrays([
            ((len(rows),) + arrays[component].shape[1:], self._dtypes[component]) for _, component, rows in places
        ]) if places else []
        for (tower, component, rows), block in zip(places, blocks):
            whole = taken[tower][component]
            if whole is not None:
                np.copyto(block, whole)
                copied += block.nbytes
            elif arrays[component].dtype == block.dtype:
                # Clipping clips nothing here: it saves the copy that numpy makes to be able to raise.
                np.take(arrays[component], rows, axis=0, out=block, mode="clip")
            else:
                np.copyto(block, arrays[component][rows])
            taken[tower][component] = block
        return taken, copied

    def _parsed(self) -> Generator[StepArrays, None, None]:
        if self._graph is None:
            reading, sizes = self._reading, self._sizes
            self._graph = StepGraph(
                reading.examples, sizes.towers, sizes.per_tower, reading.epochs, reading.shuffle_now(),
                reading.remainder == "drop",
            )
        steps = self._graph.steps()
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
        """Returns a tower's last batch, filled up by copies of the step's first example as far as it must be."""
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
