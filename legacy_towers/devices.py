"""Which devices there are, which ones towers ask for, and which of those a session lacks.

A device is a TensorFlow device string: "/gpu:0", "/device:CPU:1", "/job:worker/task:0/gpu:1". Two towers share a device
when both name it: `lt.devices.gpus(2) * 2` is four towers on two GPUs.

TensorFlow's own default, for an op under no `tf.device` at all, is the lowest-numbered GPU, and CPU 0 where there is no
GPU or the op has no GPU kernel. Nothing here changes it; `default_device()` says which one it is.
"""
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.devices import list_local_devices
from legacy_towers.compat.session import config_of, raw_session
from legacy_towers.errors import ArgumentError, DeviceError


class Device(NamedTuple):
    """A device of this machine."""

    name: str  # "/gpu:0"
    type: str  # "CPU", "GPU"
    memory: Optional[int]  # bytes that TensorFlow may use; None for a CPU, which has no such limit
    description: str  # what it physically is; empty for a CPU


class Missing(NamedTuple):
    """A tower whose device a session lacks."""

    tower: int
    device: str  # as it was asked for


def available(device_type: Optional[str] = None) -> List[Device]:
    """Returns the devices of this machine: CPUs and GPUs, or those of `device_type` only.

    CPUs are counted as TensorFlow counts them by default: one, whatever its cores; see `cpus`. The XLA_CPU and XLA_GPU
    devices of TF 1.15 are views of the same hardware and show only under `available("XLA_CPU")`.
    """
    wanted = None if device_type is None else device_type.upper()
    devices = [
        Device(short_name(each.name), each.type, None if "CPU" in each.type else each.memory_limit, each.description)
        for each in list_local_devices()
    ]
    return [each for each in devices if each.type == wanted or wanted is None and not each.type.startswith("XLA_")]


def default_device() -> str:
    """Returns the device of ops that name none: the lowest-numbered GPU, otherwise "/cpu:0"."""
    return _default([each.name for each in available()])


def cpus(n: int = 1) -> List[str]:
    """Returns `n` CPU devices, "/cpu:0" and up.

    CPU devices are logical: they share this machine's cores, and how many there are is up to each session. So this
    never fails, and the session needs `config=lt.session_config(logical_cpus=n)`.
    """
    return ["/cpu:{}".format(index) for index in range(_checked_count(n))]


def gpus(n: Optional[int] = None, soft_placement: bool = False) -> List[str]:
    """Returns `n` GPU devices, "/gpu:0" and up; without `n` all GPUs of this machine.

    Args:
      n: how many.
      soft_placement: whether towers may be on GPUs that do not exist. TensorFlow then moves them elsewhere if the
        session has `config=lt.session_config(soft_placement=True)`; a warning says which tower goes where.

    Raises:
      DeviceError: there are fewer than `n`, or none; the message lists what there is.
    """
    names = [each.name for each in available()]
    existing = [name for name in names if name.startswith("/gpu:")]
    asked = [] if n is None else ["/gpu:{}".format(index) for index in range(_checked_count(n))]
    if n is None and existing:
        return existing
    missing = [Missing(tower, device) for tower, device in enumerate(asked) if device not in existing]
    if asked and not missing:
        return asked
    if asked and soft_placement:
        warnings.warn(_moving(missing, names, "this machine"), stacklevel=2)
        return asked
    advice = "lt.devices.gpus({})".format(len(existing)) if existing else "lt.devices.cpus({})".format(n or 1)
    raise DeviceError(
        "{} asked for, but this machine has {}: ask for what there is ({}), or say soft_placement=True here and in "
        "lt.session_config to let TensorFlow move the towers".format(
            "{} GPUs were".format(n) if n and n > 1 else "a GPU was", _listing(names), advice
        )
    )


def canonical(device: str) -> str:
    """Returns the one full spelling of a device: "/cpu:1" and "cpu:1" are "/device:CPU:1"; job and task stay.

    An empty string, which is no device, stays empty. What is left open stays open: "/gpu" is "/device:GPU:*".

    Raises:
      DeviceError: `device` is no device string.
    """
    return _parsed(device).to_string()


def check_list(
    devices: Any, argument: str, wanted: str = "a list of device strings, such as lt.devices.cpus(4)"
) -> None:
    """Refuses what is no list of device strings.

    Args:
      devices: what was given.
      argument: the name of the argument, for the message.
      wanted: what to give, for the message.

    Raises:
      ArgumentError: it is no list, or an empty one.
      DeviceError: one of them is no device string.
    """
    if not isinstance(devices, (list, tuple)) or not devices:
        raise ArgumentError("{} is {!r}: give {}".format(argument, devices, wanted))
    for device in devices:
        canonical(device)


