"""tf.contrib.compiler.xla: a function that XLA compiles as one."""
from typing import Any, Callable

from legacy_towers.compat import tf

compile = tf.xla.experimental.compile  # pylint: disable=redefined-builtin

__all__ = ["compile", "estimator_model_fn"]


def estimator_model_fn(target_model_fn: Any = None) -> Callable[..., Any]:
    """Raises: Estimators are not compiled as a whole.

    Raises:
      ValueError: always.
    """
    raise ValueError(
        "tf.contrib.compiler.xla.estimator_model_fn is not served: leave the decorator out, or compile parts of the "
        "model with tf.contrib.compiler.jit.experimental_jit_scope"
    )
