"""A step's values, made ready to be fed: checked, and in memory that TensorFlow takes without a copy."""
import sys
from typing import Any, Dict, Generator, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.inputs.aliasing import keeper_of
from legacy_towers.inputs.aligned import BufferRing, is_aligned
from legacy_towers.inputs.check_feed import numpy_dtype
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders


class Ready(NamedTuple):
    """A step's arrays."""

    arrays: Dict[Any, np.ndarray]  # for each placeholder
    fed_bytes: int
    copied_bytes: int = 0  # of them, those that had to be copied into aligned memory
    lacks_shared: bool = False  # whether values for shared placeholders are missing


class Refused(NamedTuple):
    """A step whose values don't fit; the run that needs them raises the error."""

    error_info: Tuple[Any, Any, Any]  # of sys.exc_info()


class Preparer:
    """Checks a step's values and copies them into aligned memory, unless they can be fed as they are.

    An array that is aligned and of the right dtype goes as it is, unless something may hold it after the run: then
    TensorFlow would see what its owner writes there later.
    """

    def __init__(self, placeholders: TowerPlaceholders, ring: BufferRing, fed_later: bool) -> None:
        """
        Args:
          placeholders: what is fed.
          ring: where copies go.
          fed_later: whether the caller's code runs on before the values are fed, and may write its arrays again.
        """
        self._placeholders = placeholders
        self._ring = ring
        self._fed_later = fed_later
        self._keeper: Optional[Any] = None
        self._graph_version = -1  # of the graph that was searched for the keeper

    def steps(self, feeds: Iterator[Union[Feed, Ready]]) -> Generator[Union[Ready, Refused], None, None]:
        """Yields each step of `feeds` made ready; what is ready already goes through."""
        try:
            for feed in feeds:
                step: Union[Ready, Refused]
                if isinstance(feed, Ready):
                    step = feed
                else:
                    try:
                        step = self._ready(feed)
                    except InputError:
                        step = Refused(sys.exc_info())
                del feed
                yield step
                del step  # the arrays are the consumer's now: memory that is held here can't be written again
        finally:
            close = getattr(feeds, "close", None)
            if close is not None:
                close()

    def keeper(self) -> Optional[Any]:
        """Returns the operation that may hold what is fed after the run, None if there is none."""
        if self._placeholders.all:
            version = self._placeholders.all[0].graph.version
            if version != self._graph_version:
                self._keeper = keeper_of(self._placeholders.all)
                self._graph_version = version
        return self._keeper

    def _ready(self, feed: Feed) -> Ready:
        arrays = self._placeholders.checked(feed)
        fed_bytes = 0
        unfit: List[Tuple[Any, np.ndarray]] = []
        for leaf, array in arrays.items():
            if leaf.dtype.base_dtype == tf.string:
                fed_bytes += bytes_of(array)
                continue
            dtype = numpy_dtype(leaf)
            fed_bytes += array.size * dtype.itemsize
            if array.dtype != dtype or not is_aligned(array) or self._may_be_rewritten():
                unfit.append((leaf, array))
        copied = copy_aligned([(array, numpy_dtype(leaf)) for leaf, array in unfit], self._ring)
        arrays.update(zip([leaf for leaf, _ in unfit], copied))
        lacks_shared = feed.shared is None and bool(self._placeholders.shared_operations)
        return Ready(arrays, fed_bytes, sum(array.nbytes for array in copied), lacks_shared)

    def _may_be_rewritten(self) -> bool:
        return self._fed_later or self.keeper() is not None


def copy_aligned(arrays: List[Tuple[np.ndarray, np.dtype]], ring: BufferRing) -> List[np.ndarray]:
    """Returns aligned copies of the arrays, each in the dtype beside it; one pass over each."""
    if not arrays:
        return []
    copies = ring.arrays([(array.shape, dtype) for array, dtype in arrays])
    for (array, _), copy in zip(arrays, copies):
        np.copyto(copy, array, casting="unsafe")
    return copies


def bytes_of(array: np.ndarray) -> int:
    """Returns the bytes of an array's values; of strings, their lengths."""
    if array.dtype.hasobject:
        return sum(len(text) for text in array.ravel() if hasattr(text, "__len__"))
    return int(array.nbytes)
