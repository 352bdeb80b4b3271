"""Functions that took their arguments in another order, or by other names, in TensorFlow 1.15.

    tf.matmul(a, b, False, False, False, False, False, False, "product")      "product" is the name

Arguments by position have the meaning that the recorded signature of 1.15 gives them; those by name may be of both.
compat/tf1/keras/orders.py has the classes of Keras.
"""
import functools
import inspect
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from legacy_towers.compat.tf1 import known_names
from legacy_towers.compat.tf1.core import dotted_names
from legacy_towers.compat.tf1.core.replaced_functions import ARGUMENTS, DEFAULTS, IN_LEGACY
from legacy_towers.compat.versions import tf

Arguments = Tuple[Tuple[Any, ...], Dict[str, Any]]


def change(
    name: str, old: Sequence[str], new: Sequence[str], renamed: Mapping[str, str]
) -> Callable[[Sequence[Any], Dict[str, Any]], Arguments]:
    """Returns a function that converts the arguments of a call in the order of 1.15, (by position, by name).

    Args:
      name: of the function, for messages.
      old: its arguments in 1.15, in their order.
      new: its arguments by position in the running TensorFlow.
      renamed: argument of 1.15 -> its name since.
    """
    since = [renamed.get(each, each) for each in old]
    same = next((index for index, pair in enumerate(zip(since, new)) if pair[0] != pair[1]), min(len(since), len(new)))

    def changed(arguments: Sequence[Any], options: Dict[str, Any]) -> Arguments:
        options = {renamed.get(each, each): value for each, value in options.items()}
        if len(arguments) > len(since):
            raise TypeError(
                "{}() takes {} positional arguments but {} were given".format(name, len(since), len(arguments))
            )
        for argument, value in zip(since[same:], arguments[same:]):
            if argument in options:
                raise TypeError("{}() got multiple values for argument {!r}".format(name, argument))
            options[argument] = value
        return tuple(arguments[:same]), options

    return changed


def recorded(name: str) -> List[str]:
    """Returns the arguments that 1.15 took by position, in their order, for a function or class below tf."""
    found = [each.split("=")[0] for each in known_names.arguments("tensorflow." + name) or ()]
    return [each for each in found if not each.startswith("*")]


def by_position(function: Callable[..., Any]) -> List[str]:
    """Returns the arguments that `function` takes by position, in their order."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in inspect.signature(function).parameters.values() if each.kind in kinds]


def in_order(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns `function`, which then takes positional arguments in the order of TensorFlow 1.15.

    Args:
      function: the function of TensorFlow 2.
      name: its name below tf: "math.top_k".
    """
    new = by_position(function)
    changed = change("tf." + name, recorded(name), new, ARGUMENTS.get(name, {}))
    defaults = DEFAULTS.get(name, {})

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        arguments, options = changed(arguments, options)
        missing = set(defaults) - set(new[: len(arguments)]) - set(options)
        options.update({each: defaults[each] for each in missing})
        return function(*arguments, **options)

    return called


def function_of(name: str) -> Callable[..., Any]:
    """Returns the function of the running TensorFlow that does what `name`, a name below tf, does in 1.15."""
    module, _, last = name.rpartition(".")
    value: Any = functools.reduce(getattr, module.split(".") if module else (), tf)
    return getattr(getattr(value, "legacy", value) if name in IN_LEGACY else value, last)


def ordered(name: str) -> Callable[..., Any]:
    """Returns the function `name`, below tf, of the running TensorFlow in the order of TensorFlow 1.15."""
    return in_order(function_of(name), name)


def __getattr__(name: str) -> Any:
    return dotted_names.find(name, ARGUMENTS, ordered)
