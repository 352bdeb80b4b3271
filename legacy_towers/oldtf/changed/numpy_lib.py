"""numpy.lib, in which all was found that numpy defined in Python: np.lib.pad, np.lib.arraysetops.unique.

It stands for the modules below numpy.lib too that numpy 2 closed.
"""
import sys
from typing import Any

import numpy as _now

from legacy_towers.oldtf.changed.libraries import CLOSED as _CLOSED


def __getattr__(name: str) -> Any:
    from legacy_towers.oldtf.changed import numpy_view

    if name.startswith("__"):
        raise AttributeError(name)
    if hasattr(_now.lib, name):
        return getattr(_now.lib, name)
    return sys.modules[__name__] if name in _CLOSED else getattr(numpy_view, name)
