"""What objects of Python 2 could be asked for: a function of the object for each name."""
import collections.abc
from typing import Any, Callable, Dict


def _mapping(value: Any) -> bool:
    return hasattr(value, "keys") and hasattr(value, "__getitem__")


def _function(value: Any) -> bool:
    return hasattr(value, "__code__")


def _method(value: Any) -> bool:
    return hasattr(value, "__func__")


def _always(value: Any) -> bool:
    return True


class _Old:
    """For a kind of object, how what it lacks is made."""

    def __init__(self, fits: Callable[[Any], bool], make: Callable[[Any], Any], meaning: str) -> None:
        self.fits = fits
        self.make = make
        self.meaning = meaning


_TABLE: Dict[str, _Old] = {
    "assertItemsEqual": _Old(_always, lambda value: value.assertCountEqual, ".assertCountEqual()"),
    "func_closure": _Old(_function, lambda value: value.__closure__, ".__closure__"),
    "func_code": _Old(_function, lambda value: value.__code__, ".__code__"),
    "func_defaults": _Old(_function, lambda value: value.__defaults__, ".__defaults__"),
    "func_dict": _Old(_function, lambda value: value.__dict__, ".__dict__"),
    "func_doc": _Old(_function, lambda value: value.__doc__, ".__doc__"),
    "func_globals": _Old(_function, lambda value: value.__globals__, ".__globals__"),
    "func_name": _Old(_function, lambda value: value.__name__, ".__name__"),
    "has_key": _Old(_mapping, lambda value: value.__contains__, "in"),
    "im_class": _Old(_method, lambda value: type(value.__self__), ".__self__.__class__"),
    "im_func": _Old(_method, lambda value: value.__func__, ".__func__"),
    "im_self": _Old(_method, lambda value: value.__self__, ".__self__"),
    "iteritems": _Old(_mapping, lambda value: lambda: iter(value.items()), ".items()"),
    "iterkeys": _Old(_mapping, lambda value: lambda: iter(value.keys()), ".keys()"),
    "itervalues": _Old(_mapping, lambda value: lambda: iter(value.values()), ".values()"),
    "message": _Old(
        lambda value: isinstance(value, BaseException), lambda value: value.args[0] if value.args else "", ".args[0]"
    ),
    "next": _Old(
        lambda value: isinstance(value, collections.abc.Iterator), lambda value: value.__next__, "next()"
    ),
    "viewitems": _Old(_mapping, lambda value: value.items, ".items()"),
    "viewkeys": _Old(_mapping, lambda value: value.keys, ".keys()"),
    "viewvalues": _Old(_mapping, lambda value: value.values, ".values()"),
}


def find(value: Any, name: str) -> Any:
    """Returns (what `value.name` was, what it is taken for), None where `value` never had it."""
    old = _TABLE[name]
    return (old.make(value), old.meaning) if old.fits(value) else None
