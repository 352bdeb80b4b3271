"""Lists devices, and checks that a session has the devices of the towers.

A device is a TensorFlow device string: "/gpu:0", "/device:CPU:1", "/job:worker/task:0/gpu:1". Towers may share a
device: `lt.devices.gpus(2) * 2` is four towers on two GPUs.
"""
import warnings
from typing import Any, List, NamedTuple, Optional, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.devices import list_local_devices
from legacy_towers.compat.versions.session import config_of, raw_session
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import listed


@documented_fields
class Device(NamedTuple):
    """A device of this machine.

    Attributes:
      name: its short name, such as "/gpu:0".
      type: "CPU" or "GPU".
      memory: bytes that TensorFlow may use; None for a CPU, which has no limit.
      description: the physical device; "" for a CPU.
    """

    name: str
    type: str
    memory: Optional[int]
    description: str


@documented_fields
class Missing(NamedTuple):
    """A tower whose device a session lacks.

    Attributes:
      tower: the index of the tower.
      device: the device string, as given.
    """

    tower: int
    device: str


def available(device_type: Optional[str] = None) -> List[Device]:
    """Returns the devices of this machine: CPUs and GPUs, or those of `device_type` only.

    There is one CPU device, as by TensorFlow's default; see `cpus` for more. The XLA_CPU and XLA_GPU devices of TF 1.15
    are the same hardware and are returned only if `device_type` asks for them.
    """
    wanted = None if device_type is None else device_type.upper()
    devices = [
        Device(short_name(each.name), each.type, None if "CPU" in each.type else each.memory_limit, each.description)
        for each in list_local_devices()
    ]
    return [each for each in devices if each.type == wanted or wanted is None and not each.type.startswith("XLA_")]


def default_device() -> str:
    """Returns TensorFlow's device for ops without `tf.device`: the lowest-numbered GPU, or "/cpu:0" without GPUs."""
    return _default([each.name for each in available()])


def cpus(n: int = 1) -> List[str]:
    """Returns `n` logical CPU devices, "/cpu:0" and up, which share this machine's cores.

    The session must create them: pass it `config=lt.session_config(logical_cpus=n)`.

    Raises:
      ArgumentError: `n` is not a whole number of at least 1.
    """
    return ["/cpu:{}".format(index) for index in range(_checked_count(n))]


def logical_cpus(devices: Sequence[str]) -> int:
    """Returns how many logical CPU devices a session needs for these devices, at least 1."""
    specs = [_parsed(device) for device in devices]
    return 1 + max((spec.device_index or 0 for spec in specs if spec.device_type == "CPU"), default=0)


def gpus(n: Optional[int] = None, soft_placement: bool = False) -> List[str]:
    """Returns `n` GPU devices, "/gpu:0" and up.

    Args:
      n: the number of GPUs; None: all GPUs of this machine.
      soft_placement: whether devices that do not exist are returned too, with a warning. TensorFlow moves their towers
        to other devices if the session has `config=lt.session_config(soft_placement=True)`.

    Raises:
      ArgumentError: `n` is not a whole number of at least 1.
      DeviceError: there are fewer than `n` GPUs, or none; the message lists the existing devices.
    """
    names = [each.name for each in available()]
    existing = [name for name in names if name.startswith("/gpu:")]
    requested = [] if n is None else ["/gpu:{}".format(index) for index in range(_checked_count(n))]
    if n is None and existing:
        return existing
    missing = [Missing(tower, device) for tower, device in enumerate(requested) if device not in existing]
    if requested and not missing:
        return requested
    if requested and soft_placement:
        warnings.warn(_soft_placement_text(missing, names, "this machine"), stacklevel=2)
        return requested
    advice = "lt.devices.gpus({})".format(len(existing))
    if not existing:
        advice = "lt.devices.cpus({})".format(n or 1)
        if n is not None and n > 1:  # a session has one CPU device by default
            advice += " and config=lt.session_config(logical_cpus={})".format(n)
    raise DeviceError(
        "{} requested, but this machine has {}: use {}, or pass soft_placement=True here and to lt.session_config to "
        "let TensorFlow move the towers".format(
            "{} GPUs were".format(n) if n and n > 1 else "a GPU was", _device_list(names), advice
        )
    )


