"""All variables on one device: the CIFAR-10 tutorial's way."""
from legacy_towers import devices as device_names
from legacy_towers.variables.base import Placer, Strategy


class ParameterServer(Strategy):
    """Every variable lives on `device`; each tower reads it from there and the averaged gradient is applied there.

    Best where the variables are small, or all towers share one device; with large ones the sums of gradients and the
    updates wait for that device, and `Balanced` spreads them.

    Raises:
      DeviceError: `device` is no device string.
    """

    def __init__(self, device: str = "/cpu:0") -> None:
        device_names.canonical(device)
        self.device = device

    def placer(self) -> Placer:
        return Placer(lambda op: self.device)

    def __repr__(self) -> str:
        return "ParameterServer({!r})".format(self.device)
