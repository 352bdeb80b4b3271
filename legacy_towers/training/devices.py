"""The devices of the towers and the checkpoint directory of a run, checked on this machine."""
import contextlib
import os
from typing import Iterator, List

from legacy_towers import devices
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.text.files import check_directory
from legacy_towers.training.settings import TrainSettings, check_towers


def tower_devices(device_type: str, towers: int, soft_placement: bool = False) -> List[str]:
    """Returns one device string per tower: the first CPUs or GPUs of this machine.

    Args:
      soft_placement: whether TensorFlow may move towers to other devices, where GPUs are missing.

    Raises:
      ArgumentError: an unknown type of device, or fewer than 1 tower.
      DeviceError: there are fewer GPUs than towers, and no soft placement.
    """
    check_towers(device_type, towers)
    if device_type == "cpu":
        return devices.cpus(towers)
    existing = len(devices.available("GPU"))
    if existing < towers and not soft_placement:
        raise DeviceError(
            "--device gpu with {} tower{}: this machine has {}; use {}, or --soft-placement to let TensorFlow move "
            "towers elsewhere".format(
                towers,
                "" if towers == 1 else "s",
                "{} GPU{}".format(existing or "no", "" if existing < 2 else "s"),
                "--towers {}".format(existing) if existing else "--device cpu",
            )
        )
    return ["/gpu:{}".format(index) for index in range(towers)]


def config_of_towers(device_type: str, towers: int) -> ConfigProto:
    """Returns the session's tf.ConfigProto to measure towers; on GPUs with allow_growth, since processes share them."""
    if device_type == "cpu":
        return session_config(logical_cpus=towers)
    return session_config(allow_growth=True)


def missing_device_advice(settings: TrainSettings) -> str:
    """Returns what to do, at the command line, about a device of a strategy or a reduction that does not exist."""
    given = [("--variables", settings.variables), ("--reduction", settings.reduction)]
    options = [option for option, value in given if value is not None]
    return "name devices that it has in {}, or pass --soft-placement to let TensorFlow move them".format(
        " and ".join(options) if options else "the job, or choose others by --variables and --reduction"
    )


def prepare_directory(option: str, path: str) -> None:
    """Creates a directory, unless it exists.

    Raises:
      ArgumentError: it can't be created, is not a directory, or is not writable.
    """
    if "://" in path:  # a file system of TensorFlow, such as hdfs://
        tf.io.gfile.makedirs(path)
        return
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise ArgumentError("{}: {!r} is not a directory".format(option, path)) from None
    except OSError as error:
        raise ArgumentError(
            "{}: the directory {!r} can't be created: {}".format(option, path, error.strerror)
        ) from None
    check_directory(option, path)


@contextlib.contextmanager
def created_directory(option: str, path: str) -> Iterator[None]:
    """Creates a directory as `prepare_directory` does; on leaving, removes it if it was created and is still empty."""
    is_new = "://" not in path and not os.path.exists(path)
    prepare_directory(option, path)
    try:
        yield
    finally:
        if is_new and not os.listdir(path):
            os.rmdir(path)
