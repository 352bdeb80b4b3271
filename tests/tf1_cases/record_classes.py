"""Records the methods and properties of the public classes of TensorFlow 1.15, for `known_classes`.

    python -m tf1_cases.record_classes ../compat/tf1/recorded       in tests/, with TensorFlow 1.15 installed

It writes `classes_1_15.txt`. A class is recorded under the name of the module that defines it, with its bases, and then
its own public attributes, methods with their arguments; public names of classes come last:

    tensorflow.python.keras.layers.core.Dropout(tensorflow.python.keras.engine.base_layer.Layer)
     call(inputs training=None)
     compute_output_shape(input_shape)
     rate
    tensorflow.keras.layers.Dropout = tensorflow.python.keras.layers.core.Dropout

An attribute that an instance gets in `__init__` alone is recorded if the source of the class assigns it. tf.contrib and
the messages of protobuf are left out.
"""
import ast
import importlib
import inspect
import os
import sys
import textwrap
from typing import Any, Dict, List, Set

from tf1_cases import record_names

FILE = "classes_1_15.txt"
# Names with underscores that scripts use: of models, layers, cells and optimizers.
_USED = frozenset(
    "__call__ __init__ _apply_dense _apply_sparse _assert_compile_was_called _call_fn_args _create_slots"
    " _feed_inputs _feed_targets _finish _get_or_make_slot _inbound_nodes _initial_weights _keras_shape _losses"
    " _make_predict_function _make_test_function _make_train_function _name _non_trainable_weights _outbound_nodes"
    " _prepare _resource_apply_dense _reuse _scope _standardize_user_data _trainable_weights _updates"
    " _zeros_slot".split()
)
_ROOTS = ("tensorflow", "tensorflow_core", "tensorflow_estimator")


def public_classes() -> Dict[str, Any]:
    """Returns public name -> class, for tf and the modules below it without tf.contrib."""
    found = {}
    for module, names in record_names.public_modules().items():
        if module.startswith("tensorflow.contrib"):
            continue
        holder: Any = importlib.import_module("tensorflow")
        try:
            for part in module.split(".")[1:]:
                holder = getattr(holder, part)
        except AttributeError:
            continue
        for name in names:
            value = getattr(holder, name, None)
            if isinstance(value, type) and _is_recorded(value):
                found["{}.{}".format(module, name)] = value
    return found


def _is_recorded(value: type) -> bool:
    is_message = any("protobuf" in base.__module__ for base in value.__mro__)
    return value.__module__.split(".")[0] in _ROOTS and not is_message and not issubclass(value, BaseException)


def home(value: type) -> str:
    """Returns the name of a class in the module that defines it."""
    module = value.__module__.replace("tensorflow_core", "tensorflow")
    return "{}.{}".format(module, value.__qualname__)


def attributes(value: type) -> List[str]:
    """Returns the public attributes that the class itself defines, methods with their arguments."""
    found: Dict[str, str] = {}
    for name, each in vars(value).items():
        if not name.startswith("_") or name in _USED:
            found[name] = name + _arguments(each)
    for name in _assigned(value):
        if not name.startswith("_") or name in _USED:
            found.setdefault(name, name)
    return [found[name] for name in sorted(found)]


def _arguments(value: Any) -> str:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property) or not callable(value) or isinstance(value, type):
        return ""
    decorator = getattr(value, "_tf_decorator", None)
    try:
        spec = decorator.decorator_argspec if decorator is not None and decorator.decorator_argspec else None
        spec = spec or inspect.getfullargspec(inspect.unwrap(value))
    except TypeError:
        return ""
    written = record_names._written(spec)
    return "({})".format(" ".join(each for each in written.split() if each not in ("cls", "self")))


def _assigned(value: type) -> Set[str]:
    """Returns the attributes of self that the methods of the class itself assign."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {
        node.attr for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name) and node.value.id == "self"
    }


def lines(classes: Dict[str, Any]) -> List[str]:
    """Returns the lines of the file."""
    every: Dict[str, Any] = {}
    for value in classes.values():
        for base in value.__mro__:
            if _is_recorded(base):
                every[home(base)] = base
    found = []
    for name in sorted(every):
        bases = [home(base) for base in every[name].__mro__[1:] if _is_recorded(base)]
        found.append("{}({})".format(name, " ".join(bases)))
        found += [" " + each for each in attributes(every[name])]
    return found + ["{} = {}".format(name, home(classes[name])) for name in sorted(classes)]


def main(folder: str) -> None:
    with open(os.path.join(folder, FILE), "w", encoding="utf-8") as file:
        file.write("\n".join(lines(public_classes())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
