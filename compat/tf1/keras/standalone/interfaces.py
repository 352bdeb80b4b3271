"""keras.legacy.interfaces: decorators for arguments of Keras 1. They change nothing, since all layers accept those."""
import functools
from typing import Any, Callable


def __getattr__(name: str) -> Any:
    if not (name.startswith("legacy_") and name.endswith("_support")):
        raise AttributeError(name)
    return _unchanged


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    function._original_function = function  # type: ignore[attr-defined]
    return function


def generate_legacy_interface(*arguments: Any, **options: Any) -> Any:
    """Returns a decorator that changes nothing."""
    return _unchanged


generate_legacy_method_interface = functools.partial(generate_legacy_interface, object_type="method")
