"""Records what the training steps of a script are fed."""
import zlib
from typing import Any, Dict, Optional

import numpy as np

from legacy_towers.compat import tf

# Smaller feeds are not recorded: converting and copying them takes less than a millisecond.
LARGE = 1 << 20


class SeenFeed:
    """What training steps fed to one tensor.

    Attributes:
      tensor: the tensor.
      size: bytes of the largest value, in the tensor's dtype.
      runs: the number of values.
      converted: how many of them TensorFlow converts or copies into another array first.
      reason: why it did so with the last of them: "a list", "float64 and not float32", "not contiguous"; "" for none.
      repeated: how many of them were equal to the value before.
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.size = 0
        self.runs = 0
        self.converted = 0
        self.reason = ""
        self.repeated = 0
        self._last: Any = None

    def note(self, value: Any) -> None:
        """Records a value."""
        array, dtype = np.asarray(value), self.tensor.dtype.as_numpy_dtype
        reason = _reason(value, array, np.dtype(dtype))
        self.runs += 1
        self.size = max(self.size, array.size * np.dtype(dtype).itemsize)
        if reason:
            self.converted += 1
            self.reason = reason
        content = array.shape, array.dtype, zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data)
        self.repeated += content == self._last
        self._last = content


def note_feeds(seen: Dict[str, SeenFeed], graph: Any, feed_dict: Any) -> None:
    """Records the large values among the feeds of a run.

    Args:
      seen: name of a tensor -> what it was fed so far; it is extended.
      graph: the session's graph.
      feed_dict: as the script gives it to `session.run`.
    """
    if not isinstance(feed_dict, dict):
        return
    for key, value in feed_dict.items():
        tensor = fed_tensor(graph, key)
        if tensor is None or not isinstance(value, (np.ndarray, list, tuple)) or not tensor.dtype.is_numpy_compatible:
            continue
        if tensor.dtype == tf.string or _size(value, tensor) < LARGE:
            continue
        try:
            seen.setdefault(tensor.name, SeenFeed(tensor)).note(value)
        except (TypeError, ValueError):  # TensorFlow raises its own error
            del seen[tensor.name]


def fed_tensor(graph: Any, key: Any) -> Optional[Any]:
    """Returns the tensor that a key of a feed_dict means; None if it is none, or stands for several."""
    if isinstance(key, tf.Tensor):
        return key
    try:
        found = graph.as_graph_element(key, allow_operation=False) if isinstance(key, (str, bytes)) else None
    except (KeyError, ValueError, TypeError):
        return None
    return found


def _size(value: Any, tensor: Any) -> int:
    """Returns about how many bytes a value has in the dtype of its tensor, without converting a list."""
    count = value.size if isinstance(value, np.ndarray) else _count(value)
    return int(count) * np.dtype(tensor.dtype.as_numpy_dtype).itemsize


def _count(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return len(value) * _count(value[0]) if value else 0
    return int(getattr(value, "size", 1))


def _reason(value: Any, array: Any, dtype: Any) -> str:
    if not isinstance(value, np.ndarray):
        return "a list"
    if array.dtype != dtype:
        return "{} and not {}".format(array.dtype, dtype)
    return "" if array.flags.c_contiguous else "not contiguous"