def canonical(device: str) -> str:
    """Returns the canonical device string: "/cpu:1" and "cpu:1" become "/device:CPU:1", "/gpu" becomes "/device:GPU:*".

    An empty string stays empty.

    Raises:
      DeviceError: `device` is not a device string.
    """
    return _parsed(device).to_string()


def check_list(
    devices: Any, argument: str, wanted: str = "a list of device strings, such as lt.devices.cpus(4)"
) -> None:
    """Checks that an argument is a non-empty list of device strings.

    Raises:
      ArgumentError: `devices` is not a list or tuple, or is empty.
      DeviceError: an element is not a device string.
    """
    if not isinstance(devices, (list, tuple)) or not devices:
        raise ArgumentError("{} is {!r}: give {}".format(argument, devices, wanted))
    for device in devices:
        canonical(device)


def short_name(device: str) -> str:
    """Returns the short device string: "/cpu:1", or "/job:worker/task:0/gpu:1" in a cluster; "" stays "".

    The job "localhost" and replica 0, which TensorFlow adds to every device of a local session, are left out.
    """
    spec = _parsed(device)
    parts = []
    if spec.job is not None and spec.job != "localhost":
        parts.append("/job:{}".format(spec.job))
    if spec.replica:
        parts.append("/replica:{}".format(spec.replica))
    if spec.task is not None and spec.job != "localhost":
        parts.append("/task:{}".format(spec.task))
    if spec.device_type is not None:
        is_short = spec.device_type in ("CPU", "GPU")
        parts.append("/{}".format(spec.device_type.lower()) if is_short else "/device:{}".format(spec.device_type))
        if spec.device_index is not None:
            parts.append(":{}".format(spec.device_index))
    return "".join(parts)


def matches(requested: str, device: str) -> bool:
    """Returns whether `device` has every field (job, replica, task, type, index) that `requested` specifies.

        matches("/cpu:1", "/job:localhost/replica:0/task:0/device:CPU:1")  is True
        matches("/gpu",   "/job:localhost/replica:0/task:0/device:GPU:3")  is True
        matches("",       anything)                                        is True
    """
    requested_spec, spec = _parsed(requested), _parsed(device)
    return all(
        getattr(requested_spec, field) is None or getattr(requested_spec, field) == getattr(spec, field)
        for field in ("job", "replica", "task", "device_type", "device_index")
    )


def session_devices(session: Any) -> List[str]:
    """Returns the full names of a session's devices, without the XLA_CPU and XLA_GPU devices of TF 1.15."""
    return [each.name for each in _listed(session) if not each.device_type.startswith("XLA_")]


def missing_in(session: Any, devices: Sequence[str]) -> List[Missing]:
    """Returns the towers whose device a session lacks.

    Args:
      session: a tf.Session or a MonitoredSession.
      devices: one device string per tower.

    Raises:
      DeviceError: one of `devices` is not a device string.
    """
    return missing_among([each.name for each in _listed(session)], devices)


def missing_among(existing: Sequence[str], devices: Sequence[str]) -> List[Missing]:
    """Returns the towers whose device is not among `existing`, the full names of a session's devices."""
    return [
        Missing(tower, device)
        for tower, device in enumerate(devices)
        if not any(matches(device, name) for name in existing)
    ]


def check_session(session: Any, devices: Sequence[str]) -> None:
    """Checks that a session has the devices of all towers; with soft placement, warns where the others will run.

    Args:
      session: a tf.Session or a MonitoredSession.
      devices: one device string per tower.

    Raises:
      DeviceError: the session lacks a device and has no soft placement; the message names the towers, the session's
        devices, and what to do.
    """
    missing = missing_in(session, devices)
    if not missing:
        return
    existing = session_devices(session)
    config = config_of(session)
    if config is not None and config.allow_soft_placement:
        warnings.warn(_soft_placement_text(missing, existing, "this session"), stacklevel=2)
        return
    raise missing_error(missing, devices, existing)


