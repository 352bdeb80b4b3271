"""Dropout whose random numbers follow from the global step, so that a run that resumes draws the same ones."""
import zlib
from typing import Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Tensor


def stateless_dropout(inputs: Tensor, rate: float, seed: int = 0, name: Optional[str] = None) -> Tensor:
    """Sets elements to 0 with probability `rate` and divides the others by 1 - `rate`, as `tf.nn.dropout` does.

        if mode == lt.TRAIN:
            hidden = lt.stateless_dropout(hidden, 0.5)

    The elements are a function of `seed`, the name of the layer with its tower, and the global step. Those of
    `tf.nn.dropout` come from a generator that starts again in each session, so that a run that resumes computes other
    losses than one that was never interrupted.

    Args:
      inputs: floating-point tensor of any shape.
      rate: a number from 0 to below 1.
      seed: for other elements at the same steps.
      name: of the layer.

    Returns:
      A tensor with the shape and dtype of `inputs`.

    Raises:
      ArgumentError: rate is out of range.
    """
    if not 0 <= rate < 1:
        raise ArgumentError("rate is {!r}: a number from 0 to below 1 is needed".format(rate))
    with tf.name_scope(name, "stateless_dropout", [inputs]) as scope:
        inputs = tf.convert_to_tensor(inputs)
        step = tf.cast(tf.train.get_or_create_global_step(), tf.int64)
        layer = zlib.crc32("{} {}".format(scope, seed).encode("utf-8"))
        drawn = tf.random.stateless_uniform(tf.shape(inputs), tf.stack([tf.constant(layer, tf.int64), step]))
        kept = tf.cast(drawn >= rate, inputs.dtype)
        result = inputs * kept * tf.constant(1.0 / (1.0 - rate), inputs.dtype)
        result.set_shape(inputs.shape)
        return result
