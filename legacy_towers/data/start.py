"""Where reading begins, and the order of each epoch: a function of the seed and the number of the epoch alone.

    seed 7     epoch 0: c a d b     epoch 1: b d a c     epoch 2: ...

So any place in the data is reached without the epochs before it.
"""
import os
from typing import Any, NamedTuple, Optional

import numpy as np

from legacy_towers.compat import tf

# Seeds are below this number.
SEEDS = 2 ** 31 - 1
# More epochs than anybody reads.
ENDLESS = 2 ** 62


class Start(NamedTuple):
    """Where reading begins.

    Attributes:
      seed: of the shuffled order, an int64 scalar tensor or a number below `SEEDS`.
      epoch: the first epoch that is read, from 0.
      skip: how many of the first examples of that epoch are left out.
    """

    seed: Any
    epoch: Any
    skip: Any


def start_of(seed: Optional[int]) -> Start:
    """Returns the beginning of the data as tensors; without a seed each initialization of an iterator draws one."""
    if seed is None:
        drawn: Any = tf.cast(tf.random.uniform([], maxval=SEEDS, dtype=tf.int32, name="seed"), tf.int64)
    else:
        drawn = tf.constant(seed % SEEDS, tf.int64)
    return Start(drawn, tf.constant(0, tf.int64), tf.constant(0, tf.int64))


def draw_seed() -> int:
    """Returns a random seed."""
    return int.from_bytes(os.urandom(8), "little") % SEEDS


def epoch_seed(seed: Any, epoch: Any) -> Any:
    """Returns the seed of the order of an epoch, an int64 scalar tensor, from int64 scalar tensors."""
    drawn = tf.random.stateless_uniform([], tf.stack([seed, epoch]), minval=0, maxval=SEEDS, dtype=tf.int32)
    return tf.cast(drawn, tf.int64)


def epoch_order(count: int, seed: int, epoch: int) -> np.ndarray:
    """Returns the row numbers 0 to `count` - 1, int64 of shape [count], in the order of an epoch."""
    return np.random.RandomState([seed % SEEDS, epoch]).permutation(count)
