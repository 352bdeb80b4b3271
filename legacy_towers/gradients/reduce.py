"""`reduce_gradients`: applies a reduction to the towers' gradients.

`prepare` and `PreparedReduction.reduce` are its two halves, for callers that need the state before the gradients.
"""
import re
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import (
    GradientRow,
    Reduction,
    ReductionContext,
    ReductionLike,
    TowerGradients,
    as_reduction,
    pairs_of,
)
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.named import reduction_from
from legacy_towers.gradients.pairing import (
    GradientsAndVariables,
    VariableGradients,
    as_lists,
    by_variable,
    check_dtype_and_shape,
)
from legacy_towers.gradients.regularization import update_with_regularization, with_regularization_added
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.gradients.tower_weights import normalized_tower_weights
from legacy_towers.gradients.transforms.missing import missing
from legacy_towers.tensor_types import Tensor, Variable

_SCOPE = re.compile(r"^[A-Za-z0-9.]([A-Za-z0-9_./-]*[A-Za-z0-9_.-])?$")


class PreparedReduction(NamedTuple):
    """A reduction whose variables exist in one graph."""

    reduction: Reduction
    context: ReductionContext
    state: Any

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Returns the scalar whose gradients a tower computes: the loss, scaled if the reduction scales it."""
        return self.reduction.scale_loss(loss, self.state)

    def reduce(
        self,
        tower_gradients: Sequence[GradientsAndVariables],
        regularization_gradients: Sequence[Optional[Any]] = (),
    ) -> TowerGradients:
        """Returns the reduced gradients; see `reduce_gradients`.

        Args:
          tower_gradients: one list of (gradient, variable) per tower.
          regularization_gradients: per variable of the first tower the dense gradient of the regularization losses, or
            None. It belongs to every tower's gradient, is the same in all, and is added once.

        Raises:
          ArgumentError: `tower_gradients` are not lists of pairs, or the reduction does not reduce the gradients of
            several towers to one.
          TowerError: the towers' gradients don't fit together.
        """
        rows = by_variable(as_lists(tower_gradients, self.context.towers), self.context.towers)
        for row in rows:
            check_dtype_and_shape(row, self.context.towers)
        tower_rows = [
            GradientRow(
                str(row.variable.op.name),
                row.variable,
                list(row.gradients),
                row.variable.device or "",
                regularization=regularization,
            )
            for row, regularization in zip(rows, regularization_gradients or [None] * len(rows))
        ]
        with tf.name_scope(self.context.scope):
            result = update_with_regularization(self.reduction, TowerGradients(tower_rows, self.context), self.state)
        towers = len(self.context.devices) * (1 if self.context.workers is None else self.context.workers.size)
        if not result.reduced and towers > 1:
            raise ArgumentError(
                "the reduction {!r} does not reduce the gradients of {} towers to one: add a member that does, such as "
                "lt.gradients.mean()".format(self.reduction, towers)
            )
        if not result.reduced and self.context.tower_weights is not None:
            # The weight of the only tower can be 0 in a step.
            result = update_with_regularization(mean(), result, None)
        return with_regularization_added(result)


def prepare(reduction: ReductionLike, context: ReductionContext, variables: Sequence[Variable]) -> PreparedReduction:
    """Creates a reduction's variables in the default graph, before the gradients are computed.

    Raises:
      ArgumentError: `reduction` is not a reduction.
    """
    checked = as_reduction(reduction)
    return PreparedReduction(checked, context, checked.init(context, list(variables)))


def reduce_gradients(
    tower_grads: Iterable[GradientsAndVariables],
    reduction: Union[str, ReductionLike],
    devices: Sequence[str],
    weights: Optional[Sequence[Any]] = None,
    global_step: Optional[Variable] = None,
    scope: str = "reduction",
) -> TowerGradients:
    """Reduces the towers' gradients to one gradient per variable.

        reduced = lt.reduce_gradients(tower_grads, lt.gradients.chain(lt.gradients.mean(), ...), devices)
        train_op = lt.apply_reduced(optimizer, reduced, global_step)

    Args:
      tower_grads: one list of (gradient, variable) per tower, as `optimizer.compute_gradients` returns it. A gradient
        is a tensor or IndexedSlices of its variable's dtype and shape, or None.
      reduction: a reduction, such as `lt.gradients.mean()`, or its name as on the command line, such as "mean".
      devices: one device string per tower.
      weights: one number or scalar tensor per tower, for the mean, such as its count of examples; None: all equal.
      global_step: the global step variable, which `add_noise(gamma=...)` needs and `check_numerics` reports; None
        without one.
      scope: the name scope of the reduction's operations and variables, without a trailing slash.

    Returns:
      `TowerGradients` with one row per variable, in the order of tower 0: pass it to `lt.apply_reduced`.

    Raises:
      ArgumentError: `tower_grads` are not lists of pairs; `reduction` is not a reduction, scales the loss (whose
        gradients exist already), or does not reduce the gradients of several towers to one; `devices` is not a list;
        the numbers of towers, devices and weights differ; a weight is not a number; `global_step` is not a variable; or
        `scope` is not a valid name.
      DeviceError: one of `devices` is not a device string.
      TowerError: the towers' gradients don't fit together.
    """
    checked = reduction_from(reduction)
    if checked.traits.scales_loss:
        raise ArgumentError(
            "{!r} scales the loss, but these gradients are computed already: pass it to lt.build_train_step or "
            "lt.DistributedOptimizer as reduction=..., which compute the gradients of the scaled loss".format(checked)
        )
    pairs_of_towers = as_lists(tower_grads)
    device_names.check_list(devices, "devices")
    if len(pairs_of_towers) != len(devices):
        raise ArgumentError(
            "tower_grads has {} lists of gradients and devices has {} entries: pass one of each per tower".format(
                len(pairs_of_towers), len(devices)
            )
        )
    check_global_step(global_step)
    if not isinstance(scope, str) or not _SCOPE.match(scope):
        raise ArgumentError(
            "scope is {!r}: pass a name of letters, digits, '_', '.', '-' and '/', such as 'reduction'".format(scope)
        )
    tower_weights = normalized_tower_weights(weights, len(pairs_of_towers))
    context = ReductionContext(list(devices), list(range(len(devices))), tower_weights, global_step, scope)
    variables: List[Any] = [row.variable for row in by_variable(pairs_of_towers)]
    return prepare(checked, context, variables).reduce(pairs_of_towers)


def check_global_step(global_step: Optional[Variable]) -> None:
    """Raises ArgumentError if `global_step` is neither None nor a variable."""
    if global_step is not None and not hasattr(global_step, "assign_add"):
        raise ArgumentError(
            "global_step is {!r}: pass the variable that tf.train.get_or_create_global_step() returns, or None".format(
                global_step
            )
        )


def average_gradients(
    tower_grads: Iterable[GradientsAndVariables],
    weights: Optional[Sequence[Any]] = None,
    on_missing: str = "error",
    devices: Optional[Sequence[str]] = None,
) -> List[Tuple[Optional[Any], Any]]:
    """Averages the gradients of each shared variable over all towers.

    Takes the same argument as the function of this name in the CIFAR-10 tutorial and returns the same mean, but creates
    no stacked copy of the towers' gradients, keeps IndexedSlices sparse, and names the variable and the tower in its
    errors. A variable without a gradient in any tower keeps None, as in `optimizer.compute_gradients`.

    Args:
      tower_grads: one list of (gradient, variable) per tower, as `optimizer.compute_gradients` returns it.
      weights: one number or scalar tensor per tower, for example its count of examples: the result is
        sum(w[k] * g[k]) / sum(w), or 0 where the sum of tensors turns out to be 0. A tower of weight 0 is left out,
        even if its gradient is NaN. None: all equal.
      on_missing: what happens if only some towers have a gradient for a variable: "error", "zeros" (the gradients of
        the others count as zero) or "drop" (the result for that variable is None).
      devices: the device strings that the sums are distributed over. None: the devices of the gradients.

    Returns:
      A list of (averaged gradient, variable), in the order of tower 0; gradients have their variable's shape and dtype.

    Raises:
      ArgumentError: `tower_grads` has no towers, or not lists of pairs; `weights` doesn't fit; `on_missing` is not one
        of the three; or `devices` is not a list.
      DeviceError: one of `devices` is not a device string.
      TowerError: the towers' variables differ, a gradient is missing, or sparse and dense gradients of one variable are
        mixed; names the variable and the towers.

    Source of the method: `average_gradients` in TensorFlow's tutorial "Convolutional Neural Networks"
    (cifar10_multi_gpu_train.py), whose expand_dims + concat + reduce_mean is replaced by one sum.
    """
    if devices is not None:
        device_names.check_list(devices, "devices")
    pairs_of_towers = as_lists(tower_grads)
    reduction = chain(missing(on_missing), mean(on=devices or _devices_of(by_variable(pairs_of_towers))))
    tower_devices = [""] * len(pairs_of_towers)  # not used: `mean(on=...)` names the devices of the sums
    return pairs_of(reduce_gradients(pairs_of_towers, reduction, tower_devices, weights, scope="average_gradients"))


def _devices_of(rows: Sequence[VariableGradients]) -> List[str]:
    """Returns the distinct devices of all gradients, in the order of the towers; [""] if none is named."""
    devices: List[str] = []
    for column in zip(*(row.gradients for row in rows)):
        for gradient in column:
            device = getattr(gradient, "device", None)
            if device and device not in devices:
                devices.append(device)
    return devices or [""]
