"""scipy.linalg with `pinv2`, which scipy 1.9 removed."""
from typing import Any

import scipy.linalg as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
if not hasattr(_now, "pinv2"):
    pinv2 = _now.pinv


def __getattr__(name: str) -> Any:
    return getattr(_now, name)
