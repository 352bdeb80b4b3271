"""Creating arrays from values that numpy 2 rejects, as numpy 1.18 did.

Lists of different lengths become an array of lists; lists of numbers and one-element arrays an array of numbers;
integers out of a type's range wrap around; `copy=False` copies if needed; abstract types such as np.integer are
accepted as dtype; functions that take a list of arrays accept a generator.
"""
import functools
from typing import Any, Callable, Dict

import numpy as _now

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.libraries.numpy import _arguments
from legacy_towers.run.rewriting import mixed_numbers

# numpy 1's meaning of `copy=False`; in numpy 2, False means never.
_ONLY_IF_NEEDED = None if int(_now.__version__.split(".")[0]) >= 2 else False
# Abstract type -> the dtype that numpy 1 created for it: np.empty(3, dtype=np.integer).
_CONCRETE_TYPES: Dict[Any, Any] = {
    _now.integer: _now.int_,
    _now.signedinteger: _now.int_,
    _now.unsignedinteger: _now.uint64,
    _now.number: _now.float64,
    _now.inexact: _now.float64,
    _now.floating: _now.float64,
    _now.complexfloating: _now.complex128,
}
_TAKE_TYPES = ("arange", "empty", "empty_like", "linspace", "ones", "ones_like", "zeros", "zeros_like")
# Functions that scripts call with lists of different lengths or of mixed numbers.
_TAKE_LISTS = (
    "amax", "amin", "append", "argmax", "argmin", "argsort", "asanyarray", "clip", "expand_dims", "max", "mean",
    "median", "min", "ndim", "prod", "ravel", "repeat", "save", "savez", "savez_compressed", "shape", "size",
    "squeeze", "std", "transpose", "var",
)  # fmt: skip


def _concrete(value: Any) -> Any:
    return _CONCRETE_TYPES.get(value, value) if isinstance(value, type) else value


def _with_abstract_types(make: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `make`, which then accepts abstract types as dtype."""

    @functools.wraps(make)
    def made(*arguments: Any, **options: Any) -> Any:
        return make(*map(_concrete, arguments), **{name: _concrete(value) for name, value in options.items()})

    return made


def array(object: Any, dtype: Any = None, copy: Any = True, **options: Any) -> Any:  # noqa: A002
    """numpy.array; lists of different lengths become an array of lists, and copy=False copies if needed."""
    return _made(_now.array, object, dtype, copy=True if copy else _ONLY_IF_NEEDED, **options)


def asarray(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    """numpy.asarray; lists of different lengths become an array of lists."""
    return _made(_now.asarray, a, dtype, order=order, **options)


def _made(make: Any, value: Any, dtype: Any, **options: Any) -> Any:
    dtype = _concrete(dtype)
    try:
        return make(value, dtype, **options)
    except ValueError as error:
        if not mixed_numbers.is_inhomogeneous(error):
            raise
        try:
            made = make(mixed_numbers.unwrapped(value), dtype, **options)
        except ValueError:
            pass
        else:
            user_script.report_replacement("a list of numbers and one-element arrays", "a list of numbers")
            return made
        if dtype is not None:
            raise
        user_script.report_replacement("an array of lists of different lengths", "one with dtype=object")
        return make(value, _now.object_, **options)
    except OverflowError:
        if dtype is None:
            raise
        user_script.report_replacement(
            "an array of integers out of the range of {}".format(_now.dtype(dtype)), "one whose integers wrap around"
        )
        return make(_now.asarray(value).astype(dtype), dtype, **options)


def with_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, which then accepts lists of different lengths or of mixed numbers."""

    def converted(value: Any) -> Any:
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
            if not mixed_numbers.is_inhomogeneous(error):
                raise
        return function(*map(converted, arguments), **{name: converted(value) for name, value in options.items()})

    return called


def sum(a: Any, *arguments: Any, **options: Any) -> Any:  # noqa: A001
    """numpy.sum, of a generator too."""
    return with_lists(_now.sum)(_listed(a), *arguments, **options)


def _with_generators(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, whose first argument may then be a generator of arrays."""

    @functools.wraps(function)
    def called(tup: Any, *arguments: Any, **options: Any) -> Any:
        return function(_listed(tup), *arguments, **options)

    return called


def _listed(value: Any) -> Any:
    # A generator, map or zip object.
    return list(value) if hasattr(value, "__next__") else value


full = _with_abstract_types(_arguments.full)
reshape = with_lists(_arguments.reshape)
vstack, hstack, dstack = _with_generators(_now.vstack), _with_generators(_now.hstack), _with_generators(_now.dstack)
column_stack = _with_generators(_now.column_stack)


def stack(arrays: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.stack, of a generator too."""
    return _now.stack(_listed(arrays), *arguments, **options)


FUNCTIONS: Dict[str, Callable[..., Any]] = {name: _with_abstract_types(getattr(_now, name)) for name in _TAKE_TYPES}
FUNCTIONS.update({name: with_lists(getattr(_now, name)) for name in _TAKE_LISTS})
FUNCTIONS.update(
    array=array, asarray=asarray, column_stack=column_stack, dstack=dstack, full=full, hstack=hstack, reshape=reshape,
    stack=stack, sum=sum, vstack=vstack,
)  # fmt: skip
