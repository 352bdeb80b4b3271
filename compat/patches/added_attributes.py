"""Attributes that classes of TensorFlow 2 lack, for as long as a script runs."""
import contextlib
from typing import Any, Iterable, Iterator, Tuple


@contextlib.contextmanager
def with_added(attributes: Iterable[Tuple[Any, str, Any]]) -> Iterator[None]:
    """Gives classes the attributes that they lack, and removes them in the end.

    Args:
      attributes: for each, the class, the name and the value; nothing is added where the class has the name.
    """
    added = [(cls, name, value) for cls, name, value in attributes if not hasattr(cls, name)]
    for cls, name, value in added:
        setattr(cls, name, value)
    try:
        yield
    finally:
        for cls, name, _ in added:
            delattr(cls, name)
