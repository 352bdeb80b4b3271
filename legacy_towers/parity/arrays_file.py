"""Writes named arrays to a file that numpy 1 and 2 can read: without pickles, which they write differently."""
import os
import struct
import zipfile
import zlib
from typing import Any, Dict

import numpy as np

from legacy_towers.errors import InputError

_LENGTHS, _SHAPE = "|lengths", "|shape"


def write_arrays(path: str, arrays: Dict[str, np.ndarray]) -> None:
    """Writes name -> array of numbers, or of bytes with dtype object, atomically."""
    plain: Dict[str, np.ndarray] = {}
    for number, (name, array) in enumerate(arrays.items()):
        key = "{}".format(number)
        plain[key + "|name"] = np.frombuffer(name.encode("utf-8"), np.uint8)
        if array.dtype.kind in "OS":
            strings = [bytes(value) for value in array.ravel()]
            plain[key] = np.frombuffer(b"".join(strings), np.uint8)
            plain[key + _LENGTHS] = np.array([len(value) for value in strings], np.int64)
            plain[key + _SHAPE] = np.array(array.shape, np.int64)
        else:
            plain[key] = array
    with open(path + ".part", "wb") as target:
        np.savez(target, **plain)  # type: ignore[arg-type]  # numpy has a bool argument besides the arrays
    os.replace(path + ".part", path)


def read_arrays(path: str) -> Dict[str, np.ndarray]:
    """Returns the arrays that `write_arrays` wrote, in their order.

    Raises:
      InputError: the file can't be read, or is not one that `write_arrays` wrote; nothing in it is executed.
    """
    try:
        with np.load(path, allow_pickle=False) as plain:
            return _read(plain)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, MemoryError,
            SyntaxError, NotImplementedError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error) as error:
        raise InputError("{} can't be read, or is damaged: {}: {}".format(path, type(error).__name__, error)) from error


def _read(plain: Any) -> Dict[str, np.ndarray]:
    arrays = {}
    for number in range(sum(key.endswith("|name") for key in plain.files)):
        key = "{}".format(number)
        array = plain[key]
        if key + _LENGTHS in plain.files:
            array = _strings(array.tobytes(), plain[key + _LENGTHS]).reshape(plain[key + _SHAPE])
        arrays[plain[key + "|name"].tobytes().decode("utf-8")] = array
    return arrays


def _strings(joined: bytes, lengths: np.ndarray) -> np.ndarray:
    ends = np.cumsum(lengths)
    strings = np.empty(len(lengths), object)
    for index, (end, length) in enumerate(zip(ends, lengths)):
        strings[index] = joined[int(end - length):int(end)]
    return strings
