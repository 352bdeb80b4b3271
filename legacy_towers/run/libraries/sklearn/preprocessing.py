"""sklearn.preprocessing, whose OneHotEncoder accepts `sparse`, as before scikit-learn 1.4."""
import functools
import inspect
from typing import Any

import sklearn.preprocessing as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
_NEW_NAME = "sparse_output"


@functools.wraps(_now.OneHotEncoder, updated=())
def OneHotEncoder(**options: Any) -> Any:  # noqa: N802
    if "sparse" in options and _NEW_NAME in inspect.signature(_now.OneHotEncoder).parameters:
        options[_NEW_NAME] = options.pop("sparse")
    return _now.OneHotEncoder(**options)