def short_name(device: str) -> str:
    """Returns the spelling for people: "/cpu:1", and "/job:worker/task:0/gpu:1" for a job's; "" stays "".

    The job "localhost" and replica 0, which TensorFlow adds to every device of a plain session, are left out.
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
        plain = spec.device_type in ("CPU", "GPU")
        parts.append("/{}".format(spec.device_type.lower()) if plain else "/device:{}".format(spec.device_type))
        if spec.device_index is not None:
            parts.append(":{}".format(spec.device_index))
    return "".join(parts)


def matches(asked: str, got: str) -> bool:
    """Returns whether the device `got` is one that `asked` allows: each part that `asked` names is the same in `got`.

        matches("/cpu:1", "/job:localhost/replica:0/task:0/device:CPU:1")  is True
        matches("/gpu",   "/job:localhost/replica:0/task:0/device:GPU:3")  is True
        matches("",       anything)                                        is True
    """
    asked_spec, got_spec = _parsed(asked), _parsed(got)
    return all(
        getattr(asked_spec, part) is None or getattr(asked_spec, part) == getattr(got_spec, part)
        for part in ("job", "replica", "task", "device_type", "device_index")
    )


def session_devices(session: Any) -> List[str]:
    """Returns the full names of a session's devices, without TF 1.15's XLA_CPU and XLA_GPU."""
    return [each.name for each in _listed(session) if not each.device_type.startswith("XLA_")]


def missing_in(session: Any, devices: Sequence[str]) -> List[Missing]:
    """Returns which towers ask for a device that a session lacks.

    Args:
      session: a tf.Session, or a MonitoredSession or its kin.
      devices: one device string per tower.

    Raises:
      DeviceError: one of `devices` is no device string.
    """
    existing = [each.name for each in _listed(session)]
    return [
        Missing(tower, device)
        for tower, device in enumerate(devices)
        if not any(matches(device, name) for name in existing)
    ]


def check_session(session: Any, devices: Sequence[str]) -> None:
    """Refuses a session that lacks a tower's device; under soft placement warns where each such tower will run.

    Args:
      session: a tf.Session, or a MonitoredSession or its kin.
      devices: one device string per tower.

    Raises:
      DeviceError: the session lacks a device and has no soft placement; the message names the towers, what the session
        has, and what to do.
    """
    missing = missing_in(session, devices)
    if not missing:
        return
    existing = session_devices(session)
    config = config_of(session)
    if config is not None and config.allow_soft_placement:
        warnings.warn(_moving(missing, existing, "this session"), stacklevel=2)
        return
    raise DeviceError(
        "{} for {} that this session does not have (it has {}): {}".format(
            _towers_ask(missing),
            "a device" if len({canonical(each.device) for each in missing}) == 1 else "devices",
            _listing(existing),
            _remedy(missing, devices, existing),
        )
    )


def _listed(session: Any) -> List[Any]:
    raw = raw_session(session)
    if raw is None:
        raise DeviceError("the session is closed and has no devices any more: ask before its end")
    return raw.list_devices()


def _parsed(device: str) -> Any:
    if not isinstance(device, str):
        raise DeviceError("{!r} is no device string: write it like /gpu:0 or /job:worker/task:0/cpu:1".format(device))
    try:
        spec = tf.DeviceSpec.from_string(device)
    except ValueError as error:
        raise DeviceError(
            "{!r} is no device string ({}): write it like /gpu:0 or /job:worker/task:0/cpu:1".format(
                device, str(error).rstrip(".")
            )
        ) from None
    if spec.device_index is not None and spec.device_index < 0:
        raise DeviceError("{!r} is no device string: devices are counted from 0".format(device))
    return spec


def _checked_count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ArgumentError("{!r} devices were asked for: allowed is a whole number from 1 up".format(n))
    return n


def _default(names: Sequence[str]) -> str:
    gpu_indexes = [_parsed(name).device_index for name in names if _parsed(name).device_type == "GPU"]
    return "/gpu:{}".format(min(gpu_indexes)) if gpu_indexes else "/cpu:0"


def _listing(names: Sequence[str]) -> str:
    short = [short_name(name) for name in names]
    text = " and ".join([", ".join(short[:-1]), short[-1]]) if len(short) > 1 else "".join(short) or "no device"
    return text if any(_parsed(name).device_type == "GPU" for name in names) else text + ", no GPU"


def _towers_ask(missing: Sequence[Missing]) -> str:
    each = ["{} ({})".format(one.tower, one.device) for one in missing]
    if len(each) == 1:
        return "tower {} asks".format(each[0])
    return "towers {} and {} ask".format(", ".join(each[:-1]), each[-1])


def _moving(missing: Sequence[Missing], names: Sequence[str], owner: str) -> str:
    """Soft placement drops type and number of a device that does not exist, which leaves TensorFlow's default."""
    moves = ["tower {} asks for {} and will run on {}".format(one.tower, one.device, _default(names))
             for one in missing]
    return "{} (soft placement: {} has {})".format("; ".join(moves), owner, _listing(names))


def _remedy(missing: Sequence[Missing], devices: Sequence[str], existing: Sequence[str]) -> str:
    asked: Dict[Optional[str], List[int]] = {}
    for each in missing:
        spec = _parsed(each.device)
        # A device of a job is only of this process if the session has a device of that job.
        known = matches(_parsed(each.device).replace(device_type=None, device_index=None).to_string(), existing[0])
        asked.setdefault(spec.device_type if known else None, []).append(spec.device_index or 0)
    if None in asked:
        return "a device of another job or task needs a session on its server, tf.Session(server.target)"
    if set(asked) == {"CPU"}:
        count = 1 + max(_parsed(device).device_index or 0 for device in devices if _parsed(device).device_type == "CPU")
        return "make the session with config=lt.session_config(logical_cpus={})".format(count)
    gpu_count = sum(_parsed(name).device_type == "GPU" for name in existing)
    fewer = "use fewer towers (lt.devices.gpus({}))".format(gpu_count) if gpu_count else (
        "put the towers on CPUs (lt.devices.cpus({0}) and config=lt.session_config(logical_cpus={0}))".format(
            len(devices)))
    return fewer + ", or let TensorFlow move them with config=lt.session_config(soft_placement=True)"
