"""Methods that public classes have in TensorFlow 1.15 and lack in TensorFlow 2.

    tf.distribute.get_strategy().experimental_run_v2(step)        `run` since 2.2
    tf.data.experimental.Optional.none_from_structure(spec)       `empty` since 2.1
    tf.Tensor.consumers(tensor)                                   tensors of graphs have it, their base class lacks it
"""
from typing import Any, ContextManager, Optional, Tuple

from legacy_towers.compat import versions
from legacy_towers.compat.patches.added_attributes import with_added


def classes_have_methods_of_1_15() -> ContextManager[None]:
    """Gives classes the methods of the table above, and `Optional` its property `value_structure`.

    On TensorFlow 1.15 it changes nothing.
    """
    # Tried on 2.13, 2.16 and 2.21; ends when tf.compat.v1 does.
    return with_added(_methods())


def has(cls: Any, name: str) -> bool:
    """Returns whether the class `cls` has `name` while the methods are there."""
    return isinstance(cls, type) and any(issubclass(cls, each) and name == added for each, added, _ in _methods())


def _methods() -> Tuple[Tuple[Any, str, Any], ...]:
    tf = versions.tf  # not before: `run --check` reports wrong usage without importing TensorFlow
    optional = tf.data.experimental.Optional
    strategy = tf.distribute.Strategy
    # The base class of the strategies of 1.x and 2.x, which has `run`.
    base = next((each for each in strategy.__mro__ if "run" in vars(each)), strategy)
    return (
        (base, "experimental_run_v2", experimental_run_v2),
        (optional, "none_from_structure", staticmethod(none_from_structure)),
        (optional, "value_structure", property(value_structure)),
        (tf.Tensor, "consumers", consumers),
    )


def experimental_run_v2(self: Any, fn: Any, args: Any = (), kwargs: Optional[Any] = None) -> Any:
    """Runs `fn` on each replica, with its part of `args` and `kwargs`."""
    return self.run(fn, args, kwargs)


def none_from_structure(value_structure: Any) -> Any:
    """Returns an Optional without a value; `value_structure` is the tf.TypeSpec that its value would have."""
    return versions.tf.data.experimental.Optional.empty(value_structure)


def value_structure(self: Any) -> Any:
    """The tf.TypeSpec of the value."""
    return self.element_spec


def consumers(self: Any) -> Any:
    """Returns the operations that have the tensor as an input."""
    if type(self).consumers is consumers:
        raise NotImplementedError("Tensor.consumers is meaningless when eager execution is enabled.")
    return self.consumers()
