"""scipy.integrate with `simps`, `trapz` and `cumtrapz`, which scipy 1.14 removed."""
from typing import Any

import scipy.integrate as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
for _old, _new in (("simps", "simpson"), ("trapz", "trapezoid"), ("cumtrapz", "cumulative_trapezoid")):
    if not hasattr(_now, _old):
        globals()[_old] = getattr(_now, _new)


def __getattr__(name: str) -> Any:
    return getattr(_now, name)
