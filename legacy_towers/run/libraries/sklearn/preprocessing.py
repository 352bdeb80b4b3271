"""sklearn.preprocessing, whose OneHotEncoder accepts `sparse`, as before scikit-learn 1.4."""
import functools
import inspect
from typing import Any

import sklearn.preprocessing as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
_NEW_NAME = "sparse_output"


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


@functools.wraps(_now.OneHotEncoder, updated=())
def OneHotEncoder(**options: Any) -> Any:  # noqa: N802
    if "sparse" in options and _NEW_NAME in inspect.signature(_now.OneHotEncoder).parameters:
        options[_NEW_NAME] = options.pop("sparse")
    return _now.OneHotEncoder(**options)
