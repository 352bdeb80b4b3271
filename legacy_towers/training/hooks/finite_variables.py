"""Operations that check whether variables are finite."""
from typing import Any, List, NamedTuple

from legacy_towers.compat import tf
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Operation, Tensor


class Check(NamedTuple):
    """A variable, as messages name it, and the bool scalar tensor that says whether it is finite."""

    name: str
    is_finite: Tensor


class Repair(NamedTuple):
    """A local variable: the bool scalar tensor that says whether it is finite, and its initializer."""

    is_finite: Tensor
    initializer: Operation


def variable_checks(step: TrainStep) -> List[Check]:
    """Returns the checks of what checkpoints contain: variables of floating-point and complex numbers."""
    of_towers = step.towers[0].variables
    checks = []
    with tf.name_scope("nan_guard"):
        for variable in tf.global_variables():
            name = "the variable {!r}".format(str(variable.op.name))
            group = of_towers.group_of(variable) if of_towers.center else None
            if group is None:
                checks += _check_of(name, variable)
                continue
            # The mean of the copies is saved.
            for tower in sorted(group.copies):
                checks += _check_of("tower {}'s copy of {}".format(tower, name), group.copies[tower])
    return checks


def _check_of(name: str, variable: Any) -> List[Check]:
    """Returns the check of a variable; [] for integers and the like, which are always finite."""
    dtype = variable.dtype.base_dtype
    if not dtype.is_floating and not dtype.is_complex:
        return []
    with tf.device(variable.device):
        value = variable.read_value()
        if dtype.is_complex:
            value = tf.abs(value)
        elif dtype.size < 4:
            value = tf.cast(value, tf.float32)  # not every version checks each 16-bit type
        return [Check(name, tf.reduce_all(tf.math.is_finite(value)))]


def local_repairs() -> List[Repair]:
    """Returns the local variables that can hold NaN, such as sums of gradients that `accumulate` keeps."""
    with tf.name_scope("nan_guard"):
        return [
            Repair(check.is_finite, variable.initializer)
            for variable in tf.local_variables() for check in _check_of("", variable)
        ]
