"""Methods and attributes of Python 2's objects: for each name, a function that returns it for an object."""
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


class _Attribute:
    """An attribute of Python 2.

    Args:
      belongs_to: returns whether an object had the attribute in Python 2.
      get: returns the attribute of an object.
      replacement: the attribute's name in Python 3.
    """

    def __init__(self, belongs_to: Callable[[Any], bool], get: Callable[[Any], Any], replacement: str) -> None:
        self.belongs_to = belongs_to
        self.get = get
        self.replacement = replacement


_TABLE: Dict[str, _Attribute] = {
    "assertItemsEqual": _Attribute(_always, lambda value: value.assertCountEqual, ".assertCountEqual()"),
    "func_closure": _Attribute(_function, lambda value: value.__closure__, ".__closure__"),
    "func_code": _Attribute(_function, lambda value: value.__code__, ".__code__"),
    "func_defaults": _Attribute(_function, lambda value: value.__defaults__, ".__defaults__"),
    "func_dict": _Attribute(_function, lambda value: value.__dict__, ".__dict__"),
    "func_doc": _Attribute(_function, lambda value: value.__doc__, ".__doc__"),
    "func_globals": _Attribute(_function, lambda value: value.__globals__, ".__globals__"),
    "func_name": _Attribute(_function, lambda value: value.__name__, ".__name__"),
    "has_key": _Attribute(_mapping, lambda value: value.__contains__, "in"),
    "im_class": _Attribute(_method, lambda value: type(value.__self__), ".__self__.__class__"),
    "im_func": _Attribute(_method, lambda value: value.__func__, ".__func__"),
    "im_self": _Attribute(_method, lambda value: value.__self__, ".__self__"),
    "iteritems": _Attribute(_mapping, lambda value: lambda: iter(value.items()), ".items()"),
    "iterkeys": _Attribute(_mapping, lambda value: lambda: iter(value.keys()), ".keys()"),
    "itervalues": _Attribute(_mapping, lambda value: lambda: iter(value.values()), ".values()"),
    "message": _Attribute(
        lambda value: isinstance(value, BaseException), lambda value: value.args[0] if value.args else "", ".args[0]"
    ),
    "next": _Attribute(
        lambda value: isinstance(value, collections.abc.Iterator), lambda value: value.__next__, "next()"
    ),
    "viewitems": _Attribute(_mapping, lambda value: value.items, ".items()"),
    "viewkeys": _Attribute(_mapping, lambda value: value.keys, ".keys()"),
    "viewvalues": _Attribute(_mapping, lambda value: value.values, ".values()"),
}


def find(value: Any, name: str) -> Any:
    """Returns (`value.name` as in Python 2, its name in Python 3), None if `value` never had it."""
    found = _TABLE[name]
    return (found.get(value), found.replacement) if found.belongs_to(value) else None
