"""`ParameterServer`: all variables on one device, as in TensorFlow's CIFAR-10 tutorial."""
from legacy_towers import devices as device_names
from legacy_towers.variables.base import Placer, Strategy


class ParameterServer(Strategy):
    """Places every variable on `device`: each tower reads it from there, and the reduced gradient is applied there.

    Best if the variables are small, or all towers share one device; with large variables the sums of gradients and the
    updates wait for that device, and `Balanced` distributes them.

    Args:
      device: a device string.

    Raises:
      DeviceError: `device` is not a device string.
    """

    def __init__(self, device: str = "/cpu:0") -> None:
        device_names.canonical(device)
        self.device = device

    def placer(self) -> Placer:
        return Placer(lambda op: self.device)

    def __repr__(self) -> str:
        return "ParameterServer({!r})".format(self.device)
