"""Arrays that TensorFlow takes as they are: 64-byte-aligned, C-contiguous, in memory that is used again.

`session.run` takes such an array without a copy, and holds a reference to it for as long as a tensor lies in its
memory: while a queue, a staging area or a variable keeps what was fed, and no longer. (Python's own reference count
tells; tried on 1.15 and 2.21 with queues, staging areas, assigns, Python functions and fetches.) So memory that nothing
refers to any more can be written again, and no other can.
"""
import sys
from typing import Any, List, Sequence, Tuple

import numpy as np

ALIGNMENT = 64  # bytes

# What sys.getrefcount says of a block that only the ring's list holds: the list's reference and its own argument.
_UNUSED = 2


def aligned_empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Returns an array like `np.empty` whose first element lies at a multiple of 64 bytes.

    Raises:
      TypeError: `dtype` is one of Python objects, which TensorFlow always copies.
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError("arrays of Python objects, such as strings, can't be aligned: TensorFlow copies them always")
    return views(_block(_bytes_of(shape, dtype)), [(tuple(shape), dtype)])[0]


def is_aligned(array: np.ndarray) -> bool:
    """Says whether TensorFlow takes `array` without a copy; empty arrays have nothing to copy."""
    if array.dtype.hasobject or not array.flags.c_contiguous or not array.dtype.isnative:
        return False
    return array.size == 0 or _address(array) % ALIGNMENT == 0


class BufferRing:
    """Blocks of memory, each for the arrays of one step, which are written again when nothing refers to them any more.

    One thread at a time may ask for arrays.

    Attributes:
      blocks_made: how many blocks were allocated so far.
    """

    def __init__(self, kept: int = 2) -> None:
        """
        Args:
          kept: how many blocks are held for reuse; where more are in use at once, the others live as long as they are
            referred to.
        """
        self.blocks_made = 0
        self._kept = kept
        self._blocks: List[np.ndarray] = []

    def arrays(self, wanted: Sequence[Tuple[Tuple[int, ...], Any]]) -> List[np.ndarray]:
        """Returns aligned arrays of the given (shape, dtype)s, side by side in one block; their values are undefined.

        The block is used again as soon as the caller, TensorFlow and everybody else have let go of all of them.
        """
        wanted = [(tuple(shape), np.dtype(dtype)) for shape, dtype in wanted]
        size = sum(_padded(_bytes_of(shape, dtype)) for shape, dtype in wanted)
        return views(self._take(size), wanted)

    def drop(self) -> None:
        """Forgets all blocks: whoever refers to one keeps it."""
        self._blocks = []

    def _take(self, size: int) -> np.ndarray:
        blocks = self._blocks
        for index in range(len(blocks)):
            if sys.getrefcount(blocks[index]) > _UNUSED:
                continue
            if len(blocks[index]) < size + ALIGNMENT:
                blocks[index] = self._new(size)  # the steps have grown
            return blocks[index]
        block = self._new(size)
        if len(blocks) < self._kept:
            blocks.append(block)
        return block

    def _new(self, size: int) -> np.ndarray:
        self.blocks_made += 1
        return _block(size)


def views(block: np.ndarray, wanted: Sequence[Tuple[Tuple[int, ...], np.dtype]]) -> List[np.ndarray]:
    """Returns arrays of the given (shape, dtype)s in `block`, each at a multiple of 64 bytes; they refer to it."""
    place = -_address(block) % ALIGNMENT
    made = []
    for shape, dtype in wanted:
        made.append(np.ndarray(shape, dtype, buffer=block, offset=place))
        place += _padded(_bytes_of(shape, dtype))
    return made


def _block(size: int) -> np.ndarray:
    return np.empty(size + ALIGNMENT, np.uint8)


def _bytes_of(shape: Sequence[int], dtype: np.dtype) -> int:
    size = dtype.itemsize
    for length in shape:
        size *= int(length)
    return size


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
