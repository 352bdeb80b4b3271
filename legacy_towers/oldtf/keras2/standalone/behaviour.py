"""How the package `keras` of 2016 to 2019 was not tf.keras: its names of layers, its session, its arguments of Keras 1.

It lasts from a script's first import of keras to the script's end.
"""
import contextlib
import sys
from typing import Any, ContextManager, Dict, Iterator

from legacy_towers.compat import keras_classes, keras_modules, tf
from legacy_towers.oldtf import current
from legacy_towers.oldtf.keras2.standalone import old_arguments
from legacy_towers.oldtf.keras2.standalone.optimizers import CLASSES


def begin() -> None:
    """Lets Keras behave so while the script runs; where none runs, Keras stays as it is."""
    from legacy_towers.oldtf.launch import loader

    finder = loader.installed()
    if finder is not None:
        finder.lasting.enter_context(as_it_was())


@contextlib.contextmanager
def as_it_was() -> Iterator[None]:
    """Keras as the package had it, while it lasts."""
    with contextlib.ExitStack() as stack:
        for each in _changes():
            stack.enter_context(each)
        yield


def _changes() -> Iterator[ContextManager[None]]:
    # tf.keras's own recurrent layers inherit from what is changed here: they are made before.
    __import__("legacy_towers.oldtf.keras2.recurrent")
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
    """Returns `logs` with the accuracy under the name of Keras 2.2, val_acc, and of 2.3, val_accuracy."""
    twins = {name[: -len("acc")] + "accuracy": logs[name] for name in logs if name == "acc" or name.endswith("_acc")}
    return dict(twins, **logs)


def _is_of_script(cls: type) -> bool:
    run = current.running()
    file: Any = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return run is not None and isinstance(file, str) and run.owns(file)
