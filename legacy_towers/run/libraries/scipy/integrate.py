"""scipy.integrate with `simps`, `trapz` and `cumtrapz`, which scipy 1.14 removed."""

import scipy.integrate as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
for _old, _new in (("simps", "simpson"), ("trapz", "trapezoid"), ("cumtrapz", "cumulative_trapezoid")):
    if not hasattr(_now, _old):
        globals()[_old] = getattr(_now, _new)
