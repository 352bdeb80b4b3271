"""Look-up of names with dots, attribute by attribute: `nn.top_k` is the attribute `top_k` of a namespace `nn`."""
from typing import Any, Callable, Collection


class Namespace:
    """The part of a dotted name before its last dot."""

    def __init__(self, name: str, names: Collection[str], make: Callable[[str], Any]) -> None:
        self._arguments = (name, names, make)

    def __getattr__(self, attribute: str) -> Any:
        name, names, make = self._arguments
        return find("{}.{}".format(name, attribute), names, make)


def find(name: str, names: Collection[str], make: Callable[[str], Any]) -> Any:
    """Returns `make(name)` if `name` is one of `names`, or a `Namespace` if it is the beginning of one.

    Raises:
      AttributeError: it is neither.
    """
    if name in names:
        return make(name)
    if any(each.startswith(name + ".") for each in names):
        return Namespace(name, names, make)
    raise AttributeError(name)
