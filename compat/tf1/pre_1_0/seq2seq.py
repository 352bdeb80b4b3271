"""tf.nn.seq2seq and tensorflow.models.rnn.seq2seq, which became tf.contrib.legacy_seq2seq with TensorFlow 1.0."""
from typing import Any, List

from legacy_towers.compat.tf1 import script_api

_MODULE = "tensorflow.contrib.legacy_seq2seq"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(script_api.module(_MODULE), name)


def __dir__() -> List[str]:
    return dir(script_api.module(_MODULE))
