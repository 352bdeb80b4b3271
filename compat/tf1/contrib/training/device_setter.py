"""Placement strategies for tf.train.replica_device_setter: the parameter server of each variable."""
import hashlib
from typing import Any, Callable

import numpy as np

from legacy_towers.compat.versions import tf

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]


class RandomStrategy:
    """Places ops by a hash of their names.

    Args:
      num_ps_tasks: the number of parameter servers.
      seed: added to the names; another seed gives another placement.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """Returns the task for `op`."""
        # Unlike Python's hash(), MD5 is the same in each process.
        digest = hashlib.md5("{}_{}".format(op.name, self._seed).encode("utf-8")).hexdigest()
        return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Places each op on the task with the least load.

    Args:
      num_tasks: the number of parameter servers.
      load_fn: op -> its load, such as `byte_size_load_fn`.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._num_tasks = num_tasks
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> int:
        """Returns the task for `op`."""
        task = int(np.argmin(self._ps_loads))
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """Returns the size in bytes of a variable, or of the output of another op.

    Raises:
      ValueError: `op` does not have exactly one output, or its shape is unknown.
    """
    if len(op.outputs) != 1:
        raise ValueError("Op {} must have a single output".format(op))
    shape, dtype = op.outputs[0].shape, op.outputs[0].dtype
    if op.type == "VarHandleOp":  # the output is a handle; shape and dtype of the variable are attributes
        shape, dtype = tf.TensorShape(op.get_attr("shape")), tf.as_dtype(op.get_attr("dtype"))
    elif not shape.is_fully_defined():  # a scalar variable's output shape is set after this call
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return int(shape.num_elements() * dtype.size)
