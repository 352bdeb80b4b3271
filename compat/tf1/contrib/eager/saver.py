"""Saver of tf.contrib.eager, which saves variables by name."""
from typing import Any, List, Optional

from legacy_towers.compat.versions import tf


class Saver:
    """Saves and restores variables under eager execution, by tf.train.Saver.

    Args:
      var_list: variables, or name -> variable.

    Raises:
      RuntimeError: eager execution is not enabled.
    """

    def __init__(self, var_list: Any) -> None:
        if not tf.executing_eagerly():
            raise RuntimeError("tfe.Saver can only be used when eager execution is enabled: use tf.train.Saver")
        self._saver = tf.train.Saver(var_list)

    def save(self, file_prefix: str, global_step: Optional[Any] = None) -> str:
        """Writes a checkpoint and returns its path."""
        return str(self._saver.save(None, file_prefix, write_meta_graph=False, global_step=global_step))

    def restore(self, file_prefix: str) -> None:
        """Restores the variables from the checkpoint `file_prefix`."""
        self._saver.restore(None, file_prefix)


def get_optimizer_variables(optimizer: Any) -> List[Any]:
    """Returns the variables of an optimizer."""
    return list(optimizer.variables())
