"""Names of numpy 1.18 that numpy 2 has under no other name: np.cast, np.sctypes, np.math, np.recfromcsv, ...

The shim has those that the installed numpy lacks.
"""
import math
import sys
import warnings
from typing import Any, Callable, Dict, List

import numpy as _now

__all__ = [
    "cast", "deprecate", "disp", "issctype", "math", "maximum_sctype", "nbytes", "recfromcsv", "recfromtxt",
    "sctype2char", "sctypes", "sys", "warnings",
]  # fmt: skip


class _ByType(Dict[Any, Any]):
    """A dict whose keys may be np.float32, "float32" or np.dtype("float32")."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__((kind, make(kind)) for kind in set(_now.sctypeDict.values()))

    def __missing__(self, kind: Any) -> Any:
        return self[_now.dtype(kind).type]


def _caster(kind: Any) -> Callable[[Any], Any]:
    return lambda values: _now.asarray(values).astype(kind)


cast = _ByType(_caster)
nbytes = _ByType(lambda kind: _now.dtype(kind).itemsize)
sctypes: Dict[str, List[Any]] = {
    "int": [_now.int8, _now.int16, _now.int32, _now.int64],
    "uint": [_now.uint8, _now.uint16, _now.uint32, _now.uint64],
    "float": [_now.float16, _now.float32, _now.float64, _now.longdouble],
    "complex": [_now.complex64, _now.complex128, _now.clongdouble],
    "others": [bool, object, bytes, str, _now.void],
}


def deprecate(*arguments: Any, **options: Any) -> Any:
    """Returns the function unchanged; it prints no warning."""
    return arguments[0] if arguments else lambda function: function


def disp(mesg: Any, device: Any = None, linefeed: bool = True) -> None:
    """Writes a message to the file `device`, by default standard output."""
    device = sys.stdout if device is None else device
    device.write("{}\n".format(mesg) if linefeed else str(mesg))
    device.flush()


def issctype(rep: Any) -> bool:
    """Returns whether `rep` is a dtype or scalar type other than object."""
    try:
        return isinstance(rep, (type, _now.dtype)) and _now.dtype(rep).type is not _now.object_
    except TypeError:
        return False


def maximum_sctype(t: Any) -> Any:
    """Returns the widest type of the same kind as `t`."""
    kinds = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
    kind = _now.dtype(t)
    return sctypes[kinds[kind.kind]][-1] if kind.kind in kinds else kind.type


def sctype2char(sctype: Any) -> str:
    """Returns the character code of the type: "f" for np.float32."""
    return str(_now.dtype(sctype).char)


def recfromtxt(fname: Any, **options: Any) -> Any:
    """Returns numpy.genfromtxt as a record array."""
    options.setdefault("dtype", None)
    return _now.genfromtxt(fname, **options).view(_now.recarray)


def recfromcsv(fname: Any, **options: Any) -> Any:
    """Returns numpy.genfromtxt of a CSV file with names in its first line, as a record array."""
    return recfromtxt(fname, **dict({"case_sensitive": "lower", "names": True, "delimiter": ","}, **options))
