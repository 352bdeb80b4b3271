"""numpy.random, whose permutation and choice accept lists of different lengths."""
import sys
from typing import Any

import numpy.random as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


def permutation(x: Any) -> Any:
    """numpy.random.permutation, of lists of different lengths too."""
    return _now.permutation(_array(x))


def choice(a: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.random.choice, of lists of different lengths too."""
    return _now.choice(_array(a), *arguments, **options)


def _array(values: Any) -> Any:
    numpy = sys.modules[__package__]
    return numpy.array(values) if isinstance(values, (list, tuple)) else values
