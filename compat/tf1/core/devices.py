"""tf.config.experimental_list_devices, which 2.x dropped."""
from typing import List

from legacy_towers.compat.versions import tf


def experimental_list_devices() -> List[str]:
    """Returns the names of this process's devices, such as "/job:localhost/replica:0/task:0/device:CPU:0"."""
    with tf.Session(graph=tf.Graph()) as session:
        return [device.name for device in session.list_devices()]
