"""The modes in which a model function is called, and what it returns."""
from typing import Dict, NamedTuple, Optional, Union

from legacy_towers.tensor_types import NestedTensors, Tensor
from legacy_towers.text.documented_fields import documented_fields

TRAIN = "train"
"""The mode of a model function that trains: batch norm and dropout are on, a loss is returned."""
EVAL = "eval"
"""The mode of a model function that evaluates: batch norm and dropout are off, metrics are returned."""
PREDICT = "predict"
"""The mode of a model function that predicts: batch norm and dropout are off, predictions are returned."""
MODES = (TRAIN, EVAL, PREDICT)

# The name of the objective of a step whose model has a single loss.
WHOLE = ""


@documented_fields
class TowerOutput(NamedTuple):
    """What a model function returns for one tower.

    Attributes:
      loss: floating-point tensor: a scalar, the mean over the tower's examples; or a vector with one loss per example,
        whose mean over the true examples is the tower's loss. remainder="pad" needs the vector. None: the sum of what
        this tower added to the collection 'losses' (`tf.GraphKeys.LOSSES`, to which `tf.losses.*` and the CIFAR-10
        tutorial add theirs). With several objectives, a dict: name of an objective -> its loss, each as above.
      metrics: name -> scalar tensor (the mean over the tower's examples) or a vector with one value per example;
        remainder="pad" needs vectors.
      predictions: nested structure of tensors whose first axis is the example.
    """

    loss: Union[None, Tensor, Dict[str, Tensor]] = None
    metrics: Optional[Dict[str, Tensor]] = None
    predictions: Optional[NestedTensors] = None
