"""Variables dealt out over devices in turn, as `tf.train.replica_device_setter` does."""
import itertools
from typing import Sequence

from legacy_towers.variables.base import Placer, Strategy, checked_devices


class RoundRobin(Strategy):
    """The first variable lives on the first of `devices`, the second on the second, and so on, in order of creation.

    Best where the variables are of about one size, or where old code's `replica_device_setter` placed them so; where
    their sizes differ much, `Balanced` gives each device about as much to do.

    Raises:
      ArgumentError: no list, or an empty one.
      DeviceError: one of `devices` is no device string.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = checked_devices("RoundRobin", devices)

    def placer(self) -> Placer:
        turn = itertools.cycle(self.devices)
        return Placer(lambda op: next(turn))

    def __repr__(self) -> str:
        return "RoundRobin({!r})".format(list(self.devices))
