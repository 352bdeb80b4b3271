"""tf.contrib.compiler.xla: XLA compilation of a function."""
from typing import Any, Callable

from legacy_towers.compat.versions import tf

compile = tf.xla.experimental.compile  # pylint: disable=redefined-builtin

__all__ = ["compile", "estimator_model_fn"]


def estimator_model_fn(target_model_fn: Any = None) -> Callable[..., Any]:
    """Raises an error: the compilation of a whole Estimator is not supported.

    Raises:
      ValueError: always.
    """
    raise ValueError(
        "tf.contrib.compiler.xla.estimator_model_fn is not supported: remove the decorator, or compile parts of the "
        "model with tf.contrib.compiler.jit.experimental_jit_scope"
    )
