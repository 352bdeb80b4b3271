"""The specification of a canned model of tf.contrib.learn: a head, a DNN part and a linear part."""
from typing import Any, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat.tf1.contrib.learn.heads import Head
from legacy_towers.compat.tf1.contrib.linear_optimizer import SDCAOptimizer
from legacy_towers.compat.versions import tf


class ModelPart(NamedTuple):
    """The linear or the DNN part of a model: its feature columns, optimizer and hidden layers."""

    columns: Sequence[Any] = ()
    optimizer: Any = None
    hidden_units: Sequence[int] = ()
    activation: Any = tf.nn.relu
    dropout: Optional[float] = None
    joint_weights: bool = False
    embedding_multipliers: Optional[Dict[Any, float]] = None
    min_slice_size: Optional[int] = None


class Model(NamedTuple):
    """A canned model with a DNN part, a linear part or both."""

    head: Head
    dnn: Optional[ModelPart]
    linear: Optional[ModelPart]
    clip_norm: Optional[float]
    # Whether a train step of a combined model increments the global step by 1. On TensorFlow 1.15 each of the two
    # optimizers increments it, unless fix_global_step_increment_bug is given.
    increments_step_once: bool = True


def linear_model(
    head: Head, columns: Sequence[Any], optimizer: Any, clip_norm: Optional[float], joint_weights: bool
) -> Model:
    """Returns a linear model.

    Raises:
      AssertionError: an SDCAOptimizer can't train this model (the type is that of TensorFlow 1.15).
    """
    if isinstance(optimizer, SDCAOptimizer):
        if joint_weights:
            raise AssertionError("_joint_weight is incompatible with the SDCAOptimizer")
        if head.logits_dimension != 1:
            raise AssertionError("SDCA only applies to binary classification, and for label_dimension=1.")
    return Model(head, None, ModelPart(tuple(columns), optimizer, joint_weights=joint_weights), clip_norm)
