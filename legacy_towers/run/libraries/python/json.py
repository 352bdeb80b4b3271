"""json, whose `load` and `loads` accept an `encoding`, which they ignore, as before Python 3.9."""
import json as _now
from typing import Any

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def loads(s: Any, *arguments: Any, encoding: Any = None, **options: Any) -> Any:
    return _now.loads(s, *arguments, **options)


def load(fp: Any, *arguments: Any, encoding: Any = None, **options: Any) -> Any:
    return _now.load(fp, *arguments, **options)
