"""The way in by feed_dict: batches are numpy arrays, made in this process and fed to placeholders at each step."""
from typing import Any, Iterator, Optional, Sequence

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.inputs.feed_hook import FeedHook
from legacy_towers.inputs.placeholders import Feed, tower_placeholders
from legacy_towers.inputs.reading import Reading, check_dense


def feed(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
) -> "FeedInput":
    """Returns the way in that feeds each step's batch through placeholders.

    Args:
      examples: an `lt.Examples`; files are parsed in a graph and session of their own.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      epochs: how often the data is read; None for ever.
      shuffle: as in `Examples`, instead of what the examples were made with.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).

    Raises:
      ArgumentError: the options contradict each other.
    """
    return FeedInput(Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order).checked())


class FeedInput(Input):
    """See `feed`."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def build(self, devices: Sequence[str]) -> TowerBatches:
        reading = self._reading
        sizes = reading.sizes(len(devices))
        spec = reading.examples.spec()
        check_dense("feed", spec)

        def batched(leaf: Any) -> Any:
            return tf.TensorSpec(tf.TensorShape([sizes.per_tower]).concatenate(leaf.shape), leaf.dtype)

        placeholders = tower_placeholders(structure.map_leaves(batched, spec), len(devices), devices=devices)

        def feeds() -> Iterator[Feed]:
            batches = reading.examples.numpy_batches(
                sizes.global_, reading.epochs, reading.shuffle_now(), drop_remainder=True
            )
            return (Feed(global_batch=batch) for batch in batches)

        plan = reading.plan("feed", None, sizes, {})
        return TowerBatches(placeholders.batches(), [FeedHook(placeholders, feeds)], plan)
