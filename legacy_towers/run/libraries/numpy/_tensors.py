"""Lists of symbolic tensors, of which numpy 1.18 makes arrays of objects, and newer versions none.

compat/patches/tensor_operands.py has the operators of arrays and such lists.

    np.array([loss, other]), np.shape([x, y])        two objects, shape (2,)
    np.sum([loss, other]), np.prod([size, 2])        loss + other, size * 2: a tensor
    np.multiply([0.5, 0.5], [loss, other])           two tensors

numpy asks each element for `__array__`, which raises an error in a symbolic tensor. numpy 1.18 ignores the error. A
tensor in place of the list is an error in all versions.
"""
import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as _now

# Functions that accept a list of tensors, as array_like or as a part of it, on TensorFlow 1.15 with numpy 1.18.
_FUNCTIONS = (
    "all", "amax", "amin", "any", "append", "argmax", "argmin", "argsort", "array", "array_split", "asanyarray",
    "asarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_2d", "atleast_3d",
    "broadcast_arrays", "broadcast_to", "copy", "cross", "cumprod", "cumsum", "delete", "diag", "diff", "expand_dims",
    "flip", "fliplr", "flipud", "full", "imag", "insert", "iscomplexobj", "isreal", "isrealobj", "ix_", "kron", "max",
    "mean", "meshgrid", "min", "moveaxis", "nan_to_num", "nansum", "ndim", "ones_like", "outer", "percentile", "prod",
    "product", "ravel", "real", "repeat", "reshape", "resize", "roll", "rollaxis", "shape", "size", "sort", "squeeze",
    "sum", "swapaxes", "take", "tile", "trace", "transpose", "tril", "triu", "unique", "zeros_like",
)  # fmt: skip
# These take a list of arrays.
_OF_LISTS = ("column_stack", "concatenate", "dstack", "hstack", "stack", "vstack")
_UFUNCS = (
    "abs", "absolute", "add", "divide", "equal", "floor_divide", "logical_and", "matmul", "mod", "multiply", "negative",
    "not_equal", "power", "reciprocal", "remainder", "square", "subtract", "true_divide",
)  # fmt: skip


def accepting_tensors(names: Dict[str, Any]) -> Dict[str, Any]:
    """Returns those of the functions `names` of numpy that take lists of tensors, each with its replacement."""
    found: Dict[str, Any] = {each: _with_tensors(names[each], _as_array) for each in _FUNCTIONS if each in names}
    found.update({each: _with_tensors(names[each], _as_arrays) for each in _OF_LISTS})
    found.update({each: _Ufunc(names[each]) for each in _UFUNCS})
    return found


def _with_tensors(function: Callable[..., Any], convert: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except NotImplementedError as error:
            converted = _converted(error, arguments, options, convert)
            if converted is None:
                raise
        return function(*converted[0], **converted[1])

    return called


class _Ufunc:
    """A ufunc that takes lists of tensors; `reduce`, `at` and its other attributes are those of numpy's."""

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc
        self._called = _with_tensors(ufunc, _as_array)
        self.__doc__ = ufunc.__doc__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._called(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name == "_ufunc":  # one that is being copied has none yet
            raise AttributeError(name)
        return getattr(self._ufunc, name)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _Ufunc, (self._ufunc,)

    def __repr__(self) -> str:
        return repr(self._ufunc)


def _converted(
    error: Exception, arguments: Tuple[Any, ...], options: Dict[str, Any], convert: Callable[[Any], Any]
) -> Optional[Tuple[List[Any], Dict[str, Any]]]:
    """Returns the arguments with arrays of objects in place of lists of tensors; None if there is no such list."""
    if "Cannot convert a symbolic" not in str(error) or not any(map(_has_tensor, (arguments, options.values()))):
        return None
    return list(map(convert, arguments)), {name: convert(value) for name, value in options.items()}


def _has_tensor(values: Any) -> bool:
    return any(isinstance(each, (list, tuple)) and _holds_tensor(each) for each in values)


def _holds_tensor(values: Any) -> bool:
    return any(_holds_tensor(each) if isinstance(each, (list, tuple)) else _is_tensor(each) for each in values)


def _is_tensor(value: Any) -> bool:
    from legacy_towers.compat import tf  # only where a script has TensorFlow

    return isinstance(value, tf.Tensor)


def _as_arrays(values: Any) -> Any:
    return [_as_array(each) for each in values] if isinstance(values, (list, tuple)) else values


def _as_array(value: Any) -> Any:
    """Returns a list that holds tensors as an array of objects; other values as they are."""
    if not isinstance(value, (list, tuple)) or not _holds_tensor(value):
        return value
    made = _now.array(_hidden(value), dtype=object)
    for index in _now.ndindex(made.shape):
        made[index] = _shown(made[index])
    return made


class _Hidden:
    """A tensor without the methods by which numpy would look for its elements."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


def _hidden(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_hidden(each) for each in value]
    return _Hidden(value) if _is_tensor(value) else value


def _shown(value: Any) -> Any:
    if isinstance(value, list):  # a list of another length than its neighbours
        return [_shown(each) for each in value]
    return value.tensor if isinstance(value, _Hidden) else value
