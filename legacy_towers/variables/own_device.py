"""Every variable on the device of the tower that makes it."""
from typing import Any, Callable

from legacy_towers.variables.base import Placer


class OwnDevicePlacer(Placer):
    """Puts each tower's variables, like all else of it, on the tower's device."""

    def __init__(self) -> None:
        pass

    def for_tower(self, device: str) -> Callable[[Any], str]:
        return Placer(lambda op: device).for_tower(device)
