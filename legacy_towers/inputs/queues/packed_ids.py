"""Ids of examples with their numbers as text, for a file; the text that is read is not trusted."""
import base64
import collections
import zlib
from typing import Any, Counter

import numpy as np


def packed(ids: "Counter[int]") -> str:
    """Returns numbers with their counts as text: the differences of the sorted numbers, compressed."""
    numbers = np.array(sorted(ids.elements()), np.int64)
    return base64.b64encode(zlib.compress(np.diff(numbers, prepend=0).astype("<i8").tobytes())).decode("ascii")


def unpacked(text: Any, most: int) -> "Counter[int]":
    """Returns what `packed` took.

    Args:
      most: how many numbers there can be, each as often as it counts: a small text can hold a gigabyte.

    Raises:
      ValueError: the text is not what `packed` returned, or has more numbers.
    """
    if not isinstance(text, str):
        raise ValueError("ids is {!r:.40}".format(text))
    reader = zlib.decompressobj()
    try:
        content = reader.decompress(base64.b64decode(text, validate=True), 8 * most + 1)
    except (ValueError, zlib.error) as error:
        raise ValueError("ids can't be read ({})".format(error)) from error
    if len(content) > 8 * most:
        raise ValueError("ids has more than {:,} numbers".format(most))
    if not reader.eof or len(content) % 8:
        raise ValueError("ids is incomplete")
    return collections.Counter(np.cumsum(np.frombuffer(content, "<i8")).tolist())
