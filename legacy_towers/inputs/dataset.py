"""The way in by tf.data, by one of three routes from the dataset to the towers.

    split            examples -> global batches -> one iterator -> one get_next -> tf.split -> towers
    next_per_tower   examples -> per-tower batches -> one iterator -> a get_next for each tower
    sharded          examples -> every N-th one for tower k -> per-tower batches -> an iterator for each tower
"""
from typing import Any, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.inputs import routes
from legacy_towers.inputs.base import Input, TowerBatches, host_device
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.sizes import Sizes, check_positive


def dataset(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    route: str = "next_per_tower",
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    prefetch: int = 2,
    parallel_calls: Optional[int] = None,
) -> "DatasetInput":
    """Returns the way in that reads the examples by tf.data.

    Args:
      examples: an `lt.Examples`.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      route: "split", "next_per_tower" or "sharded".
      epochs: how often the data is read; None for ever.
      shuffle: as in `Examples`, instead of what the examples were made with.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      prefetch: steps whose batches are made ahead; 0 for none.
      parallel_calls: examples parsed at a time; None lets TensorFlow choose.

    Raises:
      ArgumentError: the options contradict each other.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order).checked()
    routes.check_route(route)
    if prefetch != 0:
        check_positive("prefetch, where it isn't 0,", prefetch)
    if parallel_calls is not None:
        check_positive("parallel_calls", parallel_calls)
    if route == "sharded" and not examples.source.can_be_sharded:
        raise ArgumentError(
            'route="sharded" reads the data once per tower, and two iterators of {} need not give the same examples: '
            'use route="split" or "next_per_tower"'.format(examples.describe())
        )
    return DatasetInput(reading, route, prefetch, parallel_calls)


class DatasetInput(Input):
    """See `dataset`."""

    def __init__(self, reading: Reading, route: str, prefetch: int, parallel_calls: Optional[int]) -> None:
        self._reading = reading
        self._route = route
        self._prefetch = prefetch
        self._parallel_calls = parallel_calls

    def build(self, devices: Sequence[str]) -> TowerBatches:
        sizes = self._reading.sizes(len(devices))
        fixed = self._reading.order == "fixed"
        with tf.device(host_device(devices[0])):
            if self._route == "split":
                per_tower, hooks = routes.split(self._batches(sizes.global_, 1), devices)
            elif self._route == "next_per_tower":
                per_tower, hooks = routes.next_per_tower(self._batches(sizes.per_tower, sizes.towers), devices, fixed)
            else:
                shards = [self._shard(sizes, tower) for tower in range(sizes.towers)]
                per_tower, hooks = routes.sharded(shards, devices)
        details = {"prefetch": "{} steps".format(self._prefetch)}
        if self._route == "sharded":
            details["sharded"] = (
                "batches, after batching" if fixed else "examples, before shuffling: tower k reads every "
                "{}th; data ends with the shortest shard".format(sizes.towers)
            )
        return TowerBatches(per_tower, hooks, self._reading.plan("dataset", self._route, sizes, details))

    def _batches(self, batch_size: int, batches_per_step: int, shard: Optional[Sequence[int]] = None) -> Any:
        reading = self._reading
        examples = reading.examples.dataset(shard, reading.shuffle_now(), reading.epochs, self._parallel_calls)
        return self._ahead(examples.batch(batch_size, drop_remainder=True), batches_per_step)

    def _shard(self, sizes: Sizes, tower: int) -> Any:
        if self._reading.order == "any":
            return self._batches(sizes.per_tower, 1, (sizes.towers, tower))
        # Whole batches are dealt out, so that a tower gets the same ones as by the other routes.
        reading = self._reading
        examples = reading.examples.dataset(None, False, reading.epochs, self._parallel_calls)
        batches = examples.batch(sizes.per_tower, drop_remainder=True).shard(sizes.towers, tower)
        return self._ahead(batches, 1)

    def _ahead(self, batches: Any, batches_per_step: int) -> Any:
        return batches.prefetch(self._prefetch * batches_per_step) if self._prefetch else batches
