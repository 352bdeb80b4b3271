"""Refuse a session that lacks a tower's device, before the first step."""
from typing import Any, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat.session import config_of


def check_devices_of(session: Any, devices: Sequence[str]) -> None:
    """Raises DeviceError if `session` lacks one of the towers' devices and has no soft placement.

    Under soft placement nothing is said here: the first run shows what really moved, and warns of it. In a
    MonitoredSession TensorFlow's own error comes first, at the initializers, before any hook sees the session.
    """
    config = config_of(session)
    if config is None or not config.allow_soft_placement:
        devices_room.check_session(session, devices)
