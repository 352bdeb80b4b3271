"""Methods and conversions that Python and numpy took from their own types, as `rewriting` puts them into scripts.

A type of C can't be given a method back; so where a script writes `picture.tostring()`, it runs
`attribute(picture, "tostring")()`.
"""
import array
import functools
import io
import operator
import os
import threading
import xml.etree.ElementTree
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from legacy_towers.oldtf import current
from legacy_towers.oldtf.changed import mixed_numbers, quotients, scalars


def _item_set(values: np.ndarray, *arguments: Any) -> None:
    if len(arguments) == 1:
        values[(0,) * values.ndim] = arguments[0]
    elif isinstance(arguments[0], tuple):
        values[arguments[0]] = arguments[1]
    elif len(arguments) == 2:
        values.flat[arguments[0]] = arguments[1]
    else:
        values[tuple(arguments[:-1])] = arguments[-1]


def _other_byte_order(values: np.ndarray, new_order: Any = "S") -> np.ndarray:
    return values.view(values.dtype.newbyteorder(new_order))


# Name -> the types that had it, and what does it now, called with the value and the method's own arguments.
METHODS: Dict[str, List[Tuple[type, Callable[..., Any]]]] = {
    "tostring": [
        (np.ndarray, np.ndarray.tobytes),
        (np.generic, np.generic.tobytes),
        (array.array, array.array.tobytes),
    ],
    "fromstring": [(array.array, array.array.frombytes)],
    "itemset": [(np.ndarray, _item_set)],
    "newbyteorder": [(np.ndarray, _other_byte_order)],
    "ptp": [(np.ndarray, np.ptp)],
    "isAlive": [(threading.Thread, threading.Thread.is_alive)],
    "getchildren": [(xml.etree.ElementTree.Element, list)],
    "getiterator": [
        (xml.etree.ElementTree.Element, lambda node, tag=None: list(node.iter(tag))),
        (xml.etree.ElementTree.ElementTree, lambda tree, tag=None: list(tree.iter(tag))),
    ],
}


def _classes(model: Any, x: Any, batch_size: Any = 32, verbose: int = 0) -> np.ndarray:
    found = model.predict(x, batch_size=batch_size, verbose=verbose)
    return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")


def _probabilities(model: Any, x: Any, batch_size: Any = 32, verbose: int = 0) -> np.ndarray:
    return model.predict(x, batch_size=batch_size, verbose=verbose)


# What tf.keras.Sequential had until TensorFlow 2.6.
_OF_MODELS = {"predict_classes": _classes, "predict_proba": _probabilities}
# Private lists of tf.Operation that public scripts read (gradient checkpointing), and where they are since 2.12.
_OF_OPERATIONS = {"_outputs": "outputs", "_inputs": "inputs"}
# What scipy's sparse matrices had as attributes until scipy 1.14.
_OF_SPARSE: Dict[str, Callable[[Any], Any]] = {
    "A": lambda matrix: matrix.toarray(),
    "H": lambda matrix: matrix.conj().transpose(),
}


def _prefetch(dataset: Any, *arguments: Any, **options: Any) -> Any:
    # TensorFlow 2 hands on whether the number is -1: of numpy's integers, that is no truth value of Python's.
    plain = [each.item() if isinstance(each, np.integer) else each for each in arguments]
    options = {key: each.item() if isinstance(each, np.integer) else each for key, each in options.items()}
    return dataset.prefetch(*plain, **options)


def _initialized_value(variable: Any) -> Any:
    """Returns what a resource variable holds, or will be initialized with; TensorFlow 2.x leaves that out of it."""
    from legacy_towers.compat import tf

    with tf.init_scope():
        return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)


def _of_int64(name: str) -> Callable[..., Any]:
    # num_parallel_calls was an int32; TensorFlow 2 has an int64, and converts numbers to it, but no tensors.
    def called(dataset: Any, *arguments: Any, **options: Any) -> Any:
        from legacy_towers.compat import tf

        def wide(value: Any) -> Any:
            return tf.cast(value, tf.int64) if isinstance(value, tf.Tensor) and value.dtype == tf.int32 else value

        options = {key: wide(each) for key, each in options.items()}
        return getattr(dataset, name)(*map(wide, arguments), **options)

    return called


