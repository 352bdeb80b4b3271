"""Arrays that TensorFlow feeds without a copy, 64-byte-aligned and C-contiguous, in reused memory.

`session.run` uses such an array without a copy, and holds a reference to it as long as a tensor uses its memory: while
a queue, a staging area or a variable retains what was fed, and no longer. (Measured by Python's reference counts on
1.15 and 2.21 with queues, staging areas, assigns, Python functions and fetches.) Therefore memory can be reused as soon
as nothing refers to it.
"""
import sys
from typing import Any, List, Sequence, Tuple

import numpy as np

ALIGNMENT = 64  # bytes

# sys.getrefcount of a block that only the ring's list refers to: the list's reference and the function's argument.
_UNUSED = 2


def aligned_empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Returns an uninitialized array whose memory begins at a multiple of 64 bytes, so that it is fed without a copy.

        rows = lt.inputs.aligned_empty([10000, 784], np.float32)
        rows[...] = images
        examples = lt.Examples.from_arrays({"image": rows}, shuffle=False)

    Args:
      shape: the array's shape.
      dtype: a numpy dtype.

    Raises:
      TypeError: `dtype` is one of Python objects, such as strings, which TensorFlow always copies.
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError("arrays of Python objects, such as strings, can't be aligned: TensorFlow always copies them")
    return _views(_block(_bytes_of(shape, dtype)), [(tuple(shape), dtype)], [0])[0]


def is_aligned(array: np.ndarray) -> bool:
    """Returns whether TensorFlow uses `array` without a copy. Empty arrays have nothing to copy."""
    if array.dtype.hasobject or not array.flags.c_contiguous or not array.dtype.isnative:
        return False
    return array.size == 0 or address_of(array) % ALIGNMENT == 0


class BufferRing:
    """Blocks of memory, each for the arrays of one step, which are reused when nothing refers to them any more.

    Only one thread at a time may call `arrays`.

    Attributes:
      blocks_made: number of blocks allocated so far.
    """

    def __init__(self, kept: int = 2) -> None:
        """
        Args:
          kept: number of blocks kept for reuse. If more are in use at once, the others are freed when nothing refers to
            them.
        """
        self.blocks_made = 0
        self._kept = kept
        self._blocks: List[np.ndarray] = []
        self._layout: Tuple[Any, Tuple[int, List[int]]] = (None, (0, []))  # what was wanted last; its size and offsets

    def arrays(self, wanted: Sequence[Tuple[Tuple[int, ...], Any]]) -> List[np.ndarray]:
        """Returns uninitialized aligned arrays of the given (shape, dtype)s, one after another in one block.

        The block is reused as soon as nothing, in Python or in TensorFlow, refers to any of the arrays.
        """
        if wanted != self._layout[0]:
            wanted = [(tuple(shape), np.dtype(dtype)) for shape, dtype in wanted]
            self._layout = wanted, _laid_out(wanted)
        size, offsets = self._layout[1]
        return _views(self._take(size), self._layout[0], offsets)

    def drop(self) -> None:
        """Drops all blocks; each is freed when nothing refers to it."""
        self._blocks = []

    def _take(self, size: int) -> np.ndarray:
        blocks = self._blocks
        for index in range(len(blocks)):
            if sys.getrefcount(blocks[index]) > _UNUSED:
                continue
            if len(blocks[index]) < size + ALIGNMENT:
                blocks[index] = self._new(size)  # the steps have become larger
            return blocks[index]
        block = self._new(size)
        if len(blocks) < self._kept:
            blocks.append(block)
        return block

    def _new(self, size: int) -> np.ndarray:
        self.blocks_made += 1
        return _block(size)


def _laid_out(wanted: Sequence[Tuple[Tuple[int, ...], np.dtype]]) -> Tuple[int, List[int]]:
    """Returns the bytes of arrays of the given (shape, dtype)s one after another, and the offset of each."""
    offsets, size = [], 0
    for shape, dtype in wanted:
        offsets.append(size)
        size += _padded(_bytes_of(shape, dtype))
    return size, offsets


def _views(
    block: np.ndarray, wanted: Sequence[Tuple[Tuple[int, ...], np.dtype]], offsets: Sequence[int]
) -> List[np.ndarray]:
    """Returns arrays of the given (shape, dtype)s as views of `block`, each at a multiple of 64 bytes."""
    start = -address_of(block) % ALIGNMENT
    return [np.ndarray(shape, dtype, block, start + offset) for (shape, dtype), offset in zip(wanted, offsets)]


def _block(size: int) -> np.ndarray:
    return np.empty(size + ALIGNMENT, np.uint8)


def _bytes_of(shape: Sequence[int], dtype: np.dtype) -> int:
    size = dtype.itemsize
    for length in shape:
        size *= int(length)
    return size


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def address_of(array: np.ndarray) -> int:
    """Returns the address at which the memory of `array` begins."""
    return int(array.__array_interface__["data"][0])
