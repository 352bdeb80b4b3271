"""collections with the abstract classes (Iterable, Mapping, ...), which only collections.abc has since Python 3.10."""
import collections as _now
from collections import abc

globals().update({name: getattr(abc, name) for name in abc.__all__})
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = list(_now.__all__) + list(abc.__all__)
