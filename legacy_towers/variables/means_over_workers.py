"""The means of variables over the workers of a cluster."""
from typing import List, Sequence

from legacy_towers.cluster.messages import reduce_fused
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.tensor_types import Tensor, Variable


def means_over_workers(values: Sequence[Tensor], common: Sequence[Variable], workers: Workers) -> List[Tensor]:
    """Returns the means of all workers' values, the same bits in each; of integers and booleans the chief's.

    What is averaged is how far each worker is from a value that all have in common: where no worker has changed a
    variable, the mean of three equal numbers could differ from them by rounding.

    Args:
      values: of this worker.
      common: of the same names, shapes and dtypes, with the same values in all workers.

    Raises:
      ClusterError: the dtype of a value is not one of numbers or booleans.
    """
    result = list(values)
    averaged = [number for number, value in enumerate(values) if value.dtype.base_dtype.is_floating]
    with tf.name_scope("over_workers"), tf.device(workers.device):
        bases = [common[number].read_value() for number in averaged]
        changes = []
        for number, base in zip(averaged, bases):
            value = values[number]
            # Infinity less infinity would be NaN.
            changes.append(tf.where(tf.equal(value, base), tf.zeros_like(value), value - base))
        names = ["mean of {}".format(common[number].op.name) for number in averaged]
        for number, base, change in zip(averaged, bases, reduce_fused(changes, names, workers, workers.mean)):
            result[number] = base + change
    for number, value in enumerate(values):
        if number not in averaged:
            result[number] = workers.broadcast_from_chief(value, "value of {}".format(common[number].op.name))
    return result
