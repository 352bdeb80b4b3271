"""tensorflow.models.rnn.rnn_cell, and the cells that TensorFlow 1.0 moved from tf.nn.rnn_cell to tf.contrib.rnn."""
from typing import Any, List

from legacy_towers.compat.tf1 import script_api

# The modules of the cells since 1.0, in the order of look-up.
_MODULES = ("tensorflow.nn.rnn_cell", "tensorflow.contrib.rnn")
MOVED = ("EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("linear", "_linear"):
        return script_api.module("tensorflow.contrib.rnn.python.ops.core_rnn_cell")._linear
    for module in _MODULES[1:] if name in MOVED else _MODULES:
        try:
            return getattr(script_api.module(module), name)
        except AttributeError:
            continue
    raise AttributeError("module 'tensorflow.models.rnn.rnn_cell' has no attribute {!r}".format(name))


def __dir__() -> List[str]:
    return sorted({name for module in _MODULES for name in dir(script_api.module(module))})
