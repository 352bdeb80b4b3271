"""Refuse a session that lacks a tower's device, before the first step."""
from typing import Any, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.compat.session import config_of


def check_devices_of(session: Any, devices: Sequence[str]) -> None:
    """Raises DeviceError if `session` lacks one of the towers' devices and has no soft placement.

    Under soft placement nothing is said here: the first run shows what really moved, and warns of it.
    """
    config = config_of(session)
    if config is None or not config.allow_soft_placement:
        devices_room.check_session(session, devices)


class DeviceCheckHook(tf.train.SessionRunHook):
    """The check for MonitoredSession and its kin."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = list(devices)

    def after_create_session(self, session: Any, coord: Any) -> None:
        check_devices_of(session, self._devices)
