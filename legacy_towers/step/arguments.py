"""Checks of the arguments of `build_train_step`: their types, their ranges, and whether they have an effect."""
import numbers
from typing import Any, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import ReductionLike
from legacy_towers.gradients.chain import members_of
from legacy_towers.inputs.base import Input
from legacy_towers.step.objectives import Objective
from legacy_towers.tensor_types import DeviceString
from legacy_towers.towers.replicate import check_devices
from legacy_towers.variables import Strategy


def check_arguments(
    inputs: Input, devices: Sequence[DeviceString], summary_tower: int, moving_average_decay: Optional[float]
) -> None:
    """Raises ArgumentError or DeviceError unless these arguments have the right types and are in their ranges."""
    check_devices(devices)
    if not isinstance(inputs, Input):
        raise ArgumentError(_not_an_input(inputs))
    is_index = isinstance(summary_tower, int) and not isinstance(summary_tower, bool)
    if not is_index or not -len(devices) <= summary_tower < len(devices):
        raise ArgumentError(
            "summary_tower is {!r}: towers are 0 to {}, and -1 is the last".format(summary_tower, len(devices) - 1)
        )
    if moving_average_decay is not None:
        is_number = isinstance(moving_average_decay, numbers.Real)
        if not is_number or not 0.0 < moving_average_decay < 1.0:
            raise ArgumentError(
                "moving_average_decay is {!r}: allowed is a number between 0 and 1, such as 0.9999".format(
                    moving_average_decay
                )
            )


def _not_an_input(inputs: Any) -> str:
    advice = "lt.inputs.dataset(examples, per_tower_batch_size=32), for example"
    if isinstance(inputs, tf.data.Dataset):
        advice = "lt.inputs.from_dataset(dataset)"
    elif tf.is_tensor(inputs) or isinstance(inputs, (dict, list, tuple)):
        advice = "lt.inputs.from_tensors(per_tower=[...]) or lt.inputs.from_tensors(global_batch=...)"
    return "inputs must be an lt.inputs.Input, got {}: create one with {}".format(
        repr(inputs) if inputs is None or isinstance(inputs, str) else type(inputs).__name__, advice
    )


def check_reduction_is_used(reduction: Union[None, str, ReductionLike], objectives: Sequence[Objective]) -> None:
    """Raises ArgumentError where a reduction is given for the step, but every objective has its own."""
    if reduction is not None and None not in [objective.reduction for objective in objectives]:
        raise ArgumentError(
            "reduction is {!r}, but every objective has its own ({}): leave out the step's, or an objective's".format(
                reduction, ", ".join("{}: {!r}".format(each.name, each.reduction) for each in objectives)
            )
        )


def check_no_sum_layout(strategy: Strategy, reduction: ReductionLike) -> None:
    """Raises ArgumentError for a sum layout, such as `tree()`, where each tower applies its own gradients."""
    if strategy.updates == "reduced":
        return
    for member in members_of(reduction):
        # The mean over one tower is that tower's gradient, so mean() is accepted; a sum layout has no effect here.
        if member.traits.kind == "layout":
            raise ArgumentError(
                "reduction={!r} with variables={!r}: each tower applies its own gradients, so a sum layout has no "
                "effect. Leave {!r} out, or use lt.gradients.mean()".format(reduction, strategy, member)
            )
