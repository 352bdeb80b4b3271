"""The door to TensorFlow: `from legacy_towers.compat import tf` is the TF1 API on any supported TensorFlow.

Here, and nowhere else, live the differences between TensorFlow's versions and all use of its private parts. Importing
this package imports no TensorFlow; the first use of `tf` does, and switches to TF1 behaviour.
"""
from typing import TYPE_CHECKING, Any, List

if __name__ != "legacy_towers.compat":
    raise ImportError(
        "the folder compat/ is imported as legacy_towers.compat, never as {!r}: install the checkout "
        "(pip install -e .) and import legacy_towers.compat".format(__name__)
    )

if TYPE_CHECKING:
    import tensorflow.compat.v1 as tf

__all__ = ["tf"]


def __getattr__(name: str) -> Any:
    if name == "tf":
        from legacy_towers.compat import door

        globals()["tf"] = door.open_door()
        return globals()["tf"]
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
