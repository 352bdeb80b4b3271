"""The arguments of a user's function; an Estimator passes those that the function has."""
import functools
import inspect
from typing import Any, Callable, Dict, Tuple

_GIVEN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_MODEL_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def names(function: Callable[..., Any]) -> Tuple[str, ...]:
    """Returns the names of the arguments of `function`, without those that `functools.partial` has bound."""
    if isinstance(function, functools.partial):
        bound = set(function.keywords or {})
        return tuple(name for name in names(function.func)[len(function.args) :] if name not in bound)
    return tuple(name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind in _GIVEN)


def wanted(function: Callable[..., Any], offered: Dict[str, Any]) -> Dict[str, Any]:
    """Returns those of `offered` that are arguments of `function`."""
    taken = names(function)
    return {name: value for name, value in offered.items() if name in taken}


def check_model_function(model_fn: Callable[..., Any], params: Any) -> None:
    """Raises a ValueError if the arguments of `model_fn` are not those of a model function."""
    taken = names(model_fn)
    if "features" not in taken:
        raise ValueError("model_fn ({}) must include features argument.".format(model_fn))
    if params is not None and "params" not in taken:
        raise ValueError(
            "model_fn ({}) does not include params argument, but params ({}) is passed to Estimator.".format(
                model_fn, params
            )
        )
    unexpected = sorted(set(taken) - _MODEL_ARGUMENTS)
    if unexpected:
        raise ValueError("model_fn ({}) has following not expected args: {}".format(model_fn, unexpected))
