"""The table of example states in stochastic dual coordinate ascent."""
from typing import Any

from legacy_towers.compat.tf1.private import lookup
from legacy_towers.compat.versions import tf

_STATE = 4


class StateTable:
    """A table from the hash of an example's id, int64 [2], to its state, float32 [4], by default zeros.

    Args:
      shards: the number of tables into which examples are divided by their hashes; each may be on a parameter server.
    """

    def __init__(self, shards: int) -> None:
        name = "ShardedMutableHashTable"
        # The lower half of a hash is never 0 or 1.
        self._tables = [
            lookup.DenseHashTable(
                tf.int64,
                tf.float32,
                default_value=[0.0] * _STATE,
                empty_key=[0, 0],
                deleted_key=[1, 1],
                name="{}-{}-of-{}".format(name, index + 1, shards),
            )
            for index in range(shards)
        ]

    def size(self) -> Any:
        """Returns the number of examples seen."""
        return tf.add_n([table.size() for table in self._tables])

    def lookup(self, keys: Any) -> Any:
        """Returns the states [batch, 4] of `keys` [batch, 2]."""
        if len(self._tables) == 1:
            return self._tables[0].lookup(keys)
        shards = self._shards(keys)
        indices = tf.dynamic_partition(tf.range(tf.shape(keys)[0]), shards, len(self._tables))
        parts = tf.dynamic_partition(keys, shards, len(self._tables))
        found = tf.dynamic_stitch(indices, [table.lookup(part) for table, part in zip(self._tables, parts)])
        return tf.reshape(found, [-1, _STATE])

    def insert(self, keys: Any, states: Any) -> Any:
        """Returns the operation that sets the `states` [batch, 4] of `keys` [batch, 2]."""
        if len(self._tables) == 1:
            return self._tables[0].insert(keys, states)
        shards = self._shards(keys)
        parts = [tf.dynamic_partition(each, shards, len(self._tables)) for each in (keys, states)]
        return tf.group(*[table.insert(key, state) for table, key, state in zip(self._tables, *parts)])

    def sums(self) -> Any:
        """Returns the sums of all states, float64 [4]."""
        return tf.add_n([tf.reduce_sum(tf.cast(table.export()[1], tf.float64), 0) for table in self._tables])

    def _shards(self, keys: Any) -> Any:
        return tf.cast(tf.floormod(tf.abs(keys[:, 0]), len(self._tables)), tf.int32)
