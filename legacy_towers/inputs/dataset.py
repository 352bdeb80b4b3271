"""The way in by tf.data, by one of four routes from the dataset to the towers.

    split            examples -> global batches -> one iterator -> one get_next -> split -> towers
    next_per_tower   examples -> per-tower batches -> one iterator -> a get_next for each tower
    sharded          examples -> every N-th one for tower k -> per-tower batches -> an iterator for each tower
    per_device       examples -> per-tower batches -> dealt out to a buffer on each tower's device -> a get_next each
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.data import set_deterministic, set_private_threads
from legacy_towers.errors import ArgumentError
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.inputs import remainders, routes
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
    remainder: str = "drop",
    prefetch: int = 2,
    parallel_calls: Optional[int] = None,
    deterministic: Optional[bool] = None,
    private_threads: Optional[int] = None,
    read_buffer_bytes: Optional[int] = None,
) -> "DatasetInput":
    """Returns the way in that reads the examples by tf.data.

    Args:
      examples: an `lt.Examples`.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      route: "split", "next_per_tower", "sharded" or "per_device".
      epochs: how often the data is read; None for ever.
      shuffle: as in `Examples`, instead of what the examples were made with; a number is the size of the buffer.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      remainder: "drop", "pad" or "short": what happens to the last incomplete global batch. Of shards that end at
        different steps, "drop" ends with the shortest; otherwise every example arrives, and the towers whose data has
        ended compute copies that don't count.
      prefetch: steps whose batches are made ahead; 0 for none. With "per_device" it is at least 1: so many batches wait
        on each tower's device, and as many for each tower on the host.
      parallel_calls: examples parsed at a time; None lets TensorFlow choose.
      deterministic: False lets an example that was parsed sooner overtake others; None leaves it to TensorFlow, which
        keeps the order, unless order="fixed", which needs it.
      private_threads: threads of their own for each iterator's dataset; None shares those of the session's operations.
      read_buffer_bytes: how much of a file is read at once; None leaves it to TensorFlow.

    Raises:
      ArgumentError: the options contradict each other, or the examples have nothing that an option is about.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    routes.check_route(route)
    if route == "per_device" and prefetch == 0:
        raise ArgumentError('prefetch=0 contradicts route="per_device", which is a prefetch on each device')
    if prefetch != 0:
        check_positive("prefetch, where it isn't 0,", prefetch)
    for name, number in (("parallel_calls", parallel_calls), ("private_threads", private_threads)):
        if number is not None:
            check_positive(name, number)
    if deterministic not in (None, True, False):
        raise ArgumentError("deterministic must be True, False or None, not {!r}".format(deterministic))
    if order == "fixed" and deterministic is False:
        raise ArgumentError('deterministic=False contradicts order="fixed": leave one of them out')
    if route == "sharded" and not examples.source.can_be_sharded:
        raise ArgumentError(
            'route="sharded" reads the data once per tower, and two iterators of {} need not give the same examples: '
            'use route="split", "next_per_tower" or "per_device"'.format(examples.describe())
        )
    if read_buffer_bytes is not None:
        check_positive("read_buffer_bytes", read_buffer_bytes)
        reading = reading._replace(examples=examples.with_read_buffer(read_buffer_bytes))
    options = Options(
        prefetch, parallel_calls, True if order == "fixed" else deterministic, private_threads, read_buffer_bytes
    )
    return DatasetInput(reading, route, options)


class Options(NamedTuple):
    """How a dataset works; see `dataset`."""

    prefetch: int
    parallel_calls: Optional[int]
    deterministic: Optional[bool]
    private_threads: Optional[int]
    read_buffer_bytes: Optional[int]

    def told(self) -> Dict[str, Any]:
        """Returns what was chosen, for the plan."""
        told: Dict[str, Any] = {"prefetch": "{} steps".format(self.prefetch)}
        for name in ("parallel_calls", "deterministic", "private_threads", "read_buffer_bytes"):
            if getattr(self, name) is not None:
                told[name] = getattr(self, name)
        return told

    def applied(self, dataset_: Any) -> Any:
        """Returns `dataset_` with those of the options that are tf.data.Options."""
        if self.deterministic is None and self.private_threads is None:
            return dataset_
        options = tf.data.Options()
        if self.deterministic is not None:
            set_deterministic(options, self.deterministic)
        if self.deterministic is False:
            # TensorFlow fuses the parsing with the batching, and the fused operation keeps the order come what may.
            options.experimental_optimization.map_and_batch_fusion = False
        if self.private_threads is not None:
            set_private_threads(options, self.private_threads)
        return dataset_.with_options(options)


