"""The input pipeline of `dataset`: builds a dataset per reader, shards included, and connects them to the towers."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import prefetched
from legacy_towers.data import Examples
from legacy_towers.data.file_shards import size_of_shard
from legacy_towers.data.start import Start, start_of
from legacy_towers.errors import InputError
from legacy_towers.inputs.base import Input, TowerBatches, host_device
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.promises import refused
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.record_files import record_hooks
from legacy_towers.inputs.tf_data import remainders, routes
from legacy_towers.inputs.tf_data.dataset_options import Options
from legacy_towers.inputs.tf_data.starts import fed_starts, feed_of
from legacy_towers.specs.batch_sizes import Sizes
from legacy_towers.tensor_types import Dataset
from legacy_towers.text.names import counted


class DatasetInput(routes.DatasetPipeline):
    """The input pipeline of `dataset`."""

    def __init__(self, reading: Reading, route: str, options: Options, workers: Optional[Workers] = None) -> None:
        super().__init__(route, reading.remainder != "drop", reading.examples.describe())
        self._reading = reading
        self._options = options
        self._workers = workers
        self._known_file_shards: List[Examples] = []  # the shards, once they are known

    def of_worker(self, workers: Workers) -> Input:
        if self.route == "per_device":
            raise InputError(
                "workers of a cluster can't divide the batches of route='per_device' among themselves: use 'split', or "
                "'sharded', where each worker reads its own examples alone"
            )
        # The same examples in the same order; get_nexts of one worker would not see that the last step is incomplete.
        route = "split" if self.route == "next_per_tower" else self.route
        if self._reading.examples.source.log is not None or self._reading.examples.skipped is not None:
            raise InputError(
                "workers of a cluster can't divide {} among themselves: each would read its own, with other examples; "
                "use lt.inputs.from_tensors with tensors of this worker's own examples".format(self.source)
            )
        return DatasetInput(self._reading, route, self._options, workers)

    def _own(self, towers: int) -> range:
        """Returns the numbers of this worker's `towers` among those of all workers."""
        first = 0 if self._workers is None else self._workers.index * towers
        return range(first, first + towers)

    def _sizes(self, towers: int) -> Sizes:
        """Returns the batch sizes of a step of all workers, each with `towers` towers."""
        return self._reading.sizes(towers * (1 if self._workers is None else self._workers.size))

    def build(self, devices: Sequence[str]) -> TowerBatches:
        with tf.device(host_device(devices[0])):
            datasets = self.datasets(len(devices))
        return self.build_over(datasets, devices)

    def build_asynchronous(self, devices: Sequence[str]) -> TowerBatches:
        if self._workers is not None:
            return self._asynchronous_of_worker(self._workers, devices)
        if self.route not in routes.ASYNCHRONOUS_ROUTES or self._reading.order == "fixed" or len(devices) == 1:
            return self.build(devices)
        with tf.device(host_device(devices[0])):
            logged = DatasetInput(self._reading.logged(), self.route, self._options)
            datasets = logged._asynchronous_datasets(self._reading.sizes(len(devices)))
        return self._build_over(datasets, devices, asynchronous=True)

    def _asynchronous_of_worker(self, workers: Workers, devices: Sequence[str]) -> TowerBatches:
        if len(devices) == 1 or self._reading.order == "fixed":
            return self.build(devices)
        if not self._reading.examples.source.can_be_sharded:
            raise InputError(
                "asynchronous towers can't each read a part of {}: use one tower per worker".format(self.source)
            )
        sharded = DatasetInput(self._reading.logged(), "sharded", self._options, workers)
        with tf.device(host_device(devices[0])):
            datasets = sharded._asynchronous_datasets(sharded._sizes(len(devices)), sharded._own(len(devices)))
        return sharded._build_over(datasets, devices, asynchronous=True)

    def _asynchronous_datasets(self, sizes: Sizes, own: Optional[range] = None) -> routes.Datasets:
        one_tower = Sizes(sizes.per_tower, sizes.per_tower, 1)
        if self.route == "sharded":
            # Each tower goes through its shard at its own speed: there is no position of all.
            start, own = start_of(self._reading.examples.seed), own or range(sizes.towers)
            shards = [self._batches(sizes.per_tower, start, (sizes.towers, each)) for each in own]
            datasets = [self._prefetched(self._completed(each, one_tower), sizes) for each in shards]
            applied = [self._options.applied(each) for each in datasets]
            return routes.Datasets(applied, examples=self._reading.examples)
        starts = fed_starts(self._reading.examples.seed, 1)
        position = self._position(one_tower)
        position.by_tower = True
        batches = self._prefetched(self._per_tower_batches(one_tower, starts[0]), sizes)
        feed = feed_of(position, starts)
        return routes.Datasets([self._options.applied(batches)], position, feed, self._reading.examples)

    def build_over(self, datasets: routes.Datasets, devices: Sequence[str]) -> TowerBatches:
        return self._build_over(datasets, devices, asynchronous=False)

    def _build_over(self, datasets: routes.Datasets, devices: Sequence[str], asynchronous: bool) -> TowerBatches:
        sizes = self._sizes(len(devices))
        prefetch = self._options.prefetch
        routed = routes.build_route(
            self.route, datasets, devices, prefetch, self.counts_examples, asynchronous, self._own(len(devices)),
            sizes.towers,
        )
        # Two more: one waits for space in the buffer, one is being made. "per_device" prefetches on the host too.
        ahead = prefetch * 2 + 2 if self.route == "per_device" else prefetch + 2
        plan = self._reading.plan("dataset", self.route, sizes, self._details(sizes, asynchronous), asynchronous)
        plan = plan._replace(steps_ahead=ahead)
        if self._options.shards_files:
            plan = plan._replace(route="sharded:files", shards=self._files_of_towers(sizes.towers))
        position = datasets.position
        if position is not None:
            plan = plan.with_promise(position.promise)
        skipped = self._reading.examples.skipped
        hooks = routed.hooks + record_hooks(datasets.examples)
        if not self.counts_examples:
            return TowerBatches(
                routed.per_tower, hooks, plan, routed.input_ops, position=position, skipped=skipped
            )
        per_tower, counts = routed.counted()
        is_padded = self._reading.remainder == "pad"
        return TowerBatches(
            per_tower, hooks, plan, routed.input_ops, counts, padded=is_padded, position=position, skipped=skipped
        )

    def datasets(self, towers: int) -> routes.Datasets:
        return DatasetInput(self._reading.logged(), self.route, self._options, self._workers)._datasets(towers)

    def _datasets(self, towers: int) -> routes.Datasets:
        sizes, own = self._sizes(towers), self._own(towers)
        # Only shards of examples begin at places of their own.
        starts = fed_starts(self._reading.examples.seed, towers if self._is_sharded_before_batching() else 1)
        if self.route == "split":
            datasets = [self._global_batches(sizes, starts[0])]
        elif self.route != "sharded":
            datasets = [self._per_tower_batches(sizes, starts[0])]
        elif self._reading.order == "fixed":
            # Shards of batches, so that a tower gets the same batches as with the other routes.
            datasets = [self._per_tower_batches(sizes, starts[0]).shard(sizes.towers, tower) for tower in own]
        else:
            datasets = self._shards(sizes, starts, own)
        position = self._position(sizes)
        datasets = [self._options.applied(self._prefetched(each, sizes)) for each in datasets]
        shards = (sizes.towers, own[0]) if self._is_sharded_before_batching() else (1, 0)
        feed = feed_of(position, starts, shards, self._workers, self._examples_per_epoch())
        return routes.Datasets(datasets, position, feed, self._reading.examples)

    def _is_sharded_before_batching(self) -> bool:
        return self.route == "sharded" and self._reading.order != "fixed"

    def _position(self, sizes: Sizes) -> ExamplesPosition:
        kind = "equal file shards" if self._options.shards_files else "equal shards"
        shards = "in {} for {} towers".format(kind, sizes.towers) if self._is_sharded_before_batching() else ""
        promise = None
        if self._options.deterministic is False:
            promise = refused("with deterministic=False the examples come in any order, and none is counted")
        position = self._reading.position(sizes, "tf.data", shards, promise)
        position.depends_on_towers = bool(shards)
        return position

    def _examples_per_epoch(self) -> Optional[int]:
        """Returns by how many examples each epoch moves the shards; see `data.file_shards`. None: one epoch."""
        if not self._is_sharded_before_batching() or self._reading.epochs == 1:
            return None
        examples = self._reading.examples
        return examples.file_shards(1)[0].count() if self._options.shards_files else examples.epoch_length()

    def _prefetched(self, batches: Dataset, sizes: Sizes) -> Dataset:
        if self.route == "per_device" or not self._options.prefetch:
            return batches
        if self.route == "sharded":
            return prefetched(batches, self._options.prefetch)
        elements_per_step = sizes.towers if self.route == "next_per_tower" else 1
        return batches.prefetch(self._options.prefetch * elements_per_step)

    def _batches(self, size: int, start: Start, shard: Optional[Sequence[int]] = None) -> Dataset:
        reading = self._reading
        examples = reading.examples
        if shard is not None and self._options.shards_files:
            examples, shard = self._file_shards(shard[0])[shard[1]], None
        return examples.batched_dataset(
            size,
            # All batches of endless data are full, and so have a static batch size.
            drop_remainder=reading.remainder == "drop" or reading.epochs is None,
            shard=shard,
            shuffle=reading.shuffle_now(),
            epochs=reading.epochs,
            parallel_calls=self._options.parallel_calls,
            start=start,
        )

    def _global_batches(self, sizes: Sizes, start: Start) -> Dataset:
        batches = self._batches(sizes.global_, start)
        if self._reading.remainder == "drop":
            return batches
        return remainders.split_batches(batches, sizes.towers, sizes.per_tower, self._reading.remainder)

    def _per_tower_batches(self, sizes: Sizes, start: Start) -> Dataset:
        return self._completed(self._batches(sizes.per_tower, start), sizes)

    def _completed(self, batches: Dataset, sizes: Sizes) -> Dataset:
        """Returns a dataset of per-tower batches; without "drop", of (batch, count), with a complete last step."""
        if self._reading.remainder == "drop":
            return batches
        if self._reading.epochs is None:
            return remainders.with_count(batches, sizes.per_tower)
        return remainders.completed_steps(
            batches, sizes.towers, sizes.per_tower, self._reading.remainder, sizes.towers - 1
        )

    def _shards(self, sizes: Sizes, starts: Sequence[Start], own: range) -> List[Dataset]:
        """Returns a dataset of the examples of each tower's shard; without "drop", all are as long as the longest.

        Args:
          own: the numbers of the towers that are built, of all that `sizes` are for.
        """
        reading, towers = self._reading, sizes.towers
        shards = [self._batches(sizes.per_tower, start, (towers, tower)) for tower, start in zip(own, starts)]
        if reading.remainder == "drop":
            return shards
        if reading.epochs is None:
            return [remainders.with_count(shard, sizes.per_tower) for shard in shards]
        count = reading.examples.count() * reading.epochs
        lengths = [_steps(size_of_shard(count, towers, tower, 0), sizes) for tower in range(towers)]
        return [
            remainders.completed_steps(shard, 1, sizes.per_tower, reading.remainder, lengths[0] - length)
            if length else remainders.completed_batches(
                self._copies(sizes, lengths[0]), 1, sizes.per_tower, reading.remainder
            )
            for shard, length in zip(shards, lengths[own.start:own.stop])
        ]

    def _copies(self, sizes: Sizes, steps: int) -> Dataset:
        """Returns what a tower whose shard is empty computes: the first tower's first batch, in all steps."""
        beginning = self._batches(sizes.per_tower, start_of(self._reading.examples.seed), (sizes.towers, 0))
        return remainders.with_count(beginning.take(1), 0).repeat(steps)

    def _files_of_towers(self, towers: int) -> Tuple[str, ...]:
        """Returns a description of each tower's examples, for the plan."""
        size, others = divmod(self._reading.examples.file_shards(1)[0].count(), towers)
        counts = "{} or {} examples".format(size, size + 1) if others else counted(size, "example")
        return tuple("{} of each epoch: {}".format(counts, each.describe()) for each in self._file_shards(towers))

    def _file_shards(self, towers: int) -> List[Examples]:
        if len(self._known_file_shards) != towers:
            self._known_file_shards = self._reading.examples.file_shards(towers, move=True)
        return self._known_file_shards

    def _details(self, sizes: Sizes, asynchronous: bool) -> Dict[str, Any]:
        details, what = self._options.details(), "files" if self._options.shards_files else "examples"
        if self.route == "per_device":
            details["prefetch"] = "{0} steps on each device, {0} on the host".format(self._options.prefetch)
        if self.route == "sharded" and self._reading.order == "fixed":
            details["sharded"] = "batches, after batching"
        elif self.route == "sharded" and asynchronous:
            details["sharded"] = "{}, before shuffling; a tower ends with its shard".format(what)
        elif self.route == "sharded":
            details["sharded"] = "{}, before shuffling".format(what)
        return details


def _steps(examples: int, sizes: Sizes) -> int:
    return -(-examples // sizes.per_tower)
