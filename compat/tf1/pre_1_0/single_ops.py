"""Functions of tf.nn in TensorFlow 0.12 that make one operation and that 1.0 dropped: `tf.nn.bias_add_grad(gradient)`.

tf.raw_ops still has the operations. The arguments are those of 0.12, by position or by name.
"""
from typing import Any, Callable, List

from legacy_towers.compat.tf1 import known_names
from legacy_towers.compat.tf1.pre_1_0.tables import OPERATIONS
from legacy_towers.compat.versions import tf


def __getattr__(name: str) -> Any:
    if name not in OPERATIONS:
        raise AttributeError(name)
    return _function(name, OPERATIONS[name])


def __dir__() -> List[str]:
    return sorted(OPERATIONS)


def _function(name: str, operation: str) -> Callable[..., Any]:
    recorded = known_names.OF_0_12.arguments("tensorflow.nn." + name) or ()
    names = [each.split("=")[0] for each in recorded]

    def called(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > len(names):
            raise TypeError("tf.nn.{} takes {} arguments, got {}".format(name, len(names), len(arguments)))
        given = dict(zip(names, arguments))
        twice = sorted(set(given) & set(keywords))
        if twice:
            raise TypeError("tf.nn.{} got {!r} by position and by name".format(name, twice[0]))
        given.update(keywords)
        # None was the default of attributes; raw_ops rejects None and has defaults for attributes that are left out.
        return getattr(tf.raw_ops, operation)(**{key: value for key, value in given.items() if value is not None})

    called.__name__ = called.__qualname__ = name
    called.__doc__ = "tf.nn.{} of TensorFlow 0.12 is tf.raw_ops.{}.".format(name, operation)
    return called
