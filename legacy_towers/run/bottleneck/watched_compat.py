"""What the measured script imports instead of `legacy_towers.compat`: its `tf` has sessions that the watch records.

The sessions of MonitoredTrainingSession, those that legacy_towers itself makes included, are replaced by the script's
runtime.
"""
from typing import Any, List

from legacy_towers import compat
from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions.module_view import ModuleView

MODULE = "legacy_towers.compat"


def __getattr__(name: str) -> Any:
    if name == "tf":
        globals()["tf"] = _watched()
        return globals()["tf"]
    return getattr(compat, name)


def __dir__() -> List[str]:
    return dir(compat)


def _watched() -> Any:
    loaded = compat.tf
    user_script.tensorflow_is_imported()
    from legacy_towers.run.runtime import graphs, sessions

    return ModuleView(
        "tf",
        loaded,
        replaced={
            "Graph": lambda: graphs.Graph,
            "Session": lambda: sessions.Session,
            "InteractiveSession": lambda: sessions.InteractiveSession,
        },
    )
