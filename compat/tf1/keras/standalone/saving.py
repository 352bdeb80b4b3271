"""Names of keras.engine.saving that later versions of Keras renamed."""
import types
from typing import Any, Iterable

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.keras.standalone.utils import is_all_none, to_list
from legacy_towers.compat.versions import keras_modules

_is_all_none, _to_list = is_all_none, to_list
# Names with an underscore up to Keras 2.2.
_RENAMED = {
    "_load_attributes_from_hdf5_group": "load_attributes_from_hdf5_group",
    "_save_attributes_to_hdf5_group": "save_attributes_to_hdf5_group",
}


def load_weights_from_hdf5_group(f: Any, layers: Iterable[Any], reshape: bool = False) -> None:
    """Loads the weights of `layers` from the HDF5 group `f`, in their order."""
    _format().load_weights_from_hdf5_group(f, _as_model(layers))


def load_weights_from_hdf5_group_by_name(
    f: Any, layers: Iterable[Any], skip_mismatch: bool = False, reshape: bool = False
) -> None:
    """Loads the weights of those `layers` whose names are in the HDF5 group `f`."""
    _format().load_weights_from_hdf5_group_by_name(f, _as_model(layers), skip_mismatch=skip_mismatch)


def save_weights_to_hdf5_group(f: Any, layers: Iterable[Any]) -> None:
    """Saves the weights of `layers` in the HDF5 group `f`."""
    _format().save_weights_to_hdf5_group(f, _as_model(layers))


def _format() -> Any:
    return keras_modules.source_module("saving.legacy.hdf5_format")


def _as_model(layers: Any) -> Any:
    # Later versions of Keras expect a model, and save its layers and its own weights.
    if hasattr(layers, "layers"):
        return layers
    found = list(layers)
    nothing: Any = {"_trainable_weights": [], "_non_trainable_weights": []}
    return types.SimpleNamespace(layers=found, name="model", _flatten_layers=lambda: iter(found), **nothing)


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(name)
    return getattr(script_api.module("keras.engine.saving"), _RENAMED[name])
