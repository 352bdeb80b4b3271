"""json, whose `load` and `loads` accept an `encoding`, which they ignore, as before Python 3.9."""
import json as _now
from typing import Any

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = list(_now.__all__)


def loads(s: Any, *arguments: Any, encoding: Any = None, **options: Any) -> Any:
    return _now.loads(s, *arguments, **options)


def load(fp: Any, *arguments: Any, encoding: Any = None, **options: Any) -> Any:
    return _now.load(fp, *arguments, **options)
