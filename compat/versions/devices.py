"""The devices of this machine."""
from typing import TYPE_CHECKING, List, NamedTuple, Optional

if TYPE_CHECKING:
    from legacy_towers.compat.versions import tf


class LocalDevice(NamedTuple):
    name: str  # as a graph names it: /device:GPU:0
    type: str  # CPU, GPU, ...; TensorFlow 1.15 has XLA_CPU and XLA_GPU too
    memory_limit: int  # bytes
    description: str  # of the physical device; empty for a CPU


def list_local_devices(config: "Optional[tf.ConfigProto]" = None) -> List[LocalDevice]:
    """Returns the devices that a session with `config` would have.

    A process makes each GPU's memory pool once, at the first session or at this call, with the options given there: the
    memory_fraction and allow_growth of later sessions have no effect. Pass the config of the session that follows.
    Without a config, allow_growth is on, so that listing the devices does not take all their memory.
    """
    # No public name; TensorFlow's own tools use this one. Tried on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python.client import device_lib

    from legacy_towers.compat.versions import tf

    if config is None:
        config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    return [
        LocalDevice(each.name, each.device_type, int(each.memory_limit), each.physical_device_desc)
        for each in device_lib.list_local_devices(session_config=config)
    ]


def prefers_own_task() -> bool:
    """Returns whether an operation whose device names no task runs on the task that its session is connected to.

    So it does on TensorFlow 2; 1.15 takes the first task of the cluster, such as /job:ps/task:0. Tried on 1.15 and
    2.21.
    """
    from legacy_towers.compat.versions import tf

    return not tf.__version__.startswith("1.")
