"""Which parameter server takes the next variable: the strategies for tf.train.replica_device_setter."""
import hashlib
from typing import Any, Callable

import numpy as np

from legacy_towers.compat import tf

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]


class RandomStrategy:
    """Takes the task that a hash of the operation's name says.

    Args:
      num_ps_tasks: parameter servers.
      seed: another seed, another assignment.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """Returns the task for `op`."""
        # MD5 is the same from run to run, unlike Python's hash().
        digest = hashlib.md5("{}_{}".format(op.name, self._seed).encode("utf-8")).hexdigest()
        return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Takes the task with the least load so far.

    Args:
      num_tasks: parameter servers.
      load_fn: from an operation to its load, such as `byte_size_load_fn`.
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
    """Returns the bytes of a variable, or of the output of any operation that has one.

    Raises:
      ValueError: `op` has not one output, or its shape is unknown.
    """
    if len(op.outputs) != 1:
        raise ValueError("Op {} must have a single output".format(op))
    shape, dtype = op.outputs[0].shape, op.outputs[0].dtype
    if op.type == "VarHandleOp":  # its output is a handle; what it holds is told by its attributes
        shape, dtype = tf.TensorShape(op.get_attr("shape")), tf.as_dtype(op.get_attr("dtype"))
    elif not shape.is_fully_defined():  # a scalar variable's is set a little later
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return int(shape.num_elements() * dtype.size)
