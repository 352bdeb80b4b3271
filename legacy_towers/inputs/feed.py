"""The way in by feed_dict: batches are numpy arrays, made in this process and fed to placeholders at each step."""
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.inputs.aligned import BufferRing, aligned_empty
from legacy_towers.inputs.assemble import Assembler, StepArrays
from legacy_towers.inputs.base import Input, TowerBatches, host_device, scope_within
from legacy_towers.inputs.feed_hook import FeedHook, blocks_for, check_prefetch
from legacy_towers.inputs.placeholders import TowerPlaceholders, tower_placeholders
from legacy_towers.inputs.prepare import Ready, bytes_of
from legacy_towers.inputs.reading import Reading, check_dense
from legacy_towers.inputs.sizes import Sizes
from legacy_towers.names import tower_scope


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
    """Returns the way in that feeds each step's batch through placeholders.

    The batches lie in aligned memory, which TensorFlow takes without a copy. What feeding costs is told by the hook's
    `waited_seconds`, `fed_bytes` and `copied_bytes`.

    Args:
      examples: an `lt.Examples`; files are parsed in a graph and session of their own.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      epochs: how often the data is read; None for ever.
      shuffle: as in `Examples`, instead of what the examples were made with.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      remainder: what becomes of a last incomplete step: "drop", "pad" or "short".
      background: whether a thread makes the batches while steps run. An error in it reaches the run after the batches
        that were made before, or after two seconds.
      prefetch: steps that are made ahead in the background; None means 2.

    Raises:
      ArgumentError: the options contradict each other.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    return FeedInput(reading, check_prefetch(background, prefetch))


class FeedInput(Input):
    """See `feed`."""

    def __init__(self, reading: Reading, prefetch: Optional[int]) -> None:
        self._reading = reading
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        reading = self._reading
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
        maker = _StepMaker(reading, sizes, placeholders.per_tower, counts, ring)
        fed = placeholders
        if counts is not None:
            fed = TowerPlaceholders([(batch, count) for batch, count in zip(placeholders.per_tower, counts)])
        hook = FeedHook(fed, maker.steps, prefetch=self._prefetch, ring=ring)
        details: Dict[str, Any] = {
            "buffers": "aligned, up to {} steps' in memory, written again once nothing holds them".format(
                blocks_for(self._prefetch)
            )
        }
        if self._prefetch is not None:
            details["prefetch"] = "{} step{} by a thread".format(self._prefetch, "" if self._prefetch == 1 else "s")
        route = None if self._prefetch is None else "background"
        return TowerBatches(
            placeholders.batches(), [hook], reading.plan("feed", route, sizes, details), counts=counts,
            padded=reading.remainder == "pad",
        )


class _StepMaker:
    """Makes what each step is fed: for each placeholder an aligned array."""

    def __init__(
        self, reading: Reading, sizes: Sizes, per_tower: List[Any], counts: Optional[List[Any]], ring: BufferRing
    ) -> None:
        self._leaves = [structure.leaves_of(batch) for batch in per_tower]
        self._counts = counts
        self._assembler = Assembler(reading, sizes, per_tower[0], ring)

    def steps(self) -> Iterator[Ready]:
        steps = self._assembler.steps()
        try:
            for step in steps:
                made = self._ready(step)
                del step
                yield made
                del made  # its memory is written again once nobody holds it
        finally:
            steps.close()

    def _ready(self, step: StepArrays) -> Ready:
        arrays: Dict[Any, np.ndarray] = {}
        for leaves, values in zip(self._leaves, step.per_tower):
            arrays.update(zip(leaves, values))
        fed_bytes = sum(bytes_of(array) for array in arrays.values())
        for placeholder, count in zip(self._counts or [], step.counts):
            arrays[placeholder] = aligned_empty([], np.int32)
            arrays[placeholder][...] = count
            fed_bytes += arrays[placeholder].nbytes
        return Ready(arrays, fed_bytes, step.copied_bytes)


def _count_placeholder(tower: int, device: str) -> Any:
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")), tf.device(host_device(device)):
        return tf.placeholder(tf.int32, [], name="count")
