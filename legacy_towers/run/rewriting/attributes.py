"""Methods and attributes that Python, numpy, scipy and TensorFlow removed from their types or whose arguments changed.

Methods can't be added to types that are written in C, so `picture.tostring()` in a script is rewritten to
`attribute(picture, "tostring")()`.
"""
import array
import functools
import os
import threading
import xml.etree.ElementTree
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.keras import predictions
from legacy_towers.run.rewriting import picture_libraries


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


# Name -> (type, function) for the types that had the method; the function gets the object and the arguments.
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


# Attributes that standalone keras set on its tensors.
OF_TENSORS: Dict[str, Callable[[Any], Any]] = {
    "_value_index": lambda tensor: tensor.value_index,
    "_keras_shape": lambda tensor: None if tensor.shape.rank is None else tuple(tensor.shape.as_list()),
}
# Private attributes of tf.Operation that scripts read (gradient checkpointing) -> their names since TensorFlow 2.12.
OF_OPERATIONS = {"_outputs": "outputs", "_inputs": "inputs", "_control_inputs": "control_inputs", "_graph": "graph"}
# Methods of tf.TensorArray that TensorFlow 1.0 renamed.
OF_TENSOR_ARRAYS = {"pack": "stack", "unpack": "unstack"}
# Attributes of scipy's sparse matrices that scipy 1.14 removed.
OF_SPARSE: Dict[str, Callable[[Any], Any]] = {
    "A": lambda matrix: matrix.toarray(),
    "H": lambda matrix: matrix.conj().transpose(),
}


def _prefetch(dataset: Any, *arguments: Any, **options: Any) -> Any:
    # TensorFlow 2 passes `buffer_size == -1` on, which must be a bool and not a numpy bool.
    plain = [each.item() if isinstance(each, np.integer) else each for each in arguments]
    options = {key: each.item() if isinstance(each, np.integer) else each for key, each in options.items()}
    return dataset.prefetch(*plain, **options)


def _initialized_value(variable: Any) -> Any:
    from legacy_towers.compat.tf1.contrib.private import variable_values  # only where a script has TensorFlow

    return variable_values.initialized_value(variable)


def _of_int64(name: str) -> Callable[..., Any]:
    # num_parallel_calls is int64 in TensorFlow 2, which converts numbers, but not int32 tensors.
    def called(dataset: Any, *arguments: Any, **options: Any) -> Any:
        from legacy_towers.compat import tf

        def wide(value: Any) -> Any:
            return tf.cast(value, tf.int64) if isinstance(value, tf.Tensor) and value.dtype == tf.int32 else value

        options = {key: wide(each) for key, each in options.items()}
        return getattr(dataset, name)(*map(wide, arguments), **options)

    return called


# Name -> (the class that has the method, a function that accepts the arguments of TensorFlow 1.x).
NARROWED: Dict[str, Tuple[str, Callable[..., Any]]] = {
    "initialized_value": ("BaseResourceVariable", _initialized_value),
    "prefetch": ("DatasetV2", _prefetch),
    "map": ("DatasetV2", _of_int64("map")),
    "interleave": ("DatasetV2", _of_int64("interleave")),
}


def _requested_device(value: Any, device: Any) -> Any:
    """Returns the device that the script requested for a tensor, op or variable; `device` if it was not mapped."""
    if not isinstance(device, str):
        return device
    operation = getattr(value, "op", value)
    requested = getattr(getattr(operation, "graph", None), "requested_devices", {})
    if not requested or operation.name in requested:
        return requested.get(operation.name, device) if requested else device
    # The slot of an optimizer is colocated with its variable, without a device scope.
    for group in operation.colocation_groups():
        other = group.decode()[len("loc:@") :]
        if other in requested and operation.graph.get_operation_by_name(other).device == device:
            return requested[other]
    return device


def attribute(value: Any, name: str) -> Any:
    """Returns `value.name`, or a replacement if the type of `value` lacks it or its arguments changed.

    Raises:
      AttributeError: `value` has no such attribute, and never had it.
    """
    try:
        found = getattr(value, name)
        if name in NARROWED and NARROWED[name][0] in (base.__name__ for base in type(value).__mro__):
            return functools.partial(NARROWED[name][1], value)
        return _requested_device(value, found) if name == "device" else found
    except AttributeError:
        for kind, function in METHODS.get(name, ()):
            if isinstance(value, kind):
                return functools.partial(function, value)
        if name == "errno" and value is os:
            import errno

            return errno
        if name in OF_SPARSE and hasattr(value, "tocsr") and hasattr(value, "toarray"):
            return OF_SPARSE[name](value)
        if name in predictions.OF_MODELS and any(base.__name__ == "Sequential" for base in type(value).__mro__):
            return functools.partial(predictions.OF_MODELS[name], value)
        # By its attributes, since TensorFlow wraps the result of `write` in another class.
        if name in OF_TENSOR_ARRAYS and hasattr(value, "flow") and hasattr(value, OF_TENSOR_ARRAYS[name]):
            user_script.report_replacement("{} of a tf.TensorArray".format(name), OF_TENSOR_ARRAYS[name])
            return getattr(value, OF_TENSOR_ARRAYS[name])
        if name in OF_TENSORS and hasattr(value, "shape"):
            return OF_TENSORS[name](value)
        if name in OF_OPERATIONS and type(value).__name__ == "Operation" and hasattr(value, "node_def"):
            return getattr(value, OF_OPERATIONS[name])
        get = picture_libraries.attribute(value, name)
        if get is not None:
            return get()
        raise
