"""Ways in for what people already have: a dataset, tensors, placeholders."""
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Union

from legacy_towers import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs import remainders, routes
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches
from legacy_towers.inputs.feed_hook import FeedHook, check_prefetch
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders
from legacy_towers.inputs.reading import check_order, check_remainder, describe_end
from legacy_towers.inputs.sizes import static_sizes


def from_dataset(dataset: Any, route: str = "split", order: str = "any", remainder: str = "drop") -> "FromDataset":
    """Returns the way in for a ready tf.data.Dataset whose elements are batches.

    Args:
      dataset: a dataset of global batches for "split", of per-tower batches for "next_per_tower" and "per_device"; for
        "sharded" a function from (number of towers, tower) to that tower's dataset of per-tower batches.
      route: "split", "next_per_tower", "sharded" or "per_device".
      order: "fixed" makes the towers pull in turn.
      remainder: "drop" takes the batches as they are: a global batch must divide among the towers, and a last step for
        which there are not enough per-tower batches is left out. "pad" and "short" deal out the examples of a batch
        that is smaller than the first one, or of too few batches, as in `dataset`, so that all of them arrive; the
        shards of "sharded" can't be filled up, because nobody knows which one is the longest.

    Raises:
      ArgumentError: the options contradict each other, or `dataset` is no dataset.
    """
    routes.check_route(route)
    check_order(order)
    check_remainder(remainder)
    if route == "sharded" and not callable(dataset):
        raise ArgumentError(
            'route="sharded" needs a function from (number of towers, tower) to the tower\'s dataset: a ready dataset '
            "can't be sharded before its shuffling any more"
        )
    if route != "sharded" and callable(dataset):
        raise ArgumentError("route={!r} needs a dataset, not a function".format(route))
    if route != "sharded":
        _check_dataset(dataset, "from_dataset needs a tf.data.Dataset of batches")
    if route == "sharded" and remainder != "drop":
        raise ArgumentError(
            'remainder={!r} contradicts route="sharded": of ready datasets nobody knows which one is the longest. Use '
            "inputs.dataset, which counts its examples, or another route".format(remainder)
        )
    return FromDataset(dataset, route, order, remainder)


class FromDataset(Input):
    """See `from_dataset`."""

    def __init__(self, dataset: Any, route: str, order: str, remainder: str) -> None:
        self._dataset = dataset
        self._route = route
        self._order = order
        self._remainder = remainder

    @property
    def route(self) -> str:
        """The route from the datasets to the towers."""
        return self._route

    @property
    def counts_examples(self) -> bool:
        """Whether the elements of the datasets hold a count of their true examples."""
        return self._remainder != "drop"

    @property
    def source(self) -> str:
        """What is read, in words."""
        return "your dataset"

    def build(self, devices: Sequence[str]) -> TowerBatches:
        return self.build_over(self.datasets(len(devices)), devices)

    def build_apart(self, devices: Sequence[str]) -> TowerBatches:
        if self._route not in routes.APART or self._order == "fixed":
            return self.build(devices)
        datasets = self.datasets(len(devices))
        if self.counts_examples:
            datasets = [remainders.filled(self._dataset, 1, None, self._remainder, 0)]
        return self._built(routes.APART[self._route](datasets, devices))

    def build_over(self, datasets: Sequence[Any], devices: Sequence[str]) -> TowerBatches:
        """Builds over such datasets as `datasets` gives."""
        return self._built(self._routed(datasets, devices))

    def _built(self, routed: routes.Routed) -> TowerBatches:
        per_tower, counts = routed.counted() if self.counts_examples else (routed.per_tower, None)
        plan = _plan("from_dataset", self._route, self._order, per_tower, self.source, "as long as it lasts")
        if counts is not None:
            plan = plan._replace(details={"end": describe_end(self._remainder)})
        return TowerBatches(
            per_tower, routed.hooks, plan, routed.pulls, counts, padded=self._remainder == "pad"
        )

    def datasets(self, towers: int) -> List[Any]:
        """Returns the tf.data.Datasets that `build` reads: one, or for "sharded" one per tower.

        Unless remainder="drop", their elements are as those of `DatasetInput.datasets`.
        """
        if self._route == "sharded":
            shards = [self._dataset(towers, tower) for tower in range(towers)]
            for tower, shard in enumerate(shards):
                _check_dataset(shard, "the function must return the dataset of tower {}".format(tower))
            return shards
        if not self.counts_examples:
            return [self._dataset]
        if self._route == "split":
            return [remainders.dealt(self._dataset, towers, None, self._remainder)]
        return [remainders.filled(self._dataset, towers, None, self._remainder, towers - 1)]

    def _routed(self, datasets: Sequence[Any], devices: Sequence[str]) -> routes.Routed:
        if self._route == "sharded":
            return routes.sharded(datasets, devices)
        if self._route == "split":
            return (routes.already_split if self.counts_examples else routes.split)(datasets[0], devices)
        if self._route == "per_device":
            return routes.per_device(datasets[0], devices, _PREFETCH)
        return routes.next_per_tower(datasets[0], devices)


