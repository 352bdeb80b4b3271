"""keras.legacy.interfaces: decorators of layers that take the arguments of Keras 1, which all layers do here."""
import functools
from typing import Any, Callable


def __getattr__(name: str) -> Any:
    if not (name.startswith("legacy_") and name.endswith("_support")):
        raise AttributeError(name)
    return _as_it_is


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    function._original_function = function  # type: ignore[attr-defined]
    return function


def generate_legacy_interface(*arguments: Any, **options: Any) -> Any:
    return _as_it_is


generate_legacy_method_interface = functools.partial(generate_legacy_interface, object_type="method")
