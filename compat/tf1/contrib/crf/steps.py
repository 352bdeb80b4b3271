"""Time steps of sequences, for the decoding and the likelihoods of tf.contrib.crf."""
from typing import Any, Callable

from legacy_towers.compat.versions import tf


def if_one_step(inputs: Any, one: Callable[[], Any], several: Callable[[], Any]) -> Any:
    """Calls `one` if `inputs` [batch, time, ...] have one time step, else `several`; by tf.cond if time is unknown."""
    steps = tf.dimension_value(inputs.shape[1])
    if steps is not None:
        return one() if steps == 1 else several()
    return tf.cond(tf.equal(tf.shape(inputs)[1], 1), one, several)


def first_step(inputs: Any) -> Any:
    """Returns the first time step [batch, tags] of `inputs` [batch, time, tags]."""
    return tf.squeeze(inputs[:, :1], [1])


def less_one(lengths: Any) -> Any:
    """Returns max(lengths - 1, 0)."""
    lengths = tf.convert_to_tensor(lengths)
    return tf.maximum(tf.zeros([], lengths.dtype), lengths - 1)
