"""What is kept of the values that a session run reads: hashes, dtypes and shapes.

`session_recorder` loads this file by its path, so it imports nothing of this package. Nothing here is private to
TensorFlow.
"""
import hashlib
from typing import Any, Optional

import numpy

_MOST_CHARACTERS = 60


def described(read: Any, is_batched: Optional[bool] = None) -> Any:
    """Returns what is kept of one read, an object for `json.dump`: see READ in session_recorder.py.

    Args:
      read: for each component, (value,), or indices, values and shape of a sparse tensor.
      is_batched: whether it is a batch, whose scalars, such as the number of a bucket, belong to each example; False
        if it is one example; None if it can't be told: then it is a batch if all components have the same length.
    """
    components = sorted((digest_of(*each), _kind(each), shown(each), number) for number, each in enumerate(read))
    lengths = {_length(each) for each in read}
    if is_batched:
        lengths.discard(None)
    parts = [[digest_of(*each) for each in read]]
    if len(lengths) == 1 and None not in lengths and is_batched is not False:
        parts = [[digest_of(*_row(each, row)) for each in read] for row in range(lengths.pop())]
    return {
        "whole": _hash_of_hashes(each[0] for each in components),
        "rows": [_hash_of_hashes(sorted(row)) for row in parts],
        "parts": parts,
        "components": [each[0] for each in components],
        "described": [each[1] for each in components],
        "shown": [each[2] for each in components],
    }


def _length(component: Any) -> Any:
    if len(component) == 3:
        return int(component[2][0])
    shape = numpy.shape(component[0])
    return shape[0] if shape else None


def _row(component: Any, row: int) -> Any:
    if _length(component) is None:
        return component
    if len(component) == 3:
        chosen = component[0][:, 0] == row
        return component[0][chosen][:, 1:], component[1][chosen]
    return (component[0][row],)


def digest_of(*parts: Any) -> str:
    """Returns a hash of the bytes, the dtypes and the shapes of arrays."""
    digest = hashlib.sha1()
    for part in parts:
        array = numpy.asarray(part)
        text = array.dtype == object or array.dtype.kind in "SU"
        digest.update("{}{}".format("string" if text else array.dtype.str, array.shape).encode())
        if text:
            for each in array.ravel().tolist():
                data = each if isinstance(each, bytes) else str(each).encode()
                digest.update(b"%d:" % len(data) + data)
        else:
            digest.update(numpy.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _hash_of_hashes(hashes: Any) -> str:
    return hashlib.sha1(" ".join(hashes).encode()).hexdigest()[:16]


def _kind(component: Any) -> str:
    array = numpy.asarray(component[1] if len(component) == 3 else component[0])
    name = "string" if array.dtype == object or array.dtype.kind in "SU" else array.dtype.name
    return "sparse {}".format(name) if len(component) == 3 else "{}{}".format(name, list(array.shape))


def shown(component: Any) -> str:
    """Returns the values of a component on one line of at most 60 characters."""
    array = numpy.asarray(component[1] if len(component) == 3 else component[0])
    text = " ".join(numpy.array2string(array, threshold=8, edgeitems=3).split())
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."
