"""`Balanced`: variables distributed over devices by their bytes."""
from typing import Dict, Sequence

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.tensor_types import Operation
from legacy_towers.variables.base import Placer, Strategy, checked_devices, merged


class Balanced(Strategy):
    """Places each new variable on the one of `devices` that has the fewest bytes so far.

        variables in order of creation, with their sizes:  A 4   B 1   C 2   D 3

        /gpu:0   A           (4)
        /gpu:1   B C D       (6)

    Greedy, in order of creation; of devices with equal bytes the first, so that the same model has the same placement
    in every run. A variable that the model places itself by `tf.device` counts on that device. A variable whose shape
    is not known when it is created counts as 0 bytes. An optimizer's slots are on their variable's device.

    Best where towers share large variables of different sizes: each device then stores, sums and updates about as many
    bytes as the others.

    Args:
      devices: device strings; repeated ones count once.

    Raises:
      ArgumentError: `devices` is not a list, or is empty.
      DeviceError: one of `devices` is not a device string.

    Source of the method: `tf.contrib.training.GreedyLoadBalancingStrategy`.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = checked_devices("Balanced", devices)

    def placer(self) -> Placer:
        return Placer(_Loads(self.devices).place)

    def __repr__(self) -> str:
        return "Balanced({!r})".format(list(self.devices))


class _Loads:
    """Returns the device of a new variable, and adds its bytes to the device where it will be."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._bytes: Dict[str, int] = {device_names.canonical(device): 0 for device in devices}

    def place(self, op: Operation) -> str:
        """Returns the device of a new variable, and counts its bytes where it will be."""
        device = min(self._bytes, key=lambda each: self._bytes[each])  # the first of equals: the dict keeps their order
        requested = tf.DeviceSpec.from_string(op.device or "")
        actual = merged(tf.DeviceSpec.from_string(device), requested).to_string()
        if actual in self._bytes:
            self._bytes[actual] += _bytes_of(op)
        return device


def _bytes_of(op: Operation) -> int:
    shape = tf.TensorShape(op.get_attr("shape"))
    return shape.num_elements() * tf.as_dtype(op.get_attr("dtype")).size if shape.is_fully_defined() else 0
