"""The user's own hooks: a list of SessionRunHooks, or a function that creates it for a step."""
from typing import Any, List

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError

_EXPECTED = "a list of tf.train.SessionRunHook, or a function that takes the step and returns one"


def check_hooks(hooks: Any) -> None:
    """Raises ArgumentError unless `hooks` is a list of `tf.train.SessionRunHook`s or a function."""
    if isinstance(hooks, (list, tuple)):
        for each in hooks:
            _check_hook(each)
    elif isinstance(hooks, tf.train.SessionRunHook) or isinstance(hooks, type) or not callable(hooks):
        raise ArgumentError("hooks must be {}, got {}".format(_EXPECTED, _shown(hooks)))


def hooks_for(hooks: Any, step: Any) -> List[Any]:
    """Returns the hooks as a list; a function is called with the step.

    Raises:
      ArgumentError: what is given, or what the function returns, are not hooks.
    """
    check_hooks(hooks)
    if isinstance(hooks, (list, tuple)):
        return list(hooks)
    made = hooks(step)
    if not isinstance(made, (list, tuple)):
        raise ArgumentError("the function for hooks, {}, must return a list of tf.train.SessionRunHook, not {}".format(
            getattr(hooks, "__name__", repr(hooks)), _shown(made)
        ))
    for each in made:
        _check_hook(each)
    return list(made)


def _check_hook(hook: Any) -> None:
    if isinstance(hook, type) and issubclass(hook, tf.train.SessionRunHook):
        raise ArgumentError("hooks has {}: create a hook of it, {}(...)".format(_shown(hook), hook.__name__))
    if not isinstance(hook, tf.train.SessionRunHook):
        raise ArgumentError("hooks has {}, which is not a tf.train.SessionRunHook: hooks must be {}".format(
            _shown(hook), _EXPECTED
        ))


def _shown(value: Any) -> str:
    return "the class {}".format(value.__name__) if isinstance(value, type) else repr(value)
