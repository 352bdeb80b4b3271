"""Differences between TensorFlow versions, one subject per module, and `tf`: TensorFlow's TF1 API.

    from legacy_towers.compat.versions import tf

This `tf` is what TensorFlow itself has. `legacy_towers.compat.tf` has `tf.contrib` and `tf.estimator` too; they are
made from the modules of compat/, which all import `tf` from here. Importing this package imports no TensorFlow; the
first use of `tf` does.
"""
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    import tensorflow.compat.v1 as tf

__all__ = ["tf"]


def __getattr__(name: str) -> Any:
    if name == "tf":
        from legacy_towers.compat.versions import loading

        globals()["tf"] = loading.load_tensorflow()
        return globals()["tf"]
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
