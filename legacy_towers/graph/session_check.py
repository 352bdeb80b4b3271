"""Rejects a session that lacks a device that a step needs, before the first step."""
import re
from typing import Optional, Sequence, Tuple

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph_hooks import explain_refusal
from legacy_towers.compat.versions.session import config_of
from legacy_towers.errors import DeviceError
from legacy_towers.tensor_types import Coordinator, DeviceString, Graph, Session
from legacy_towers.text.names import quoted

# What else is on a device, for the message, and the device: ("'fc/w' lives", "/cpu:3"); "" for no particular device.
Uses = Sequence[Tuple[str, DeviceString]]
_AVAILABLE = re.compile(r"available devices (?:are )?\[([^\]]*)\]")


def check_devices_of(session: Session, devices: Sequence[DeviceString], uses: Uses = (), advice: str = "") -> None:
    """Raises DeviceError if `session` lacks a device that is needed, and has no soft placement.

    Under soft placement nothing is checked here: the first run shows what really moved, and warns of it.

    Args:
      advice: what to do about a missing device of `uses`, in place of the advice on sessions and devices.
    """
    config = config_of(session)
    if config is None or not config.allow_soft_placement:
        device_names.check_session(session, devices)
        error = _uses_error(device_names.session_devices(session), uses, advice)
        if error is not None:
            raise error


class DeviceCheckHook(tf.train.SessionRunHook):
    """Runs `check_devices_of` when a session has been created.

    In a MonitoredSession the initializers run before that, and TensorFlow places the whole graph in the first run: see
    `explain_missing_devices`. `TrainStep.check_devices` checks before.
    """

    def __init__(self, devices: Sequence[DeviceString], uses: Uses) -> None:
        self._devices = devices
        self._uses = uses

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        check_devices_of(session, self._devices, self._uses)


def explain_missing_devices(graph: Graph, devices: Sequence[DeviceString], uses: Uses) -> None:
    """Raises the error of `check_devices_of` where TensorFlow can't place `graph`; TensorFlow's error is its cause.

    TensorFlow's error stays alone where it is not about a device of the towers or of `uses`, in a session of another
    process's server, and with graph_options.place_pruned_graph.
    """

    def explain(error: Exception) -> Optional[DeviceError]:
        found = _AVAILABLE.search(str(error))
        if found is None:
            return None
        listed = [name.strip() for name in found.group(1).split(",")]
        existing = [name for name in listed if "/device:XLA_" not in name]
        missing = device_names.missing_among(listed, devices)
        return device_names.missing_error(missing, devices, existing) if missing else _uses_error(existing, uses)

    explain_refusal(graph, explain)


def _uses_error(existing: Sequence[str], uses: Uses, advice: str = "") -> Optional[DeviceError]:
    missing = device_names.missing_among(existing, [device for _, device in uses])
    if not missing:
        return None
    specs = [tf.DeviceSpec.from_string(device_names.canonical(each.device)) for each in missing]
    if not advice:
        advice = "name devices that it has"
        if all(spec.device_type == "CPU" and spec.job in (None, "localhost") for spec in specs):
            count = device_names.logical_cpus([each.device for each in missing])
            advice += ", or make it with config=lt.session_config(logical_cpus={})".format(count)
    return DeviceError(
        "{}, which this session does not have (it has {}): {}".format(
            "; ".join(
                "{} on {}".format(uses[each.tower][0], device_names.short_name(each.device)) for each in missing
            ),
            quoted(map(device_names.short_name, existing)),
            advice,
        )
    )
