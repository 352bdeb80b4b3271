"""sklearn.manifold, whose TSNE accepts `n_iter`, as before scikit-learn 1.7, and has the defaults before 1.2."""
import functools
import inspect
from typing import Any

import sklearn.manifold as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
_NAMES = inspect.signature(_now.TSNE).parameters
# Defaults that scikit-learn 1.2 changed.
_DEFAULTS = {"init": "random", "learning_rate": 200.0}


@functools.wraps(_now.TSNE, updated=())
def TSNE(*arguments: Any, **options: Any) -> Any:  # noqa: N802
    options = dict(_DEFAULTS, **options)
    if "square_distances" not in _NAMES:
        options.pop("square_distances", None)
    if "n_iter" in options and "n_iter" not in _NAMES:
        options["max_iter"] = options.pop("n_iter")
    return _now.TSNE(*arguments, **options)
