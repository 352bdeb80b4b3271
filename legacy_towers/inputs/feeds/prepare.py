"""Prepares the values of a step for feeding: checks them, and copies them into aligned memory if necessary."""
import sys
from typing import Any, Dict, Generator, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.inputs.checked_feed import CheckedFeed
from legacy_towers.inputs.feeds.aliasing import retaining_op
from legacy_towers.inputs.feeds.aligned import BufferRing, is_aligned
from legacy_towers.inputs.feeds.checks import numpy_dtype
from legacy_towers.inputs.feeds.placeholders import Feed, TowerPlaceholders
from legacy_towers.tensor_types import Operation


class PreparedStep(NamedTuple):
    """The arrays of a step, ready to be fed."""

    arrays: Dict[Any, np.ndarray]  # for each placeholder
    fed_bytes: int
    copied_bytes: int = 0  # of them, those that were copied into aligned memory
    lacks_shared: bool = False  # whether values for shared placeholders are missing


class RejectedStep(NamedTuple):
    """A step whose values don't fit. A run that needs them raises the error."""

    error_info: Tuple[Any, Any, Any]  # of sys.exc_info()


class Preparer:
    """Checks the values of each step, and copies those into aligned memory that can't be fed as they are.

    An aligned array of the right dtype is fed as it is, unless an operation may retain it after the run: TensorFlow
    would then see what the caller writes to it later.
    """

    def __init__(self, placeholders: TowerPlaceholders, ring: BufferRing, fed_later: bool) -> None:
        """
        Args:
          ring: the memory of copies.
          fed_later: whether the caller's code continues before the values are fed, and may change its arrays.
        """
        self._placeholders = placeholders
        self._ring = ring
        self._fed_later = fed_later
        self._retaining_op: Optional[Any] = None
        self._graph_version = -1  # of the graph that was searched for the retaining operation

    def steps(
        self, feeds: Iterator[Union[Feed, PreparedStep]]
    ) -> Generator[Union[PreparedStep, RejectedStep], None, None]:
        """Yields the prepared steps of `feeds`; a step that is prepared already is passed on."""
        try:
            for feed in feeds:
                step: Union[PreparedStep, RejectedStep]
                if isinstance(feed, PreparedStep):
                    step = feed
                else:
                    try:
                        step = self._prepared(feed)
                    except InputError:
                        step = RejectedStep(sys.exc_info())
                del feed
                yield step
                del step  # a reference here would prevent the reuse of its memory
        finally:
            close = getattr(feeds, "close", None)
            if close is not None:
                close()

    def retaining_op(self) -> Optional[Operation]:
        """Returns an operation that may retain what is fed after the run; None if there is none."""
        if self._placeholders.all:
            version = self._placeholders.all[0].graph.version
            if version != self._graph_version:
                self._retaining_op = retaining_op(self._placeholders.all)
                self._graph_version = version
        return self._retaining_op

    def _prepared(self, feed: Feed) -> PreparedStep:
        values = self._placeholders.checked(feed)
        has_strings = any(leaf.dtype.base_dtype == tf.string for leaf in values)
        arrays: Dict[Any, np.ndarray] = values if has_strings else CheckedFeed(values)
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
        return PreparedStep(arrays, fed_bytes, sum(array.nbytes for array in copied), lacks_shared)

    def _may_be_rewritten(self) -> bool:
        return self._fed_later or self.retaining_op() is not None


def copy_aligned(arrays: List[Tuple[np.ndarray, np.dtype]], ring: BufferRing) -> List[np.ndarray]:
    """Returns aligned copies of the arrays, each converted to the dtype in its pair."""
    if not arrays:
        return []
    copies = ring.arrays([(array.shape, dtype) for array, dtype in arrays])
    for (array, _), copy in zip(arrays, copies):
        np.copyto(copy, array, casting="unsafe")
    return copies


def bytes_of(array: np.ndarray) -> int:
    """Returns the bytes of the values of an array; of strings, the sum of their lengths."""
    if array.dtype.hasobject:
        return sum(len(text) for text in array.ravel() if hasattr(text, "__len__"))
    return int(array.nbytes)
