"""The input pipeline with feed_dict: batches are numpy arrays, fed to placeholders in each step."""
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import Examples, structure
from legacy_towers.data.readable_examples import Shuffle
from legacy_towers.inputs.base import Input, TowerBatches, host_device, scope_within
from legacy_towers.inputs.checked_feed import CheckedFeed
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.feeds.aligned import BufferRing, aligned_empty
from legacy_towers.inputs.feeds.assemble import Assembler, StepArrays
from legacy_towers.inputs.feeds.hook import FeedHook, blocks_for, check_prefetch
from legacy_towers.inputs.feeds.placeholders import TowerPlaceholders, tower_placeholders
from legacy_towers.inputs.feeds.prepare import PreparedStep, bytes_of
from legacy_towers.inputs.reading import Reading, check_dense
from legacy_towers.inputs.record_files import record_hooks
from legacy_towers.specs.batch_sizes import Sizes
from legacy_towers.text.names import tower_scope


def feed(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    remainder: str = "drop",
    background: bool = False,
    prefetch: Optional[int] = None,
) -> "FeedInput":
    """Creates an input pipeline that feeds each tower's batch to placeholders, with feed_dict.

        global batch [a b c d]   ->   tower 0 [a b]   tower 1 [c d]

        inputs = lt.inputs.feed(examples, per_tower_batch_size=2, background=True)

    The batches are in aligned memory, which TensorFlow uses without a copy. The hook's `waited_seconds`, `fed_bytes`
    and `copied_bytes` measure what feeding costs.

    Args:
      examples: an `lt.Examples` with dense components. Files are parsed in a graph and session of their own.
      per_tower_batch_size, global_batch_size: examples per step, of one tower or of all towers; give one of them.
      epochs: how often the data is read; None repeats it indefinitely.
      shuffle: overrides the examples' own `shuffle` unless None.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      remainder: what happens to the last examples that don't fill a global batch: "drop", "pad" with copies, or
        "short" batches.
      background: whether a thread makes the batches while steps run. An error in it is raised in the run after the
        batches that were made before it, or after two seconds.
      prefetch: steps made in advance by the thread; None for 2.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: when the step is built: a component is sparse or ragged.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    return FeedInput(reading, check_prefetch(background, prefetch))


class FeedInput(Input):
    """The input pipeline of `feed`."""

    def __init__(self, reading: Reading, prefetch: Optional[int]) -> None:
        self._reading = reading
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        reading = self._reading.logged()
        sizes = reading.sizes(len(devices))
        spec = reading.examples.spec()
        check_dense("feed", spec)
        batch_size = None if reading.remainder == "short" else sizes.per_tower

        def batched(leaf: Any) -> Any:
            return tf.TensorSpec(tf.TensorShape([batch_size]).concatenate(leaf.shape), leaf.dtype)

        placeholders = tower_placeholders(structure.map_leaves(batched, spec), len(devices), devices=devices)
        counts = None if reading.remainder == "drop" else [
            _count_placeholder(tower, device) for tower, device in enumerate(devices)
        ]
        ring = BufferRing(blocks_for(self._prefetch))
        position = reading.position(sizes, "numpy" if reading.examples.arrays is not None else "tf.data")
        maker = _StepMaker(reading, sizes, placeholders.per_tower, counts, ring, position)
        fed = placeholders
        if counts is not None:
            fed = TowerPlaceholders([(batch, count) for batch, count in zip(placeholders.per_tower, counts)])
        hook = FeedHook(fed, maker.steps, prefetch=self._prefetch, ring=ring, begin=position.begin)
        details: Dict[str, Any] = {
            "buffers": "aligned, for up to {} steps, reused when nothing refers to them".format(
                blocks_for(self._prefetch)
            )
        }
        if self._prefetch is not None:
            details["prefetch"] = "{} step{} by a thread".format(self._prefetch, "" if self._prefetch == 1 else "s")
        route = None if self._prefetch is None else "background"
        # Parsed examples come from a dataset that prefetches two steps; a thread holds one step more than `prefetch`.
        ahead = 3 if self._prefetch is None else 3 + self._prefetch + 1
        plan = reading.plan("feed", route, sizes, details)._replace(steps_ahead=ahead)
        return TowerBatches(
            placeholders.batches(), [hook] + record_hooks(reading.examples), plan.with_promise(position.promise),
            counts=counts, padded=reading.remainder == "pad", position=position,
            skipped=reading.examples.skipped,
        )


class _StepMaker:
    """Makes the feed of each step: an aligned array for each placeholder."""

    def __init__(
        self,
        reading: Reading,
        sizes: Sizes,
        per_tower: List[Any],
        counts: Optional[List[Any]],
        ring: BufferRing,
        position: ExamplesPosition,
    ) -> None:
        self._leaves = [structure.leaves_of(batch) for batch in per_tower]
        self._has_strings = any(leaf.dtype.base_dtype == tf.string for leaf in self._leaves[0])
        self._counts = counts
        self._count_arrays: Dict[int, np.ndarray] = {}  # count -> a scalar, which is fed and never written again
        self._assembler = Assembler(reading, sizes, per_tower[0], ring)
        self._position = position

    def steps(self) -> Iterator[PreparedStep]:
        steps = self._assembler.steps(self._position.start())
        try:
            for step in steps:
                prepared = self._prepared(step)
                del step
                yield prepared
                del prepared  # a reference would prevent the reuse of its memory
        finally:
            steps.close()

    def _prepared(self, step: StepArrays) -> PreparedStep:
        arrays: Dict[Any, np.ndarray] = {} if self._has_strings else CheckedFeed()
        fed_bytes = 0
        for leaves, values in zip(self._leaves, step.per_tower):
            for leaf, array in zip(leaves, values):
                arrays[leaf] = array
                fed_bytes += bytes_of(array) if self._has_strings else array.nbytes
        for placeholder, count in zip(self._counts or [], step.counts):
            if count not in self._count_arrays:
                self._count_arrays[count] = aligned_empty([], np.int32)
                self._count_arrays[count][...] = count
            arrays[placeholder] = self._count_arrays[count]
            fed_bytes += arrays[placeholder].nbytes
        return PreparedStep(arrays, fed_bytes, step.copied_bytes)


def _count_placeholder(tower: int, device: str) -> Any:
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")), tf.device(host_device(device)):
        return tf.placeholder(tf.int32, [], name="count")
