"""scipy with `scipy.misc`, and with the names of numpy that scipy passed on."""
from typing import Any

import scipy as _now

from legacy_towers.oldtf.changed import scipy_misc as misc

__all__ = ["misc"]
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_") and name != "misc"})
__version__ = _now.__version__


def __getattr__(name: str) -> Any:
    try:
        return getattr(_now, name)
    except AttributeError:
        from legacy_towers.oldtf.changed import numpy_view

        if name in numpy_view.__all__:
            return getattr(numpy_view, name)
        raise
