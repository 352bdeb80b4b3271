"""Options of tf.data that TensorFlow 1.15 has and 2.x dropped: they choose optimizations and never change the values.

Private: the classes of tf.data.Options, which accept no attributes that they lack. Tried on 2.13 and 2.21; ends when
tf.data.Options accepts them.
"""
import contextlib
import types
from typing import Any, Callable, Iterator

from legacy_towers.compat.patches.added_attributes import with_added
from legacy_towers.compat.versions import tf

_WITHOUT_EFFECT = "no effect in TensorFlow 2, the values are the same"
_OPTIMIZATIONS = (
    "autotune", "autotune_algorithm", "autotune_buffers", "autotune_cpu_budget", "filter_with_random_uniform_fusion",
    "hoist_random_uniform",
)
_OF_DATASETS = ("experimental_stateful_whitelist", "experimental_stats")


def _ignored(name: str, report: Callable[[str, str], None]) -> Any:
    """Returns a property that keeps its value."""

    def get(self: Any) -> Any:
        return vars(self).get("_of_1_15_" + name)

    def put(self: Any, value: Any) -> None:
        report(name + " of tf.data.Options", _WITHOUT_EFFECT)
        vars(self)["_of_1_15_" + name] = value

    return property(get, put, doc="An option of TensorFlow 1.15: " + _WITHOUT_EFFECT)


def _auto_shard() -> Any:
    policy = tf.data.experimental.AutoShardPolicy

    def get(self: Any) -> bool:
        return bool(self.auto_shard_policy != policy.OFF)

    def put(self: Any, value: bool) -> None:
        self.auto_shard_policy = policy.AUTO if value else policy.OFF

    return property(get, put, doc="Whether files or elements are distributed over workers: an auto_shard_policy.")


def _vectorization(report: Callable[[str, str], None]) -> Any:
    def get(self: Any) -> Any:
        report("map_vectorization of tf.data.Options", _WITHOUT_EFFECT)
        return types.SimpleNamespace(enabled=None, use_choose_fastest=None)

    return property(get)


@contextlib.contextmanager
def options_of_1_15_allowed(report: Callable[[str, str], None]) -> Iterator[None]:
    """Lets scripts set the options of 1.15 that TensorFlow 2 dropped; on TensorFlow 1.15 it changes nothing.

    Args:
      report: called with the option and what it means now, when a script sets it.
    """
    if tf.__version__.startswith("1.15"):
        yield
        return
    options = tf.data.Options()
    optimization, distribute = type(options.experimental_optimization), type(options.experimental_distribute)
    added = [(tf.data.Options, name, _ignored(name, report)) for name in _OF_DATASETS]
    added += [(optimization, name, _ignored(name, report)) for name in _OPTIMIZATIONS]
    added += [(optimization, "map_vectorization", _vectorization(report)), (distribute, "auto_shard", _auto_shard())]
    with with_added(added):
        yield
