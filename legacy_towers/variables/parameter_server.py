"""All variables on one device: the CIFAR-10 tutorial's way."""
from legacy_towers.variables.base import Placer, Strategy


class ParameterServer(Strategy):
    """Every variable lives on `device`; each tower reads it from there and the averaged gradient is applied there."""

    def __init__(self, device: str = "/cpu:0") -> None:
        self.device = device

    def placer(self) -> Placer:
        return Placer(lambda op: self.device)

    def __repr__(self) -> str:
        return "ParameterServer({!r})".format(self.device)
