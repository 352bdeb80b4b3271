"""What a canned model of tf.contrib.learn is made of."""
from typing import Any, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.heads import Head
from legacy_towers.oldtf.contrib.linear_optimizer import SDCAOptimizer


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


def linear_model(
    head: Head, columns: Sequence[Any], optimizer: Any, clip_norm: Optional[float], joint_weights: bool
) -> Model:
    """Returns the model that is linear alone.

    Raises:
      AssertionError: an SDCAOptimizer can't train it; the error is that of TensorFlow 1.15.
    """
    if isinstance(optimizer, SDCAOptimizer):
        if joint_weights:
            raise AssertionError("_joint_weight is incompatible with the SDCAOptimizer")
        if head.logits_dimension != 1:
            raise AssertionError("SDCA only applies to binary classification, and for label_dimension=1.")
    return Model(head, None, Half(tuple(columns), optimizer, joint_weights=joint_weights), clip_norm)
