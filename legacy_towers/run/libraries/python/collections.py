"""collections with the abstract classes (Iterable, Mapping, ...), which only collections.abc has since Python 3.10."""
import collections as _now
from collections import abc

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
globals().update({name: getattr(abc, name) for name in abc.__all__ if name not in vars(_now)})
