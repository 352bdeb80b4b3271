"""yaml, whose `load` and `load_all` need no Loader, as before PyYAML 6.

Without one, they use FullLoader, as PyYAML 5.1 to 5.4 did: a file creates no objects of the script's own classes.
"""
from typing import Any

import yaml as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def load(stream: Any, Loader: Any = None) -> Any:
    return _now.load(stream, Loader or _now.FullLoader)


def load_all(stream: Any, Loader: Any = None) -> Any:
    return _now.load_all(stream, Loader or _now.FullLoader)