class DatasetInput(Input):
    """See `dataset`."""

    def __init__(self, reading: Reading, route: str, options: Options) -> None:
        self._reading = reading
        self._route = route
        self._options = options

    @property
    def route(self) -> str:
        """The route from the datasets to the towers."""
        return self._route

    @property
    def counts_examples(self) -> bool:
        """Whether the elements of the datasets hold a count of their true examples."""
        return self._reading.remainder != "drop"

    @property
    def source(self) -> str:
        """What is read, in words."""
        return str(self._reading.examples.describe())

    def build(self, devices: Sequence[str]) -> TowerBatches:
        with tf.device(host_device(devices[0])):
            datasets = self.datasets(len(devices))
        return self.build_over(datasets, devices)

    def build_apart(self, devices: Sequence[str]) -> TowerBatches:
        if self._route not in routes.APART or self._reading.order == "fixed":
            return self.build(devices)
        sizes = self._reading.sizes(len(devices))
        # To each of its datasets a tower is the only one.
        alone = Sizes(sizes.per_tower, sizes.per_tower, 1)
        with tf.device(host_device(devices[0])):
            if self._route == "sharded":
                shards = [self._batches(sizes.per_tower, (sizes.towers, tower)) for tower in range(sizes.towers)]
                made = [self._completed(each, alone) for each in shards]
            else:
                made = [self._per_tower_batches(alone)]
            made = [self._options.applied(self._ahead(each, sizes)) for each in made]
        return self._built(routes.APART[self._route](made, devices), sizes, apart=True)

    def build_over(self, datasets: Sequence[Any], devices: Sequence[str]) -> TowerBatches:
        """Builds over such datasets as `datasets` gives."""
        sizes = self._reading.sizes(len(devices))
        remainder = self._reading.remainder
        if self._route == "sharded":
            routed = routes.sharded(datasets, devices)
        elif self._route == "per_device":
            routed = routes.per_device(datasets[0], devices, self._options.prefetch)
        elif self._route == "next_per_tower":
            routed = routes.next_per_tower(datasets[0], devices)
        elif remainder == "drop":
            routed = routes.split(datasets[0], devices)
        else:
            routed = routes.already_split(datasets[0], devices)
        return self._built(routed, sizes)

    def _built(self, routed: routes.Routed, sizes: Sizes, apart: bool = False) -> TowerBatches:
        remainder = self._reading.remainder
        plan = self._reading.plan("dataset", self._route, sizes, self._details(sizes, apart), apart)
        if remainder == "drop":
            return TowerBatches(routed.per_tower, routed.hooks, plan, routed.pulls)
        per_tower, counts = routed.counted()
        return TowerBatches(per_tower, routed.hooks, plan, routed.pulls, counts, padded=remainder == "pad")

    def datasets(self, towers: int) -> List[Any]:
        """Returns the tf.data.Datasets that `build` reads, made in the default graph: one, or one per shard.

        Their elements are global batches for "split", per-tower batches for the other routes. Unless remainder="drop",
        they are (batch, count), and for "split" a tuple of these with one for each tower.
        """
        sizes = self._reading.sizes(towers)
        if self._route == "split":
            made = [self._global_batches(sizes)]
        elif self._route != "sharded":
            made = [self._per_tower_batches(sizes)]
        elif self._reading.order == "fixed":
            # Whole batches are dealt out, so that a tower gets the same ones as by the other routes.
            made = [self._per_tower_batches(sizes).shard(towers, tower) for tower in range(towers)]
        else:
            made = self._shards(sizes)
        return [self._options.applied(self._ahead(each, sizes)) for each in made]

    def _ahead(self, batches: Any, sizes: Sizes) -> Any:
        if self._route == "per_device" or not self._options.prefetch:
            return batches
        in_a_step = sizes.towers if self._route == "next_per_tower" else 1
        return batches.prefetch(self._options.prefetch * in_a_step)

    def _batches(self, size: int, shard: Optional[Sequence[int]] = None) -> Any:
        reading = self._reading
        return reading.examples.batched_dataset(
            size,
            # Of endless data every batch is full, and the graph knows it.
            drop_remainder=reading.remainder == "drop" or reading.epochs is None,
            shard=shard,
            shuffle=reading.shuffle_now(),
            epochs=reading.epochs,
            parallel_calls=self._options.parallel_calls,
        )

    def _global_batches(self, sizes: Sizes) -> Any:
        batches = self._batches(sizes.global_)
        if self._reading.remainder == "drop":
            return batches
        return remainders.dealt(batches, sizes.towers, sizes.per_tower, self._reading.remainder)

    def _per_tower_batches(self, sizes: Sizes) -> Any:
        return self._completed(self._batches(sizes.per_tower), sizes)

    def _completed(self, batches: Any, sizes: Sizes) -> Any:
        """Returns per-tower batches, but for "drop" with their counts, which fill all towers to the end."""
        if self._reading.remainder == "drop":
            return batches
        if self._reading.epochs is None:
            return remainders.with_count(batches, sizes.per_tower)
        return remainders.filled(batches, sizes.towers, sizes.per_tower, self._reading.remainder, sizes.towers - 1)

    def _shards(self, sizes: Sizes) -> List[Any]:
        """Returns each tower's dataset, of every N-th example; but for "drop" all are as long as the longest."""
        reading, towers = self._reading, sizes.towers
        shards = [self._batches(sizes.per_tower, (towers, tower)) for tower in range(towers)]
        if reading.remainder == "drop":
            return shards
        if reading.epochs is None:
            return [remainders.with_count(shard, sizes.per_tower) for shard in shards]
        count = reading.examples.count()
        lengths = [_steps((count + towers - 1 - tower) // towers * reading.epochs, sizes) for tower in range(towers)]
        # A tower without any example of its own computes the first tower's.
        nothing = remainders.with_count(shards[0].take(1), 0).repeat(lengths[0])
        return [
            remainders.filled(shard, 1, sizes.per_tower, reading.remainder, lengths[0] - length)
            if length else remainders.completed(nothing, 1, sizes.per_tower, reading.remainder)
            for shard, length in zip(shards, lengths)
        ]

    def _details(self, sizes: Sizes, apart: bool) -> Dict[str, Any]:
        details = self._options.told()
        if self._route == "per_device":
            details["prefetch"] = "{0} steps on each device, {0} on the host".format(self._options.prefetch)
        if self._route == "sharded" and self._reading.order == "fixed":
            details["sharded"] = "batches, after batching"
        elif self._route == "sharded" and apart:
            details["sharded"] = "examples, before shuffling; a tower ends with its own shard"
        elif self._route == "sharded":
            details["sharded"] = "examples, before shuffling; data ends with the {} shard".format(
                "shortest" if self._reading.remainder == "drop" else "longest"
            )
        return details


def _steps(examples: int, sizes: Sizes) -> int:
    return -(-examples // sizes.per_tower)
