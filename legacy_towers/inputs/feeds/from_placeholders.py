"""The input pipeline that feeds a caller's batches to placeholders."""
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Union

from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.inputs.feeds.hook import FeedHook, check_prefetch
from legacy_towers.inputs.feeds.placeholders import Feed, TowerPlaceholders
from legacy_towers.inputs.reading import plan_of_tensors

Batches = Union[Iterable[Any], Callable[[], Iterator[Any]]]


def from_placeholders(
    placeholders: Union[TowerPlaceholders, List[Any]],
    batches: Batches,
    background: bool = False,
    prefetch: Optional[int] = None,
) -> "FromPlaceholders":
    """Creates an input pipeline that feeds your batches to your placeholders.

        def batches():
            while True:
                yield {"x": np.random.rand(64, 784)}     # a global batch: 2 towers get 32 rows each

        placeholders = lt.tower_placeholders({"x": tf.TensorSpec([None, 784], tf.float32)}, towers=2)
        inputs = lt.inputs.from_placeholders(placeholders, batches)

    If a tower's placeholders and the shared ones are dicts, a tower's batch contains both.

    Args:
      placeholders: the result of `lt.tower_placeholders`, or a list of one structure of placeholders per tower.
      batches: an iterable, or a function that returns a new iterator for each session. An item is a list of structures
        of arrays, one per tower; or a structure of arrays, split among the towers along the first axis; or an
        `lt.inputs.Feed`, which can have shared values too. A list is always one structure per tower: if a tower's
        placeholders are a list, give a global batch as a tuple or as `Feed(global_batch=...)`. Arrays may be reused for
        the next item: they are copied unless they are aligned (`lt.inputs.aligned_empty`), made without a background
        thread, and no operation of the graph retains them.
      background: whether a thread iterates over the batches while steps run. An error in it is raised in the run after
        the batches that were made before it, or after two seconds.
      prefetch: steps made in advance by the thread; None for 2.

    Raises:
      ArgumentError: there are no placeholders, `batches` is neither an iterable nor a function, prefetch is not a
        positive number, or prefetch is given without background=True.
      InputError: the towers' placeholders differ in structure. When the step is built: they are for another number of
        towers, or a shared one has the same name as a tower's. In a run: the batch does not fit the placeholders; the
        message names the tower and the component.
    """
    if not isinstance(placeholders, TowerPlaceholders):
        placeholders = TowerPlaceholders(placeholders)
    if not callable(batches) and not hasattr(batches, "__iter__"):
        raise ArgumentError(
            "batches must be an iterable or a function that returns an iterator, got {}".format(type(batches).__name__)
        )
    return FromPlaceholders(placeholders, batches, check_prefetch(background, prefetch))


class FromPlaceholders(Input):
    """The input pipeline of `from_placeholders`."""

    def __init__(self, placeholders: TowerPlaceholders, batches: Batches, prefetch: Optional[int]) -> None:
        self._placeholders = placeholders
        self._batches = batches
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        per_tower = self._placeholders.batches()
        if len(per_tower) != len(devices):
            raise InputError(
                "there are placeholders for {} towers, but the step has {}".format(len(per_tower), len(devices))
            )
        route = None if self._prefetch is None else "background"
        plan = plan_of_tensors(
            "from_placeholders", route, "any", per_tower, "the caller's batches", "as long as they last"
        )
        # An iterator can't be restarted: the next session continues with it.
        continues = isinstance(self._batches, Iterator)
        return TowerBatches(
            per_tower, [FeedHook(self._placeholders, self._feeds, continues, self._prefetch)], plan,
            shared=tuple(structure.leaves_of(self._placeholders.shared)),
        )

    def _feeds(self) -> Iterator[Feed]:
        for item in self._batches() if callable(self._batches) else self._batches:
            if isinstance(item, Feed):
                yield item
            elif isinstance(item, list):
                yield Feed(per_tower=item)
            else:
                yield Feed(global_batch=item)
