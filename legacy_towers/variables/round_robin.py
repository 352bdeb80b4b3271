"""`RoundRobin`: variables distributed over devices in turn, as by `tf.train.replica_device_setter`."""
import itertools
from typing import Sequence

from legacy_towers.variables.base import Placer, Strategy, checked_devices


class RoundRobin(Strategy):
    """Places the first variable on the first of `devices`, the second on the second, and so on, in order of creation.

        4 variables on 2 devices:  A on devices[0], B on devices[1], C on devices[0], D on devices[1]

    Best if the variables have similar sizes, or if old code's `replica_device_setter` placed them like this; if their
    sizes differ much, `Balanced` gives each device about the same number of bytes.

    Args:
      devices: device strings.

    Raises:
      ArgumentError: `devices` is not a list, or is empty.
      DeviceError: one of `devices` is not a device string.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = checked_devices("RoundRobin", devices)

    def placer(self) -> Placer:
        turn = itertools.cycle(self.devices)
        return Placer(lambda op: next(turn))

    def __repr__(self) -> str:
        return "RoundRobin({!r})".format(list(self.devices))
