"""Variables dealt out over devices by their bytes."""
from typing import Any, Dict, Sequence

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.variables.base import Placer, Strategy, checked_devices, merged


class Balanced(Strategy):
    """Each new variable lives on the one of `devices` that has the fewest bytes so far.

    Greedy, in order of creation; of devices with equally many bytes it is the first. So the same model is placed alike
    in every run. What a model places itself, by a `tf.device` of its own, counts where it is. A variable whose shape
    isn't known when it is made counts as nothing. An optimizer's slots are with their variable.

    Best where variables are large, of sizes that differ much, and shared by the towers: each device then holds, sums
    and applies about as many bytes as the others.

    Args:
      devices: device strings; one that is named twice counts once.

    Raises:
      ArgumentError: no list, or an empty one.
      DeviceError: one of `devices` is no device string.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = checked_devices("Balanced", devices)

    def placer(self) -> Placer:
        return Placer(_Loads(self.devices).place)

    def __repr__(self) -> str:
        return "Balanced({!r})".format(list(self.devices))


class _Loads:
    """The bytes on each device."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._bytes: Dict[str, int] = {device_names.canonical(device): 0 for device in devices}

    def place(self, op: Any) -> str:
        """Returns the device of a new variable, and counts its bytes where it will be."""
        device = min(self._bytes, key=lambda each: self._bytes[each])  # the first of equals: the dict keeps their order
        asked = tf.DeviceSpec.from_string(op.device or "")
        given = merged(tf.DeviceSpec.from_string(device), asked).to_string()
        if given in self._bytes:
            self._bytes[given] += _bytes_of(op)
        return device


def _bytes_of(op: Any) -> int:
    shape = tf.TensorShape(op.get_attr("shape"))
    return shape.num_elements() * tf.as_dtype(op.get_attr("dtype")).size if shape.is_fully_defined() else 0
