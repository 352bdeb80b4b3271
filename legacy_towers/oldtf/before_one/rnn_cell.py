"""tensorflow.models.rnn.rnn_cell, and the cells that tf.nn.rnn_cell gave to tf.contrib.rnn with TensorFlow 1.0."""
from typing import Any, List

from legacy_towers.oldtf import tree

# Where cells are since, the first that has a name has it.
_NOW = ("tensorflow.nn.rnn_cell", "tensorflow.contrib.rnn")
MOVED = ("EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("linear", "_linear"):
        return tree.module("tensorflow.contrib.rnn.python.ops.core_rnn_cell")._linear
    for module in _NOW[1:] if name in MOVED else _NOW:
        try:
            return getattr(tree.module(module), name)
        except AttributeError:
            continue
    raise AttributeError("module 'tensorflow.models.rnn.rnn_cell' has no attribute {!r}".format(name))


def __dir__() -> List[str]:
    return sorted({name for module in _NOW for name in dir(tree.module(module))})
