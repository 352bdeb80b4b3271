"""Shards of consecutive records whose borders move with each epoch, see file_shards.py."""
import copy
from typing import Any, Sequence

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Tensor


class MovingShard:
    """The base of sources whose shards can move; a source that is not such a shard is the same in each epoch."""

    _by_offset: Sequence[range] = ()  # the records of the shard by the offset of the epoch; () if they do not move
    _whole_count = 0  # the records of all shards
    _of_epoch: Any = None  # int64 tensor [2]: the records in an epoch: the first, and the one after the last

    def of_epoch(self, epoch: Tensor) -> Any:
        """Returns the source of an epoch, an int64 scalar tensor."""
        if not self._by_offset:
            return self
        shard = copy.copy(self)
        bounds = tf.constant([(each.start, each.stop) for each in self._by_offset], tf.int64)
        shard._of_epoch = tf.gather(bounds, tf.floormod(epoch * self._whole_count, len(self._by_offset)))
        return shard
