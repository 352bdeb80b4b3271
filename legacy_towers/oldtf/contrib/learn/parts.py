"""What a canned model of tf.contrib.learn is made of."""
from typing import Any, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.heads import Head


class Half(NamedTuple):
    """The columns and the optimizer of a linear model, or of hidden layers."""

    columns: Sequence[Any] = ()
    optimizer: Any = None
    hidden_units: Sequence[int] = ()
    activation: Any = tf.nn.relu
    dropout: Optional[float] = None
    joint_weights: bool = False
    embedding_multipliers: Optional[Dict[Any, float]] = None
    min_slice_size: Optional[int] = None


class Model(NamedTuple):
    """A canned model: one half, or both."""

    head: Head
    dnn: Optional[Half]
    linear: Optional[Half]
    clip_norm: Optional[float]
    # Whether a step of a model of two halves counts once; on 1.15 it counts twice without.
    counts_once: bool = True
