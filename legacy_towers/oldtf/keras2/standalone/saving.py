"""Names of keras.engine.saving that Keras calls otherwise now."""
import importlib
import types
from typing import Any, Iterable

from legacy_towers.compat import keras_modules
from legacy_towers.oldtf.keras2.standalone.utils import is_all_none, to_list

_is_all_none, _to_list = is_all_none, to_list
# With an underscore until Keras 2.2.
_RENAMED = {
    "_load_attributes_from_hdf5_group": "load_attributes_from_hdf5_group",
    "_save_attributes_to_hdf5_group": "save_attributes_to_hdf5_group",
}


def load_weights_from_hdf5_group(f: Any, layers: Iterable[Any], reshape: bool = False) -> None:
    """Gives `layers` their weights from the group `f` of a file, in the order of both."""
    _format().load_weights_from_hdf5_group(f, _as_model(layers))


def load_weights_from_hdf5_group_by_name(
    f: Any, layers: Iterable[Any], skip_mismatch: bool = False, reshape: bool = False
) -> None:
    """Gives those of `layers` that the group `f` of a file has by name their weights."""
    _format().load_weights_from_hdf5_group_by_name(f, _as_model(layers), skip_mismatch=skip_mismatch)


def save_weights_to_hdf5_group(f: Any, layers: Iterable[Any]) -> None:
    _format().save_weights_to_hdf5_group(f, _as_model(layers))


def _format() -> Any:
    return keras_modules.source_module("saving.legacy.hdf5_format")


def _as_model(layers: Any) -> Any:
    # Keras asks for a model since, and takes its layers and what it has beside them.
    if hasattr(layers, "layers"):
        return layers
    found = list(layers)
    nothing: Any = {"_trainable_weights": [], "_non_trainable_weights": []}
    return types.SimpleNamespace(layers=found, name="model", _flatten_layers=lambda: iter(found), **nothing)


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(name)
    return getattr(importlib.import_module("legacy_towers.oldtf.keras.engine.saving"), _RENAMED[name])
