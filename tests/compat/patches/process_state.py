"""Snapshots of the state of a process that a library could change for others, and their differences."""
import logging
import os
import sys
import threading
import types
import warnings

_LIBRARIES = ("tensorflow", "tensorflow_core", "keras", "tf_keras")
# Types of attributes that TensorFlow's own code changes while it runs, such as counters.
_COUNTED = (int, float, str, bytes, dict, list, set, type(None))


def _attributes(name, owner):
    """Yields (dotted name, value) for what is defined in the module or class `owner`."""
    for key, value in list(vars(owner).items()):
        if not isinstance(value, _COUNTED) and not (isinstance(value, tuple) and key.startswith("__")):
            yield "{}.{}".format(name, key), value
            if isinstance(value, type) and isinstance(owner, types.ModuleType) and value.__module__ == name:
                for found in _attributes("{}.{}".format(name, key), value):
                    yield found


def of_libraries():
    """Returns dotted name -> object for all modules of TensorFlow and Keras that are loaded, and for their classes."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in _LIBRARIES and type(module) is types.ModuleType:
            found[name] = module
            found.update(_attributes(name, module))
    # Of these two objects a patch replaces the class and an attribute.
    from tensorflow.python.framework import ops
    from tensorflow.python.util import tf_stack

    found["tensorflow.python.framework.ops._default_graph_stack"] = type(ops._default_graph_stack)
    found["tensorflow.python.util.tf_stack._source_filter_stacks"] = tf_stack._source_filter_stacks.default_factory
    return found


def of_process():
    """Returns name -> value for the state of the process that belongs to no single library."""
    found = {"os.environ": dict(os.environ), "sys.meta_path": list(map(type, sys.meta_path)), "sys.path": sys.path[:]}
    found["threading.excepthook"] = getattr(threading, "excepthook", None)
    found["sys.excepthook"] = sys.excepthook
    found["warnings.filters"] = list(map(repr, warnings.filters))
    names = [name for name in sorted(logging.root.manager.loggerDict) if not name.startswith("legacy_towers")]
    found["logging"] = {name: (logging.getLogger(name).filters[:], logging.getLogger(name).level) for name in names}
    if "numpy" in sys.modules:
        found["numpy.get_printoptions"] = repr(sys.modules["numpy"].get_printoptions())
    return found


def changed(before, after):
    """Returns the names whose values differ (in libraries: other objects), and new attributes of classes."""
    found = [name for name in set(after) - set(before) if isinstance(before.get(name.rpartition(".")[0]), type)]
    for name in set(before) & set(after):
        if before[name] is not after[name] and (name.split(".")[0] in _LIBRARIES or before[name] != after[name]):
            found.append(name)
    return sorted(found)
