"""numpy.lib with the functions of its submodules: np.lib.pad, np.lib.arraysetops.unique.

It also replaces the submodules of numpy.lib that are private since numpy 2.
"""
import sys
from typing import Any

import numpy as _now

from legacy_towers.run.libraries.needed import PRIVATE_SINCE_NUMPY_2
from legacy_towers.run.libraries.views import OF_IMPORTS as _OF_IMPORTS


def __getattr__(name: str) -> Any:
    if name in _OF_IMPORTS and name != "__all__":
        raise AttributeError(name)
    if name == "__all__" or hasattr(_now.lib, name):
        return getattr(_now.lib, name)
    return sys.modules[__name__] if name in PRIVATE_SINCE_NUMPY_2 else getattr(sys.modules[__package__], name)
