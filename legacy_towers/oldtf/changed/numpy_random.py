"""numpy.random, which shuffles and chooses from lists of different lengths too."""
from typing import Any

import numpy.random as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


def permutation(x: Any) -> Any:
    """numpy.random.permutation."""
    return _now.permutation(_array(x))


def choice(a: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.random.choice."""
    return _now.choice(_array(a), *arguments, **options)


def _array(values: Any) -> Any:
    from legacy_towers.oldtf.changed import numpy_view

    return numpy_view.array(values) if isinstance(values, (list, tuple)) else values
