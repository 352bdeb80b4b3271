"""Names of keras.engine.saving that Keras calls otherwise now."""
import importlib
from typing import Any

from legacy_towers.oldtf.keras2.standalone.utils import is_all_none, to_list

_is_all_none, _to_list = is_all_none, to_list
# With an underscore until Keras 2.2.
_RENAMED = {
    "_load_attributes_from_hdf5_group": "load_attributes_from_hdf5_group",
    "_save_attributes_to_hdf5_group": "save_attributes_to_hdf5_group",
}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(name)
    return getattr(importlib.import_module("legacy_towers.oldtf.keras.engine.saving"), _RENAMED[name])
