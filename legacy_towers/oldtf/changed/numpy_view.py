"""numpy as scripts of its 1.18 know it, in their own files: what 1.20 to 2.x dropped, and arrays of lists.

Names: np.int, np.float, np.bool, np.object and the like; np.float_, np.Inf, np.product, np.in1d, np.asscalar, np.mat
and so on; what has no other word today is in `numpy_gone`. Meanings: lists of different lengths become an array of
lists, and one of numbers and arrays of one number an array of numbers; `copy=False` copies where it must; numbers out
of an integer type's range wrap around; where numpy now wants a list of arrays a generator will do. What a list or a
number was taken for is said once, at its line.
"""
import ast
import builtins
import functools
import pickle
from typing import Any, Callable, Dict

import numpy as _now

from legacy_towers.oldtf import current
from legacy_towers.oldtf.changed import libraries, mixed_numbers, numpy_arguments, numpy_gone, numpy_lib, numpy_random

if current.running() is not None:
    libraries.prepare()
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__version__ = _now.__version__
# numpy's own were Python's: from here on these words mean that in this module too.
_BUILTINS = {name: getattr(builtins, name) for name in ("bool", "int", "float", "complex", "object", "str")}
_BUILTINS.update(long=builtins.int, unicode=builtins.str)
# Old name -> today's.
_RENAMED = {
    "float_": "float64",
    "complex_": "complex128",
    "cfloat": "complex128",
    "singlecomplex": "complex64",
    "longfloat": "longdouble",
    "longcomplex": "clongdouble",
    "clongfloat": "clongdouble",
    "string_": "bytes_",
    "unicode_": "str_",
    "int0": "intp",
    "uint0": "uintp",
    "bool8": "bool_",
    "object0": "object_",
    "str0": "str_",
    "bytes0": "bytes_",
    "void0": "void",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "mat": "asmatrix",
    "row_stack": "vstack",
    "trapz": "trapezoid",
    "typeDict": "sctypeDict",
    "AxisError": "exceptions.AxisError",
    "ComplexWarning": "exceptions.ComplexWarning",
    "RankWarning": "exceptions.RankWarning",
    "VisibleDeprecationWarning": "exceptions.VisibleDeprecationWarning",
    "ModuleDeprecationWarning": "exceptions.ModuleDeprecationWarning",
}
# What `copy=False` meant: numpy 2 takes False for never.
_ONLY_IF_NEEDED = None if int(_now.__version__.split(".")[0]) >= 2 else False
_OTHERS = {"NINF": -_now.inf, "PZERO": 0.0, "NZERO": -0.0, "loads": pickle.loads, "safe_eval": ast.literal_eval}


def _add_old_names() -> None:
    for old, new in _RENAMED.items():
        value: Any = _now
        for part in new.split("."):
            value = getattr(value, part, None)
        if not hasattr(_now, old) and value is not None:
            globals()[old] = value
    globals().update({name: value for name, value in _OTHERS.items() if not hasattr(_now, name)})
    globals().update({name: getattr(numpy_gone, name) for name in numpy_gone.__all__ if not hasattr(_now, name)})
    globals().update({name: getattr(numpy_arguments, name) for name in numpy_arguments.__all__})
    globals().update(lib=numpy_lib, random=numpy_random)


_add_old_names()
# `from numpy import *` gave all of them but the builtins.
__all__ = sorted(set(getattr(_now, "__all__", ())) | {name for name in _RENAMED if name in globals()} | set(_OTHERS))
globals().update(_BUILTINS)


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


# What numpy 1 made of a kind of number where a type was asked for: np.empty(3, dtype=np.integer).
_KINDS: Dict[Any, Any] = {
    _now.integer: _now.int_,
    _now.signedinteger: _now.int_,
    _now.unsignedinteger: _now.uint64,
    _now.number: _now.float64,
    _now.inexact: _now.float64,
    _now.floating: _now.float64,
    _now.complexfloating: _now.complex128,
}


