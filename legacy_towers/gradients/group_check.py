"""Refuse a session in which an all-reduce over the towers' devices would wait for ever."""
from typing import Any, Dict, List, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.compat.session import config_of
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.names import quoted


def check_group_in(session: Any, devices: Sequence[str], asked_by: str) -> None:
    """Raises an error where an all-reduce over `devices` could not end in `session`.

    A group waits until all of its devices take part. In one process that only fails where a device does not exist: soft
    placement would put two members on one device. (Without it TensorFlow itself refuses the graph.) Over several
    processes, each server must know which of them leads.

    Args:
      session: a tf.Session, or a tf.train.MonitoredSession or its kin.
      devices: those of the group, each once.
      asked_by: what asked for it, such as "collective()".

    Raises:
      DeviceError: the session lacks one, or two of them are the same device.
      ArgumentError: they are in several processes, and the session's configuration names no leader.
    """
    existing = devices_room.session_devices(session)
    full: Dict[str, str] = {}
    for device in devices:
        found = [name for name in existing if devices_room.matches(device, name)]
        if not found:
            raise DeviceError(
                "{} reduces over {}, and this session has no {!r} (it has {}): soft placement would put two towers on "
                "one device, and the step would wait for ever. Give it the device, as by lt.session_config("
                "logical_cpus=N) for CPUs, or make the step for the devices there are".format(
                    asked_by, quoted(devices), device, quoted(map(devices_room.short_name, existing))
                )
            )
        for name in found:
            if name in full:
                raise DeviceError(
                    "{} reduces over {!r} and {!r}, which are one device in this session, {}: spell it in the same way "
                    "for all towers".format(asked_by, full[name], device, devices_room.short_name(name))
                )
            full[name] = device
    _check_leader(session, existing, sorted({_task(name) for name in full}), asked_by)


def _check_leader(session: Any, existing: Sequence[str], tasks: List[str], asked_by: str) -> None:
    config = config_of(session)
    if len(tasks) < 2 or config is None:
        return
    leader = config.experimental.collective_group_leader
    if leader not in {_task(name) for name in existing}:
        raise ArgumentError(
            "{} reduces over the devices of {}, and {}: the step would wait for ever. Make every tf.train.Server and "
            "this session with config=lt.session_config(collective_leader={!r})".format(
                asked_by,
                quoted(tasks),
                "the session's leader, {!r}, is no task of its cluster".format(leader)
                if leader
                else "the session names no task that leads",
                tasks[0],
            )
        )


def _task(device: str) -> str:
    return device.rpartition("/device:")[0]


class GroupCheck(tf.train.SessionRunHook):
    """Checks a new session by `check_group_in`, before its first step."""

    def __init__(self, devices: Sequence[str], asked_by: str) -> None:
        self._devices = list(devices)
        self._asked_by = asked_by

    def after_create_session(self, session: Any, coord: Any) -> None:
        check_group_in(session, self._devices, self._asked_by)
