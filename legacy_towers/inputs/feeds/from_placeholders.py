"""The input pipeline that feeds a caller's batches to placeholders."""
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from legacy_towers.data import structure
from legacy_towers.data.item_log import ItemLog
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.inputs.feeds.hook import FeedHook, check_prefetch
from legacy_towers.inputs.feeds.placeholders import Feed, TowerPlaceholders
from legacy_towers.inputs.logged_position import ItemsPosition
from legacy_towers.inputs.position import EXACT, Promise
from legacy_towers.inputs.promises import refused
from legacy_towers.inputs.reading import plan_of_tensors

Batches = Union[Iterable[Any], Callable[[], Iterator[Any]]]


def from_placeholders(
    placeholders: Union[TowerPlaceholders, List[Any]],
    batches: Batches,
    background: bool = False,
    prefetch: Optional[int] = None,
    resumable: bool = False,
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
      resumable: whether the iterators report their position, by `state_dict()` and `load_state_dict(state)`, so that a
        run resumes at the next batch: see `lt.Examples.from_generator`. Without it, a run that resumes begins again
        with the batches.

    Raises:
      ArgumentError: there are no placeholders, `batches` is neither an iterable nor a function, prefetch is not a
        positive number, prefetch is given without background=True, or `batches` is resumable and an iterator.
      InputError: the towers' placeholders differ in structure. When the step is built: they are for another number of
        towers, or a shared one has the same name as a tower's. In a run: the batch does not fit the placeholders; the
        message names the tower and the component. An iterator lacks a method, its state is not plain, or the run that
        resumes gets other batches.
    """
    if not isinstance(placeholders, TowerPlaceholders):
        placeholders = TowerPlaceholders(placeholders)
    if not callable(batches) and not hasattr(batches, "__iter__"):
        raise ArgumentError(
            "batches must be an iterable or a function that returns an iterator, got {}".format(type(batches).__name__)
        )
    if resumable and isinstance(batches, Iterator):
        raise ArgumentError(
            "batches is an iterator, and resumable=True needs a function that returns a new one for each session: pass "
            "the class or the function that made it"
        )
    return FromPlaceholders(placeholders, batches, check_prefetch(background, prefetch), resumable)


class FromPlaceholders(Input):
    """The input pipeline of `from_placeholders`."""

    def __init__(
        self, placeholders: TowerPlaceholders, batches: Batches, prefetch: Optional[int], resumable: bool
    ) -> None:
        self._placeholders = placeholders
        self._resumable = resumable
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
        shared = tuple(structure.leaves_of(self._placeholders.shared))
        if not self._resumable:
            hook = FeedHook(self._placeholders, self._feeds, continues, self._prefetch)
            return TowerBatches(per_tower, [hook], plan.with_promise(refused(_NO_POSITION)), shared=shared)
        log = ItemLog(self._name(), "from_placeholders(..., resumable=True)", numbered="batch {:,}")
        position = ItemsPosition(Promise(EXACT, _REPORTS_POSITION), 1, "your batches", log)
        hook = FeedHook(
            self._placeholders, lambda: self._logged_feeds(log), prefetch=self._prefetch, begin=position.begin
        )
        return TowerBatches(per_tower, [hook], plan.with_promise(position.promise), shared=shared, position=position)

    def _name(self) -> str:
        return "the function {}".format(getattr(self._batches, "__name__", "batches")) if callable(
            self._batches) else "the {} given as batches".format(type(self._batches).__name__)

    def _iterable(self) -> Any:
        return self._batches() if callable(self._batches) else self._batches

    def _feeds(self) -> Iterator[Feed]:
        for item in self._iterable():
            yield _feed_of(item)

    def _logged_feeds(self, log: ItemLog) -> Iterator[Feed]:
        def converted(number: int, item: Any) -> Tuple[Feed, List[Any], int]:
            feed = _feed_of(item)
            return feed, self._values(feed), 1

        items = log.items(self._iterable, 0, converted)
        try:
            for _, feed, _ in items:
                yield feed
        finally:
            items.close()

    def _values(self, feed: Feed) -> List[Any]:
        """Returns the arrays of a step. What does not fit the placeholders is an error later, and left out here."""
        pairs = list(zip(self._placeholders.per_tower, feed.per_tower or []))
        pairs += [(self._placeholders.per_tower[0], feed.global_batch), (self._placeholders.shared, feed.shared)]
        values: List[Any] = []
        for placeholders, given in pairs:
            found, _ = structure.leaves_like(placeholders, given)
            for value in found:
                try:
                    values.append(np.asarray(value))
                except ValueError:
                    pass
        return values


def _feed_of(item: Any) -> Feed:
    if isinstance(item, Feed):
        return item
    return Feed(per_tower=item) if isinstance(item, list) else Feed(global_batch=item)


_NO_POSITION = (
    "only your iterator knows where it is: one with state_dict() and load_state_dict(), and "
    "from_placeholders(..., resumable=True), resumes exactly"
)
_REPORTS_POSITION = "your iterators report their position: a resumed run begins there"