def _of_kinds(make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `make`, which takes kinds of numbers for its dtype, too."""

    def typed(value: Any) -> Any:
        return _KINDS.get(value, value) if isinstance(value, type) else value

    @functools.wraps(make)
    def made(*arguments: Any, **options: Any) -> Any:
        return make(*map(typed, arguments), **{name: typed(value) for name, value in options.items()})

    return made


_TAKE_KINDS = ("arange", "empty", "empty_like", "linspace", "ones", "ones_like", "zeros", "zeros_like")
globals().update({name: _of_kinds(getattr(_now, name)) for name in _TAKE_KINDS})
full = _of_kinds(numpy_arguments.full)


def array(object: Any, dtype: Any = None, copy: Any = True, **options: Any) -> Any:  # noqa: A002
    """numpy.array: where the lists differ in length, an array of lists; copy=False copies where it must."""
    return _made(_now.array, object, dtype, copy=True if copy else _ONLY_IF_NEEDED, **options)


def asarray(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    """numpy.asarray: where the lists differ in length, an array of lists."""
    return _made(_now.asarray, a, dtype, order=order, **options)


def _made(make: Any, value: Any, dtype: Any, **options: Any) -> Any:
    dtype = _KINDS.get(dtype, dtype) if isinstance(dtype, type) else dtype
    try:
        return make(value, dtype, **options)
    except ValueError as error:
        if not mixed_numbers.is_complaint(error):
            raise
        try:
            made = make(mixed_numbers.unwrapped(value), dtype, **options)
        except ValueError:
            pass
        else:
            current.say_once("a list of numbers and arrays of one number", "one of numbers")
            return made
        if dtype is not None:
            raise
        current.say_once("an array of lists that differ in length", "one with dtype=object")
        return make(value, _now.object_, **options)
    except OverflowError:
        if dtype is None:
            raise
        current.say_once("an array of numbers that {} can't hold".format(_now.dtype(dtype)), "one that wraps around")
        return make(_now.asarray(value).astype(dtype), dtype, **options)


def _of_such_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, which is given what `array` makes of lists that numpy makes no array of."""

    def plain(value: Any) -> Any:
        try:
            if isinstance(value, (list, tuple)):
                _now.asarray(value)
        except ValueError:
            return array(value)
        return value

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ValueError as error:
            if not mixed_numbers.is_complaint(error):
                raise
        return function(*map(plain, arguments), **{name: plain(value) for name, value in options.items()})

    return called


# Those that scripts give such lists to.
_TAKE_LISTS = (
    "amax", "amin", "append", "argmax", "argmin", "argsort", "asanyarray", "clip", "expand_dims", "max", "mean",
    "median", "min", "ndim", "prod", "ravel", "repeat", "save", "savez", "savez_compressed", "shape", "size",
    "squeeze", "std", "transpose", "var",
)  # fmt: skip
globals().update({name: _of_such_lists(getattr(_now, name)) for name in _TAKE_LISTS})
reshape = _of_such_lists(numpy_arguments.reshape)


def fromstring(string: Any, dtype: Any = float, count: int = -1, sep: str = "", **options: Any) -> Any:
    """numpy.fromstring, of bytes too: a copy of what numpy.frombuffer gives."""
    if sep:
        return _now.fromstring(string, dtype, count, sep=sep, **options)
    data = string.encode("latin-1") if isinstance(string, str) else string
    return _now.frombuffer(data, dtype, count).copy()


def sum(a: Any, *arguments: Any, **options: Any) -> Any:  # noqa: A001
    """numpy.sum, of a generator too."""
    return _of_such_lists(_now.sum)(_listed(a), *arguments, **options)


def vstack(tup: Any, **options: Any) -> Any:
    return _now.vstack(_listed(tup), **options)


def hstack(tup: Any, **options: Any) -> Any:
    return _now.hstack(_listed(tup), **options)


def dstack(tup: Any, **options: Any) -> Any:
    return _now.dstack(_listed(tup), **options)


def column_stack(tup: Any, **options: Any) -> Any:
    return _now.column_stack(_listed(tup), **options)


def stack(arrays: Any, *arguments: Any, **options: Any) -> Any:
    return _now.stack(_listed(arrays), *arguments, **options)


def _listed(value: Any) -> Any:
    # A generator, a map or a zip: what has elements, but neither length nor type.
    return list(value) if hasattr(value, "__next__") else value


def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """numpy.histogram with `normed`, the old word for `density`."""
    return _now.histogram(a, bins, range, density=normed if density is None else density, weights=weights)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """numpy.isin of the flattened `ar1`."""
    return _now.isin(_now.asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def asscalar(a: Any) -> Any:
    """Returns the one number in `a` as one of Python."""
    return a.item()


def asfarray(a: Any, dtype: Any = _now.float64) -> Any:
    """Returns `a` as an array of floats."""
    return _now.asarray(a, dtype if _now.issubdtype(dtype, _now.inexact) else _now.float64)


def alen(a: Any) -> int:
    """Returns the length of the first dimension, 1 for a number."""
    return len(_now.atleast_1d(a))


def rank(a: Any) -> int:
    """Returns the number of dimensions."""
    return int(_now.ndim(a))


def msort(a: Any) -> Any:
    """Returns a copy of `a`, sorted along the first axis."""
    return _now.sort(a, axis=0)


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """Returns whether `arg1` is a class below `arg2`; False where it is none."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issubsctype(arg1: Any, arg2: Any) -> bool:
    return bool(_now.issubdtype(arg1, arg2))


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """Returns the scalar type that `rep` stands for."""
    try:
        return _now.dtype(rep).type if not isinstance(rep, _now.ndarray) else rep.dtype.type
    except TypeError:
        return default


def find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Returns the type that holds all of both; scalars count only where they are of a larger kind."""
    arrays = [_now.dtype(each) for each in array_types]
    scalars = [_now.dtype(each) for each in scalar_types]
    largest = _now.result_type(*arrays) if arrays else None
    other = _now.result_type(*scalars) if scalars else None
    if largest is None or other is None:
        return largest or other
    kinds = "buifc"
    return largest if kinds.index(largest.kind) >= kinds.index(other.kind) else other
