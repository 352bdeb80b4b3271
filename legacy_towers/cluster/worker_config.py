"""The ConfigProto of a worker's session, and that of its server."""
from typing import Any

from legacy_towers.cluster.value import PARAMETER_SERVER, Cluster, Task
from legacy_towers.config import session_config as config_of_options
from legacy_towers.tensor_types import ConfigProto


def session_config(cluster: Cluster, **options: Any) -> ConfigProto:
    """Returns the ConfigProto for the session of this worker, and for `lt.cluster.start`.

    It names the leader of all-reduces, the chief, and lets the session see the devices of its own task, and of the
    parameter servers, alone: so no session waits until the other workers have one.

    Args:
      options: those of `lt.session_config`, such as logical_cpus=2.

    Raises:
      ArgumentError: an option is out of range or unknown.
    """
    servers = [Task(PARAMETER_SERVER, index).device for index in range(cluster.parameter_servers)]
    filters = [cluster.task.device] + [each for each in servers if each != cluster.task.device]
    return config_of_options(
        collective_leader=cluster.chief.device, device_filters=filters, **options
    )


def of_server(config: ConfigProto) -> ConfigProto:
    """Returns a copy of a session's configuration for the server, which other tasks have to see."""
    copy = type(config)()
    copy.CopyFrom(config)
    del copy.device_filters[:]
    return copy
