"""tf.keras of the view: Keras 2. Names that build models raise an error if only Keras 3 is installed."""
import functools
import importlib
from typing import Any

from legacy_towers.compat.patches import keras_classes, keras_layers
from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.keras import orders
from legacy_towers.compat.tf1.keras.builders import BUILDERS, RECURRENT
from legacy_towers.compat.versions import keras as chosen
from legacy_towers.compat.versions import supported, tf
from legacy_towers.compat.versions.module_view import ModuleView
from legacy_towers.errors import EnvironmentProblem


def _with_orders(name: str) -> Any:
    if chosen.keras_3_problem(supported.parse(tf.__version__)) is None:
        patch_models()
    return getattr(tf.keras, name)


def _builder(name: str) -> Any:
    problem = chosen.keras_3_problem(supported.parse(tf.__version__))
    if problem is not None:
        raise EnvironmentProblem(problem)
    patch_models()
    found = getattr(tf.keras, name)
    if name == "Sequential":
        return _own("sequential", name)
    if name == "models":
        # Imported now, since models that are loaded from files use it.
        _own("sequential", "Sequential")
        replaced = {each: functools.partial(_own, "sequential", each) for each in ("Sequential", "clone_model")}
        return ModuleView("tf.keras.models", found, replaced=replaced)
    if name != "layers":
        return found
    recurrent = {each: functools.partial(_own, "recurrent", each) for each in RECURRENT}
    return ModuleView("tf.keras.layers", found, replaced=recurrent)


def patch_models() -> None:
    """Patches Keras's models until the running script ends; does nothing if no script runs."""
    run = user_script.running()
    if run is not None:
        _patch_models_once(run)


@functools.lru_cache(maxsize=1)
def _patch_models_once(run: user_script.ScriptRun) -> None:
    run.lasting.enter_context(keras_classes.outputs_may_be_one_number())
    if not tf.__version__.startswith("1.15"):
        run.lasting.enter_context(keras_layers.layers_have_methods_of_1_15())
        run.lasting.enter_context(keras_classes.arguments_are(orders.of_classes()))
        for name, change in orders.of_methods().items():
            run.lasting.enter_context(keras_classes.method_arguments_are(name, change))


def _own(file: str, name: str) -> Any:
    # Imported at the first use: it imports all of Keras.
    return getattr(importlib.import_module("legacy_towers.compat.tf1.keras." + file), name)


def _utils() -> Any:
    return ModuleView(
        "tf.keras.utils",
        tf.keras.utils,
        replaced={
            "multi_gpu_model": lambda: _own("multi_gpu", "multi_gpu_model"),
            "HDF5Matrix": lambda: _own("hdf5", "HDF5Matrix"),
        },
    )


keras = ModuleView(
    "tf.keras",
    tf.keras,
    replaced=dict(
        {name: functools.partial(_builder, name) for name in BUILDERS},
        utils=_utils,
        **{name: functools.partial(_with_orders, name) for name in ("losses", "metrics", "preprocessing")}
    ),
)
