"""Saver of tf.contrib.eager: variables by their names."""
from typing import Any, List, Optional

from legacy_towers.compat import tf


class Saver:
    """Saves and restores variables under eager execution, by tf.train.Saver.

    Raises:
      RuntimeError: eager execution is not on.
    """

    def __init__(self, var_list: Any) -> None:
        if not tf.executing_eagerly():
            raise RuntimeError("tfe.Saver can only be used when eager execution is enabled: use tf.train.Saver")
        self._saver = tf.train.Saver(var_list)

    def save(self, file_prefix: str, global_step: Optional[Any] = None) -> str:
        """Writes a checkpoint and returns its path."""
        return str(self._saver.save(None, file_prefix, write_meta_graph=False, global_step=global_step))

    def restore(self, file_prefix: str) -> None:
        """Gives the variables the values of a checkpoint."""
        self._saver.restore(None, file_prefix)


def get_optimizer_variables(optimizer: Any) -> List[Any]:
    """Returns the variables of an optimizer."""
    return list(optimizer.variables())
