"""Converts queues to tf.data: in a graph, and in source code.

    images, labels = tf.train.shuffle_batch(...)
    loss = model(images, labels)
    print(lt.migrate.convert())
    with tf.Session() as session:
        ...

Names are loaded when they are first used: what reads source code needs no TensorFlow.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from legacy_towers.migrate.conversion.convert import Conversion as Conversion
    from legacy_towers.migrate.conversion.convert import convert as convert
    from legacy_towers.migrate.conversion.plans import PipelinePlan as PipelinePlan
    from legacy_towers.migrate.conversion.to_dataset import to_dataset as to_dataset
    from legacy_towers.migrate.meta_graph import convert_meta_graph as convert_meta_graph
    from legacy_towers.migrate.proof.prove import prove as prove
    from legacy_towers.migrate.proof.values import Proof as Proof

_NAMES = {
    "Conversion": "legacy_towers.migrate.conversion.convert",
    "PipelinePlan": "legacy_towers.migrate.conversion.plans",
    "Proof": "legacy_towers.migrate.proof.values",
    "convert": "legacy_towers.migrate.conversion.convert",
    "convert_meta_graph": "legacy_towers.migrate.meta_graph",
    "prove": "legacy_towers.migrate.proof.prove",
    "to_dataset": "legacy_towers.migrate.conversion.to_dataset",
}

__all__ = ["Conversion", "PipelinePlan", "Proof", "convert", "convert_meta_graph", "prove", "to_dataset"]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    return getattr(importlib.import_module(_NAMES[name]), name)


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(_NAMES))
