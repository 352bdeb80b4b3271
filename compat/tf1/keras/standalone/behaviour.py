"""The behaviour of the package `keras` of 2016 to 2019 that differs from tf.keras: names of layers, session, arguments.

It applies from a script's first import of keras to the script's end.
"""
import contextlib
import sys
from typing import Any, ContextManager, Dict, Iterator

from legacy_towers.compat.patches import keras_classes
from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.keras.standalone import old_arguments
from legacy_towers.compat.tf1.keras.standalone.optimizers import CLASSES
from legacy_towers.compat.versions import keras_modules, tf


def begin() -> None:
    """Applies the patches until the running script ends; does nothing if no script runs."""
    run = user_script.running()
    if run is not None:
        run.lasting.enter_context(of_standalone_keras())


@contextlib.contextmanager
def of_standalone_keras() -> Iterator[None]:
    """Patches Keras to behave like the package `keras`."""
    with contextlib.ExitStack() as stack:
        for each in _changes():
            stack.enter_context(each)
        yield


def _changes() -> Iterator[ContextManager[None]]:
    # Imported first, since its classes inherit from classes that are patched here.
    __import__("legacy_towers.compat.tf1.keras.recurrent")
    yield keras_classes.layers_are_named_from_one()
    yield keras_classes.threads_share_the_session()
    yield keras_classes.shapes_are_tuples(_is_of_script)
    yield keras_classes.configs_may_lack_arguments()
    yield keras_classes.attributes_are_plain()
    yield keras_classes.losses_stay_tensors()
    yield keras_classes.outputs_may_be_one_number()
    yield keras_classes.logs_of_epochs_are(_with_both_names)
    layers = {name: getattr(tf.keras.layers, name) for name in old_arguments.NAMES}
    yield keras_classes.arguments_are({each: old_arguments.of_layer(name) for name, each in layers.items()})
    yield keras_classes.models_are_made_of(old_arguments.of_model)
    for name in old_arguments.METHODS:
        yield keras_classes.method_arguments_are(name, old_arguments.of_method(name))
    optimizers = keras_modules.source_module("optimizers.optimizer_v1")
    yield keras_classes.arguments_are({getattr(optimizers, name): old_arguments.of_optimizer for name in CLASSES})


def _with_both_names(logs: Dict[str, Any]) -> Dict[str, Any]:
    """Returns `logs` with the accuracy under its names of Keras 2.2, val_acc, and of 2.3, val_accuracy."""
    added = {name[: -len("acc")] + "accuracy": logs[name] for name in logs if name == "acc" or name.endswith("_acc")}
    return dict(added, **logs)


def _is_of_script(cls: type) -> bool:
    run = user_script.running()
    file: Any = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return run is not None and isinstance(file, str) and run.owns(file)
