"""scipy.linalg with `pinv2`, which scipy 1.9 removed."""

import scipy.linalg as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
if not hasattr(_now, "pinv2"):
    pinv2 = _now.pinv
