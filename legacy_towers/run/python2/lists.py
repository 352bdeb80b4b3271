"""The functions that `certain` inserts: lists and indices of Python 2 in files that Python 3 can read, too."""
import collections.abc
from typing import Any

from legacy_towers.compat.tf1 import user_script

_ITERATORS = (map, zip, filter, range)
_VIEWS = (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)


def listed(value: Any, text: str) -> Any:
    """Returns the list that a call returns in Python 2: of map(), zip(), filter() or range(), of keys() and so on.

    Args:
      value: what the call returned; values of other types are returned as they are.
      text: the call, for the notice.
    """
    if not isinstance(value, _ITERATORS + _VIEWS):
        return value
    user_script.report_replacement(text, "a list, as in Python 2")
    return list(value)


def index(container: Any, dividend: Any, divisor: Any) -> Any:
    """Returns `dividend / divisor` as an index of `container`, see `whole`; a dictionary may have floats as keys."""
    is_sequence = isinstance(container, collections.abc.Sequence) or hasattr(container, "__array_interface__")
    return whole(dividend, divisor) if is_sequence else dividend / divisor


def whole(dividend: Any, divisor: Any) -> Any:
    """Returns `dividend / divisor` where only an integer is accepted: rounded down if both are int."""
    if type(dividend) is not int or type(divisor) is not int:
        return dividend / divisor
    if dividend % divisor:
        user_script.report_replacement("/ of integers where an integer is needed", "//, as in Python 2")
    return dividend // divisor
