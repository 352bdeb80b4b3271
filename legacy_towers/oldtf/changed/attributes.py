"""Methods and attributes that Python, numpy, scipy and TensorFlow took from their own types, or narrowed.

A type of C can't be given a method back; so where a script writes `picture.tostring()`, it runs
`attribute(picture, "tostring")()`.
"""
import array
import functools
import os
import threading
import xml.etree.ElementTree
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from legacy_towers.oldtf.changed import pictures


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
OF_MODELS = {"predict_classes": _classes, "predict_proba": _probabilities}
# What the package keras noted on its tensors.
OF_TENSORS: Dict[str, Callable[[Any], Any]] = {
    "_keras_shape": lambda tensor: None if tensor.shape.rank is None else tuple(tensor.shape.as_list()),
}
# Private lists of tf.Operation that public scripts read (gradient checkpointing), and where they are since 2.12.
OF_OPERATIONS = {"_outputs": "outputs", "_inputs": "inputs", "_control_inputs": "control_inputs"}
# What scipy's sparse matrices had as attributes until scipy 1.14.
OF_SPARSE: Dict[str, Callable[[Any], Any]] = {
    "A": lambda matrix: matrix.toarray(),
    "H": lambda matrix: matrix.conj().transpose(),
}


def _prefetch(dataset: Any, *arguments: Any, **options: Any) -> Any:
    # TensorFlow 2 hands on whether the number is -1: of numpy's integers, that is no truth value of Python's.
    plain = [each.item() if isinstance(each, np.integer) else each for each in arguments]
    options = {key: each.item() if isinstance(each, np.integer) else each for key, each in options.items()}
    return dataset.prefetch(*plain, **options)


def _initialized_value(variable: Any) -> Any:
    from legacy_towers.compat import variable_values  # only where a script has TensorFlow

    return variable_values.initialized_value(variable)


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


def _asked_device(value: Any, device: Any) -> Any:
    """Returns the device that a script gave a tensor, operation or variable, which may be a GPU that is not there."""
    if not isinstance(device, str):
        return device
    operation = getattr(value, "op", value)
    asked = getattr(getattr(operation, "graph", None), "asked_devices", {})
    if not asked or operation.name in asked:
        return asked.get(operation.name, device) if asked else device
    # A slot of an optimizer is put where its variable is, by no scope.
    for group in operation.colocation_groups():
        other = group.decode()[len("loc:@") :]
        if other in asked and operation.graph.get_operation_by_name(other).device == device:
            return asked[other]
    return device


def attribute(value: Any, name: str) -> Any:
    """Returns `value.name`, or what did the same where the type of `value` has it no longer, or takes less."""
    try:
        found = getattr(value, name)
        if name in NARROWED and NARROWED[name][0] in (base.__name__ for base in type(value).__mro__):
            return functools.partial(NARROWED[name][1], value)
        return _asked_device(value, found) if name == "device" else found
    except AttributeError:
        for kind, does in METHODS.get(name, ()):
            if isinstance(value, kind):
                return functools.partial(does, value)
        if name == "errno" and value is os:
            import errno

            return errno
        if name in OF_SPARSE and hasattr(value, "tocsr") and hasattr(value, "toarray"):
            return OF_SPARSE[name](value)
        if name in OF_MODELS and any(base.__name__ == "Sequential" for base in type(value).__mro__):
            return functools.partial(OF_MODELS[name], value)
        if name in OF_TENSORS and hasattr(value, "shape"):
            return OF_TENSORS[name](value)
        if name in OF_OPERATIONS and type(value).__name__ == "Operation" and hasattr(value, "node_def"):
            return getattr(value, OF_OPERATIONS[name])
        of_picture = pictures.attribute(value, name)
        if of_picture is not None:
            return of_picture()
        raise
