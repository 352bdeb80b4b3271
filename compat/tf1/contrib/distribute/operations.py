"""How the values of towers are combined, as TensorFlow 1.8 ("mean"), 1.12 and 1.13 write it."""
from typing import Any, Dict, Optional

from legacy_towers.compat.versions import tf

_BY_NAME: Dict[str, Any] = {"mean": tf.distribute.ReduceOp.MEAN, "sum": tf.distribute.ReduceOp.SUM}


def reduce_op(operation: Any) -> Any:
    """Returns the tf.distribute.ReduceOp of "mean", "sum" or a tf.VariableAggregation.

    Raises:
      ValueError: `operation` is another.
    """
    if isinstance(operation, tf.distribute.ReduceOp):
        return operation
    name = operation.lower() if isinstance(operation, str) else getattr(operation, "name", "").lower()
    found: Optional[Any] = _BY_NAME.get(name)
    if found is None:
        raise ValueError('the values of towers are combined by "mean" or "sum", got {!r}'.format(operation))
    return found


def is_first_only(operation: Any) -> bool:
    """Returns whether `operation` is the tf.VariableAggregation that takes the value of the first tower."""
    return getattr(operation, "name", "") in ("ONLY_FIRST_TOWER", "ONLY_FIRST_REPLICA")


def only_one(*given: Any) -> Any:
    """Returns the one of `given` that is not None: the names of an argument in several versions.

    Raises:
      TypeError: none or several are given.
    """
    there = [each for each in given if each is not None]
    if len(there) != 1:
        raise TypeError("an argument that has several names must be given once, got {} values".format(len(there)))
    return there[0]