def missing_error(missing: Sequence[Missing], devices: Sequence[str], existing: Sequence[str]) -> DeviceError:
    """Returns the error that names the towers, the devices that exist, and what to do."""
    return DeviceError(
        "{} for {} that this session does not have (it has {}): {}".format(
            _towers_text(missing),
            "a device" if len({canonical(each.device) for each in missing}) == 1 else "devices",
            _device_list(existing),
            _advice(missing, devices, existing),
        )
    )


def _listed(session: Any) -> List[Any]:
    raw = raw_session(session)
    if raw is None:
        raise DeviceError("the session is closed and has no devices: check it before it is closed")
    return raw.list_devices()


def _parsed(device: str) -> Any:
    if not isinstance(device, str):
        raise DeviceError(
            "{!r} is not a device string: write it like /gpu:0 or /job:worker/task:0/cpu:1".format(device)
        )
    try:
        spec = tf.DeviceSpec.from_string(device)
    except ValueError as error:
        raise DeviceError(
            "{!r} is not a device string ({}): write it like /gpu:0 or /job:worker/task:0/cpu:1".format(
                device, str(error).rstrip(".")
            )
        ) from None
    if spec.device_index is not None and spec.device_index < 0:
        raise DeviceError("{!r} is not a device string: device indexes start at 0".format(device))
    return spec


def _checked_count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ArgumentError("the number of devices must be a whole number of at least 1, got {!r}".format(n))
    return n


def _default(names: Sequence[str]) -> str:
    gpu_indexes = [_parsed(name).device_index for name in names if _parsed(name).device_type == "GPU"]
    return "/gpu:{}".format(min(gpu_indexes)) if gpu_indexes else "/cpu:0"


def _device_list(names: Sequence[str]) -> str:
    short = [short_name(name) for name in names]
    text = listed(short) or "no device"
    return text if any(_parsed(name).device_type == "GPU" for name in names) else text + ", no GPU"


def _towers_text(missing: Sequence[Missing]) -> str:
    each = ["{} ({})".format(one.tower, one.device) for one in missing]
    return ("tower {} asks" if len(each) == 1 else "towers {} ask").format(listed(each))


def _soft_placement_text(missing: Sequence[Missing], names: Sequence[str], owner: str) -> str:
    # Soft placement drops the type and index of a device that does not exist, which leaves TensorFlow's default.
    moves = ["tower {} asks for {} and will run on {}".format(one.tower, one.device, _default(names))
             for one in missing]
    return "{} (soft placement: {} has {})".format("; ".join(moves), owner, _device_list(names))


def _advice(missing: Sequence[Missing], devices: Sequence[str], existing: Sequence[str]) -> str:
    types: Set[Optional[str]] = set()
    for each in missing:
        spec = _parsed(each.device)
        # A device of a job belongs to this process only if the session has a device of that job.
        is_local = matches(spec.replace(device_type=None, device_index=None).to_string(), existing[0])
        types.add(spec.device_type if is_local else None)
    if None in types:
        return "a device of another job or task needs a session on its server, tf.Session(server.target)"
    if types == {"CPU"}:
        return "create the session with config=lt.session_config(logical_cpus={})".format(logical_cpus(devices))
    gpu_count = sum(_parsed(name).device_type == "GPU" for name in existing)
    fewer = "use fewer towers (lt.devices.gpus({}))".format(gpu_count) if gpu_count else (
        "put the towers on CPUs (lt.devices.cpus({0}) and config=lt.session_config(logical_cpus={0}))".format(
            len(devices)))
    return fewer + ", or let TensorFlow move them with config=lt.session_config(soft_placement=True)"
