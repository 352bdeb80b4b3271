"""tf.keras as scripts of TensorFlow 1.x know it: Keras 2. What builds models is refused where only Keras 3 is there."""
import functools
import importlib
from typing import Any

from legacy_towers.compat import keras as chosen
from legacy_towers.compat import keras_classes, tf, versions
from legacy_towers.compat.view import ModuleView
from legacy_towers.errors import EnvironmentProblem
from legacy_towers.oldtf.keras2.provides import BUILDERS, RECURRENT


def _builder(name: str) -> Any:
    problem = chosen.keras_3_problem(versions.parse(tf.__version__))
    if problem is not None:
        raise EnvironmentProblem(problem)
    _as_on_1_15()
    found = getattr(tf.keras, name)
    if name == "Sequential":
        return _own("sequential", name)
    if name == "models":
        # At once, for models that are read from files.
        _own("sequential", "Sequential")
        served = {each: functools.partial(_own, "sequential", each) for each in ("Sequential", "clone_model")}
        return ModuleView("tf.keras.models", found, replaced=served)
    if name != "layers":
        return found
    recurrent = {each: functools.partial(_own, "recurrent", each) for each in RECURRENT}
    return ModuleView("tf.keras.layers", found, replaced=recurrent)


def _as_on_1_15() -> None:
    """Lets Keras's models do what they did, while the script runs; where none runs, they stay as they are."""
    from legacy_towers.oldtf.launch import loader

    finder = loader.installed()
    if finder is not None:
        _begin(finder)


@functools.lru_cache(maxsize=1)
def _begin(finder: Any) -> None:
    finder.lasting.enter_context(keras_classes.outputs_may_be_one_number())


def _own(file: str, name: str) -> Any:
    # Imported when asked for: it imports all of Keras.
    return getattr(importlib.import_module("legacy_towers.oldtf.keras2." + file), name)


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
    replaced=dict({name: functools.partial(_builder, name) for name in BUILDERS}, utils=_utils),
)
