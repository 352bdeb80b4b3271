"""Where towers are put, and where files go: what a run was asked for, checked against this machine."""
import os
from typing import List, Optional

from legacy_towers import devices
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError

KINDS = ("cpu", "gpu")


def tower_devices(kind: str, towers: int, soft_placement: bool = False) -> List[str]:
    """Returns one device string per tower: the first CPUs or GPUs of this machine.

    Raises:
      ArgumentError: an unknown kind of device, or no tower at all.
      DeviceError: there are not that many GPUs, and no soft placement.
    """
    if towers < 1:
        raise ArgumentError("--towers is {}: at least 1 is needed".format(towers))
    if kind not in KINDS:
        raise ArgumentError("--device is {!r}: allowed are 'cpu' and 'gpu'".format(kind))
    if kind == "cpu":
        return devices.cpus(towers)
    existing = len(devices.available("GPU"))
    if existing < towers and not soft_placement:
        raise DeviceError(
            "--device gpu with {} tower{}: this machine has {}; take {}, or --soft-placement to let TensorFlow move "
            "towers elsewhere".format(
                towers,
                "" if towers == 1 else "s",
                "{} GPU{}".format(existing or "no", "" if existing < 2 else "s"),
                "--towers {}".format(existing) if existing else "--device cpu",
            )
        )
    return ["/gpu:{}".format(index) for index in range(towers)]


def check_file(option: str, path: Optional[str]) -> None:
    """Raises ArgumentError unless a file can be written to `path`; None is no file."""
    if path is None:
        return
    if os.path.isdir(path):
        raise ArgumentError("{} is {!r}, which is a directory: name a file".format(option, path))
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise ArgumentError("{} is {!r}: there is no directory {!r}".format(option, path, folder))
    _check_writable(option, folder)


def prepare_directory(option: str, path: str) -> None:
    """Makes a directory, unless it is there.

    Raises:
      ArgumentError: it can't be made, is something else, or nothing can be written into it.
    """
    if "://" in path:  # a file system that TensorFlow alone knows
        tf.io.gfile.makedirs(path)
        return
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise ArgumentError("{}: {!r} is no directory".format(option, path)) from None
    except OSError as error:
        raise ArgumentError(
            "{}: the directory {!r} can't be made: {}".format(option, path, error.strerror)
        ) from None
    _check_writable(option, path)


def _check_writable(option: str, path: str) -> None:
    if not os.access(path, os.W_OK | os.X_OK):
        raise ArgumentError("{}: nothing can be written into the directory {!r}".format(option, path))
