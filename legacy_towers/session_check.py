"""Refuse a session that lacks a device that a step needs, before the first step."""
from typing import Any, Sequence, Tuple

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.compat.session import config_of
from legacy_towers.errors import DeviceError
from legacy_towers.names import quoted


def check_devices_of(session: Any, devices: Sequence[str], uses: Sequence[Tuple[str, str]] = ()) -> None:
    """Raises DeviceError if `session` lacks a device that is needed, and has no soft placement.

    Under soft placement nothing is said here: the first run shows what really moved, and warns of it. In a
    MonitoredSession TensorFlow's own error comes first, at the initializers, before any hook sees the session.

    Args:
      session: a tf.Session, or a tf.train.MonitoredSession or its kin.
      devices: one device string per tower.
      uses: (what is on a device besides, in words, the device): "'fc/w' lives", "/cpu:3"; "" for no device in
        particular.
    """
    config = config_of(session)
    if config is None or not config.allow_soft_placement:
        devices_room.check_session(session, devices)
        _check_uses(session, uses)


def _check_uses(session: Any, uses: Sequence[Tuple[str, str]]) -> None:
    missing = devices_room.missing_in(session, [device for _, device in uses])
    if not missing:
        return
    specs = [tf.DeviceSpec.from_string(devices_room.canonical(each.device)) for each in missing]
    advice = "name devices that it has"
    if all(spec.device_type == "CPU" and spec.job in (None, "localhost") for spec in specs):
        count = 1 + max(spec.device_index or 0 for spec in specs)
        advice += ", or make it with config=lt.session_config(logical_cpus={})".format(count)
    raise DeviceError(
        "{}, which this session does not have (it has {}): {}".format(
            "; ".join("{} on {}".format(uses[each.tower][0], devices_room.short_name(each.device)) for each in missing),
            quoted(map(devices_room.short_name, devices_room.session_devices(session))),
            advice,
        )
    )