# Name -> the name of a class that still has it, and what takes all that it took.
NARROWED: Dict[str, Tuple[str, Callable[..., Any]]] = {
    "initialized_value": ("BaseResourceVariable", _initialized_value),
    "prefetch": ("DatasetV2", _prefetch),
    "map": ("DatasetV2", _of_int64("map")),
    "interleave": ("DatasetV2", _of_int64("interleave")),
}


def attribute(value: Any, name: str) -> Any:
    """Returns `value.name`, or what did the same where the type of `value` has it no longer, or takes less."""
    try:
        found = getattr(value, name)
        if name in NARROWED and NARROWED[name][0] in (base.__name__ for base in type(value).__mro__):
            return functools.partial(NARROWED[name][1], value)
        return found
    except AttributeError:
        for kind, does in METHODS.get(name, ()):
            if isinstance(value, kind):
                return functools.partial(does, value)
        if name == "errno" and value is os:
            import errno

            return errno
        if name in _OF_SPARSE and hasattr(value, "tocsr") and hasattr(value, "toarray"):
            return _OF_SPARSE[name](value)
        if name in _OF_MODELS and any(base.__name__ == "Sequential" for base in type(value).__mro__):
            return functools.partial(_OF_MODELS[name], value)
        if name in _OF_OPERATIONS and type(value).__name__ == "Operation" and hasattr(value, "node_def"):
            return getattr(value, _OF_OPERATIONS[name])
        raise


def number(kind: Callable[..., Any], *arguments: Any) -> Any:
    """Returns int(x) or float(x), of an array with one element too, whatever its dimensions."""
    if len(arguments) == 1 and type(arguments[0]) is np.ndarray:
        return kind(_one_number(arguments[0]))
    return kind(*arguments)


def type_of(value: Any) -> type:
    """Returns type(x), tf.Tensor for every tensor of a graph, as in 1.x: `if type(x) is tf.Tensor`.

    Since TensorFlow 2.14 such a tensor is of a class below it, and a quotient may be of one below float.
    """
    kind = type(value)
    if kind is quotients.WholeFloat:
        return float
    if kind.__name__ == "SymbolicTensor" and kind.__module__.startswith("tensorflow."):
        return next(base for base in kind.__mro__ if base.__name__ == "Tensor")
    return kind


def formatted(text: str, values: Any) -> str:
    """Returns text % values, where an array with one element counts as its number."""
    try:
        return text % values
    except TypeError:
        plain = tuple(map(_one_number, values)) if isinstance(values, tuple) else _one_number(values)
        if plain is values:
            raise
        return text % plain


def _one_number(value: Any) -> Any:
    return value.item() if type(value) is np.ndarray and value.size == 1 else value


def store(value: Any, target: Any, key: Any) -> None:
    """target[key] = value, where an array with one element counts as its number if an array takes no other.

    What the array's integers can't hold wraps around.
    """
    try:
        target[key] = value
    except OverflowError:
        if not isinstance(target, np.ndarray) or target.dtype.kind not in "iu":
            raise
        target[key] = np.asarray(value).astype(target.dtype)
    except (TypeError, ValueError):
        plain = mixed_numbers.unwrapped(value) if isinstance(value, list) else mixed_numbers.number_of(value)
        if plain is value or not isinstance(target, np.ndarray):
            raise
        target[key] = plain


def change(target: Any, key: Any, operation: str, value: Any) -> None:
    """target[key] += value, and the like: `operation` is "iadd" of the module operator."""
    try:
        found = scalars.in_place(getattr(operator, operation), target[key], value)
    except OverflowError:  # a number that these integers can't hold
        if not isinstance(target, np.ndarray):
            raise
        found = arithmetic(operation[1:], target[key], value).astype(target.dtype)
    store(found, target, key)


def arithmetic(operation: str, left: Any, right: Any) -> Any:
    """Returns left * right, and the like: `operation` is "mul" of the module operator; see `scalars.arithmetic`."""
    return scalars.arithmetic(getattr(operator, operation), left, right)


section = slice


def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
    """open(), in the mode "rU" too: all line ends are read as \\n, which is what "r" does."""
    if isinstance(mode, str) and "U" in mode:
        current.say_once("the mode {!r} of open".format(mode), repr(_without_u(mode)))
        mode = _without_u(mode)
    return io.open(file, mode, *arguments, **options)


def _without_u(mode: str) -> str:
    plain = mode.replace("U", "")
    return plain if "r" in plain else "r" + plain
