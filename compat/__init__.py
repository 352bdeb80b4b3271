"""The TF1 API on any supported TensorFlow: `from legacy_towers.compat import tf`.

This package alone contains differences between TensorFlow versions and uses TensorFlow's private API. Importing it
imports no TensorFlow; the first use of `tf` does, and switches to TF1 behaviour. docs/pages/process_changes.md lists
what that changes in the process.
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
        globals()["tf"] = _with_dropped_parts()
        return globals()["tf"]
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))


def _with_dropped_parts() -> Any:
    """Returns TensorFlow's TF1 API with tf.contrib, which ended with 1.15, and tf.estimator, which ended with 2.15.

    Functions take positional arguments in the order of 1.15. On 1.15 it adds tf.contrib.gan, which ended with 1.14.
    """
    from legacy_towers.compat.tf1.core import ordered_modules
    from legacy_towers.compat.versions import tf
    from legacy_towers.compat.versions.module_view import ModuleView

    def part(name: str) -> Any:
        # Imported at the first use: most programs use neither.
        from legacy_towers.compat.tf1 import tree

        return tree.module(name)

    if tf.__version__.startswith("1.15"):
        gan = {"gan": lambda: part("tensorflow.contrib.gan")}
        return ModuleView("tf", tf, replaced={"contrib": lambda: ModuleView("tf.contrib", tf.contrib, replaced=gan)})
    dropped = {"contrib": lambda: part("tensorflow.contrib"), "estimator": lambda: part("tensorflow.estimator")}
    return ordered_modules.view("tf", tf, dropped)
