"""What a model function is told and what it returns."""
from typing import Any, Dict, NamedTuple, Optional

TRAIN = "train"
EVAL = "eval"
PREDICT = "predict"
MODES = (TRAIN, EVAL, PREDICT)

# The name of the one part of a step whose model has a single loss.
WHOLE = ""


class TowerOutput(NamedTuple):
    """What a model function returns for one tower.

    Attributes:
      loss: floating-point tensor: a scalar, the mean over the tower's examples; or a vector with one loss per example,
        whose mean over the true ones is the tower's loss. remainder="pad" needs the vector. None: the sum of what this
        tower put into the collection 'losses' (`tf.GraphKeys.LOSSES`, where `tf.losses.*` and the CIFAR-10 tutorial put
        theirs). A step with several parts takes a dict: name of a part -> its loss, each as above.
      metrics: name -> scalar tensor (the mean over the tower's examples) or a vector with one value per example;
        remainder="pad" needs vectors.
      predictions: nested structure of tensors whose first axis is the example.
    """

    loss: Optional[Any] = None
    metrics: Optional[Dict[str, Any]] = None
    predictions: Optional[Any] = None
