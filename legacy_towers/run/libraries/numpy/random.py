"""numpy.random, whose permutation and choice accept lists of different lengths."""
import sys
from typing import Any

import numpy.random as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def permutation(x: Any) -> Any:
    """numpy.random.permutation, of lists of different lengths too."""
    return _now.permutation(_array(x))


def choice(a: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.random.choice, of lists of different lengths too."""
    return _now.choice(_array(a), *arguments, **options)


def _array(values: Any) -> Any:
    numpy = sys.modules[__package__]
    return numpy.array(values) if isinstance(values, (list, tuple)) else values
