"""The optimizers of canned estimators."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf


def get_optimizer_instance(opt: Any, learning_rate: Optional[float] = None) -> Any:
    """Returns the optimizer that `opt` specifies.

    Args:
      opt: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD", a tf.train.Optimizer, or a function that returns one.
      learning_rate: for an optimizer given by its name.

    Raises:
      ValueError: the name is unknown, it has no learning rate, or the object is not a tf.train.Optimizer.
    """
    named = {
        "Adagrad": tf.train.AdagradOptimizer,
        "Adam": tf.train.AdamOptimizer,
        "Ftrl": tf.train.FtrlOptimizer,
        "RMSProp": tf.train.RMSPropOptimizer,
        "SGD": tf.train.GradientDescentOptimizer,
    }
    if isinstance(opt, str):
        if opt not in named:
            raise ValueError("Unsupported optimizer name: {}. Supported names are: {}".format(opt, sorted(named)))
        if learning_rate is None:
            raise ValueError("learning_rate must be specified when opt is string.")
        return named[opt](learning_rate=learning_rate)
    optimizer = opt() if callable(opt) else opt
    if not isinstance(optimizer, tf.train.Optimizer):
        raise ValueError("The given object is not an Optimizer instance. Given: {}".format(optimizer))
    return optimizer
