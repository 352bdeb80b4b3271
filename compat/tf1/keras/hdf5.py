"""tf.keras.utils.HDF5Matrix, which TensorFlow dropped in 2.4: rows of a data set in an HDF5 file, like an array."""
import functools
import importlib
from typing import Any, Callable, Optional, Tuple

import numpy as np


@functools.lru_cache(maxsize=None)
def _opened(path: str) -> Any:
    return importlib.import_module("h5py").File(path, "r")


class HDF5Matrix:
    """The rows from `start` up to `end` of a data set, read when they are indexed.

    Args:
      datapath: the path of the file, which is opened once for all matrices.
      dataset: the name of the data set in the file.
      start: the first row.
      end: the row after the last; None for all rows from `start` on.
      normalizer: applied to the rows that are read; None for no normalization.
    """

    def __init__(
        self,
        datapath: str,
        dataset: str,
        start: int = 0,
        end: Optional[int] = None,
        normalizer: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        self.data = _opened(datapath)[dataset]
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer

    def __len__(self) -> int:
        return self.end - self.start

    def __getitem__(self, key: Any) -> Any:
        """Returns the rows of an index, a slice, or a sorted list or array of indices.

        Raises:
          IndexError: the matrix has fewer rows.
        """
        rows: Any
        if isinstance(key, slice):
            first, stop = key.start or 0, len(self) if key.stop is None else key.stop
            last, rows = stop - 1, slice(first + self.start, stop + self.start)
        elif isinstance(key, (int, np.integer)):
            last, rows = key, key + self.start
        else:
            last, rows = max(key), [int(each) + self.start for each in key]
        if last + self.start >= self.end:
            raise IndexError("index {} is out of range: the HDF5Matrix has {} rows".format(last, len(self)))
        return self.data[rows] if self.normalizer is None else self.normalizer(self.data[rows])

    @property
    def shape(self) -> Tuple[int, ...]:
        return (len(self),) + tuple(self.data.shape[1:])

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return int(self.data.ndim)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))
