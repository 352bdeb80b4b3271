"""Clusters: which processes train together, on which machines, and the start of each of them.

    cluster = lt.cluster.from_environment()
    print(cluster)
    server = lt.cluster.start(cluster, job="digits", flags={"steps": 1000})

Names are loaded when they are first used, so that the tasks of a cluster can be found without importing TensorFlow.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from legacy_towers.cluster.barrier import refuse as refuse
    from legacy_towers.cluster.barrier import start as start
    from legacy_towers.cluster.environment import from_environment as from_environment
    from legacy_towers.cluster.finished import finish as finish
    from legacy_towers.cluster.finished import serve as serve
    from legacy_towers.cluster.server import start_server as start_server
    from legacy_towers.cluster.value import Cluster as Cluster
    from legacy_towers.cluster.value import Task as Task
    from legacy_towers.cluster.worker_config import session_config as session_config

_NAMES = {
    "Cluster": "legacy_towers.cluster.value",
    "Task": "legacy_towers.cluster.value",
    "finish": "legacy_towers.cluster.finished",
    "from_environment": "legacy_towers.cluster.environment",
    "refuse": "legacy_towers.cluster.barrier",
    "serve": "legacy_towers.cluster.finished",
    "session_config": "legacy_towers.cluster.worker_config",
    "start": "legacy_towers.cluster.barrier",
    "start_server": "legacy_towers.cluster.server",
}

__all__ = [
    "Cluster", "Task", "finish", "from_environment", "refuse", "serve", "session_config", "start", "start_server",
]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    return getattr(importlib.import_module(_NAMES[name]), name)


def __dir__() -> List[str]:
    return list(__all__)