_PREFETCH = 2  # batches on each device, as by default in `dataset`


def _check_dataset(value: Any, what: str) -> None:
    # A dataset of tf.data's first or second version; an iterator has elements too, but makes no other dataset.
    if not (hasattr(value, "element_spec") and hasattr(value, "prefetch")):
        raise ArgumentError("{}, not {}".format(what, type(value).__name__))


Batches = Union[Iterable[Any], Callable[[], Iterator[Any]]]


def from_placeholders(
    placeholders: Union[TowerPlaceholders, List[Any]],
    batches: Batches,
    background: bool = False,
    prefetch: Optional[int] = None,
) -> "FromPlaceholders":
    """Returns the way in that feeds your placeholders from your batches.

    Where a tower's placeholders are a dict and there are shared ones in a dict, a tower's batch holds both.

    Args:
      placeholders: what `lt.tower_placeholders` gave, or a list of one structure of placeholders per tower.
      batches: an iterable, or a function that returns a fresh iterator, which each new session starts from. An item is
        a list of structures of arrays, one per tower; or one structure of arrays, split among the towers along the
        first axis; or an `lt.inputs.Feed`, which can hold shared values too. A list is always one per tower, also
        where a tower's placeholders are a list: give a global batch as a tuple then, or by `Feed(global_batch=...)`.
        Arrays are copied into aligned memory unless they are aligned already (`lt.inputs.aligned_empty`) and nothing in
        the graph keeps what it is fed: they may be written again as soon as the next item is asked for.
      background: whether a thread iterates over the batches while steps run. An error in it reaches the run after the
        batches that came before, or after two seconds.
      prefetch: steps that are made ahead in the background; None means 2.

    Raises:
      ArgumentError: there are no placeholders, or `batches` is nothing to iterate over, or prefetch is no number of
        steps, or is given without a background.
      InputError: the towers' placeholders differ in structure. Later, when the step is built: they are for another
        number of towers, or a shared one has the name of a tower's own. And in the run that a batch is for: the batch
        doesn't fit the placeholders; the message names tower and component.
    """
    if not isinstance(placeholders, TowerPlaceholders):
        placeholders = TowerPlaceholders(placeholders)
    if not callable(batches) and not hasattr(batches, "__iter__"):
        raise ArgumentError(
            "batches must be an iterable or a function that returns an iterator, not {}".format(type(batches).__name__)
        )
    return FromPlaceholders(placeholders, batches, check_prefetch(background, prefetch))


class FromPlaceholders(Input):
    """See `from_placeholders`."""

    def __init__(self, placeholders: TowerPlaceholders, batches: Batches, prefetch: Optional[int]) -> None:
        self._placeholders = placeholders
        self._batches = batches
        self._prefetch = prefetch

    def build(self, devices: Sequence[str]) -> TowerBatches:
        per_tower = self._placeholders.batches()
        if len(per_tower) != len(devices):
            raise InputError(
                "placeholders for {} towers are given where there are {}".format(len(per_tower), len(devices))
            )
        route = None if self._prefetch is None else "background"
        plan = _plan("from_placeholders", route, "any", per_tower, "batches of the caller", "as long as they last")
        # An iterator can't start again: the next session goes on with it.
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


def _plan(way: str, route: Optional[str], order: str, per_tower: List[Any], source: str, lasts: str) -> InputPlan:
    same, whole = static_sizes(per_tower)
    return InputPlan(way, route, order, same, whole, None, None, source, {}, lasts=lasts)
