"""`average_gradients`: a drop-in replacement for the function that everybody copied from the CIFAR-10 tutorial."""
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from legacy_towers import devices as devices_room
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.base import pairs_of
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.missing import missing
from legacy_towers.gradients.pairing import GradientsAndVariables, VariableGradients, as_lists, by_variable
from legacy_towers.gradients.reduce import reduce_gradients


def average_gradients(
    tower_grads: Iterable[GradientsAndVariables],
    weights: Optional[Sequence[Any]] = None,
    on_missing: str = "error",
    devices: Optional[Sequence[str]] = None,
) -> List[Tuple[Optional[Any], Any]]:
    """Averages the gradients of each shared variable over all towers.

    Takes what the function of this name in the CIFAR-10 tutorial takes and returns the same mean, but stacks no copy of
    every tower's gradient, keeps IndexedSlices sparse, and says which variable and tower is at fault. A variable that
    has no gradient in any tower keeps None, as in `optimizer.compute_gradients`.

    Args:
      tower_grads: one list of (gradient, variable) per tower, as `optimizer.compute_gradients` returns it.
      weights: one number or scalar tensor per tower, for example its count of examples; the result is
        sum(w[k] * g[k]) / sum(w), or 0 where the sum of tensors turns out to be 0. A tower of weight 0 is left out,
        even where its gradient is NaN. None: all the same.
      on_missing: what it means when only some towers have a gradient for a variable: "error", "zeros" (the tower counts
        with a gradient of zero) or "drop" (the result for that variable is None).
      devices: the devices that share the work of summing. None: those that the gradients are on.

    Returns:
      A list of (averaged gradient, variable), in the order of tower 0; gradients have their variable's shape and dtype.

    Raises:
      ArgumentError: no towers, no lists of pairs, weights that don't fit, no such policy, or `devices` is no list.
      DeviceError: one of `devices` is no device string.
      TowerError: the towers' variables differ, a gradient is missing, or sparse and dense ones are mixed; names them.

    Source of the method: `average_gradients` in TensorFlow's tutorial "Convolutional Neural Networks"
    (cifar10_multi_gpu_train.py), whose expand_dims + concat + reduce_mean this replaces by one sum.
    """
    if devices is not None:
        devices_room.check_list(devices, "devices")
    of_towers = as_lists(tower_grads)
    reduction = chain(missing(on_missing), mean(on=devices or _devices_of(by_variable(of_towers))))
    devices_of_towers = [""] * len(of_towers)  # not asked for: the sums' devices are named
    return pairs_of(reduce_gradients(of_towers, reduction, devices_of_towers, weights, scope="average_gradients"))


def _devices_of(rows: Sequence[VariableGradients]) -> List[str]:
    """Returns the distinct devices of all gradients, in order of towers; [""], the default device, if none is named."""
    devices: List[str] = []
    for column in zip(*(row.gradients for row in rows)):
        for gradient in column:
            device = getattr(gradient, "device", None)
            if device and device not in devices:
                devices.append(device)
    return devices or [""]
