"""The input pipeline over a ready tf.data.Dataset."""
from typing import Any, Dict, List, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.inputs.position import EXACT, Position, Promise
from legacy_towers.inputs.promises import promise_for_dataset
from legacy_towers.inputs.reading import check_order, check_remainder, describe_end, plan_of_tensors
from legacy_towers.inputs.tf_data import remainders, routes
from legacy_towers.tensor_types import Dataset, Session


def from_dataset(dataset: Dataset, route: str = "split", order: str = "any", remainder: str = "drop") -> "FromDataset":
    """Creates an input pipeline over your own tf.data.Dataset of batches.

        route             elements of the dataset            step 0
        split             [a b c d] [e f g h] ...            tower 0 [a b]   tower 1 [c d]
        next_per_tower    [a b] [c d] [e f] ...              tower 0 [a b]   tower 1 [c d]
        per_device        [a b] [c d] [e f] ...              tower 0 [a b]   tower 1 [c d]
        sharded           a dataset per tower                tower 0 the first batch of its own, tower 1 of its own

        ds = tf.data.Dataset.from_tensor_slices({"x": rows}).shuffle(1000).batch(64, drop_remainder=True)
        inputs = lt.inputs.from_dataset(ds)

    Args:
      dataset: a dataset of global batches for "split", of per-tower batches for "next_per_tower" and "per_device"; for
        "sharded" a function from (number of towers, index of the tower) to the tower's dataset of per-tower batches.
      route: "split", "next_per_tower", "sharded" or "per_device".
      order: "any", or "fixed", by which the towers take their batches in turn.
      remainder: "drop" uses the batches as they are: a global batch must be divisible by the number of towers, and a
        last step with too few per-tower batches is left out. "pad" and "short" assign the examples of a batch that is
        smaller than the first one, or of too few batches, as in `dataset`, so that all examples are used. They don't
        support "sharded", since the length of each shard is unknown.

    Raises:
      ArgumentError: the options contradict each other, or `dataset` is not a dataset.
    """
    routes.check_route(route)
    check_order(order)
    check_remainder(remainder)
    if route == "sharded" and not callable(dataset):
        raise ArgumentError(
            'route="sharded" needs a function from (number of towers, index of the tower) to the tower\'s dataset: a '
            "dataset must be sharded before it is shuffled and batched"
        )
    if route != "sharded" and callable(dataset):
        raise ArgumentError("route={!r} needs a dataset, got a function".format(route))
    if route != "sharded":
        _check_dataset(dataset, "dataset must be a tf.data.Dataset of batches")
    if route == "sharded" and remainder != "drop":
        raise ArgumentError(
            'remainder={!r} contradicts route="sharded", since the length of each shard is unknown: use another route, '
            "or lt.inputs.dataset, which counts its examples".format(remainder)
        )
    return FromDataset(dataset, route, order, remainder)


class FromDataset(routes.DatasetPipeline):
    """The input pipeline of `from_dataset`."""

    def __init__(self, dataset: Dataset, route: str, order: str, remainder: str) -> None:
        super().__init__(route, remainder != "drop", "your dataset")
        self._dataset = dataset
        self._order = order
        self._remainder = remainder

    def build(self, devices: Sequence[str]) -> TowerBatches:
        return self.build_over(self.datasets(len(devices)), devices)

    def build_asynchronous(self, devices: Sequence[str]) -> TowerBatches:
        if self.route not in routes.ASYNCHRONOUS_ROUTES or self._order == "fixed" or len(devices) == 1:
            return self.build(devices)
        if self.route == "sharded":
            # Each tower goes through its shard at its own speed: there is no position of all.
            return self._build_over(routes.Datasets(self._datasets(len(devices))), devices, asynchronous=True)
        dataset = self._dataset
        if self.counts_examples:
            dataset = remainders.completed_steps(dataset, 1, None, self._remainder, 0)
        datasets = self._from_position([dataset], 1, "")
        assert datasets.position is not None
        datasets.position.by_tower = True
        return self._build_over(datasets, devices, asynchronous=True)

    def build_over(self, datasets: routes.Datasets, devices: Sequence[str]) -> TowerBatches:
        return self._build_over(datasets, devices, asynchronous=False)

    def _build_over(self, datasets: routes.Datasets, devices: Sequence[str], asynchronous: bool) -> TowerBatches:
        routed = routes.build_route(self.route, datasets, devices, _PREFETCH, self.counts_examples, asynchronous)
        per_tower, counts = routed.counted() if self.counts_examples else (routed.per_tower, None)
        plan = plan_of_tensors("from_dataset", self.route, self._order, per_tower, self.source, "as long as it lasts")
        if counts is not None:
            plan = plan._replace(details={"end": describe_end(self._remainder)})
        position = datasets.position
        if position is not None:
            position.promise = promise_for_dataset(routed.initializers)
            plan = plan.with_promise(position.promise)
        return TowerBatches(
            per_tower, routed.hooks, plan, routed.input_ops, counts, padded=self._remainder == "pad", position=position
        )

    def datasets(self, towers: int) -> routes.Datasets:
        # A step takes a batch of each dataset, or one for each tower of a single one.
        per_step = towers if self.route in ("next_per_tower", "per_device") else 1
        shards = " for {} towers".format(towers) if self.route == "sharded" else ""
        return self._from_position(self._datasets(towers), per_step, shards)

    def _from_position(self, each: List[Dataset], per_step: int, shards: str) -> routes.Datasets:
        """Returns datasets without the batches that were used before the session."""
        begin = tf.placeholder_with_default(tf.constant(0, tf.int64), [], name="used_batches")
        position = Position(Promise(EXACT, ""), per_step, "batches of your dataset" + shards)
        position.begins_by_pipeline = True

        def feed(session: Session) -> Dict[Any, Any]:
            position.begin()
            return {begin: position.examples}

        return routes.Datasets([dataset.skip(begin) for dataset in each], position, feed)

    def _datasets(self, towers: int) -> List[Dataset]:
        if self.route == "sharded":
            shards = [self._dataset(towers, tower) for tower in range(towers)]
            for tower, shard in enumerate(shards):
                _check_dataset(shard, "the function dataset must return a tf.data.Dataset for tower {}".format(tower))
            return shards
        if not self.counts_examples:
            return [self._dataset]
        if self.route == "split":
            return [remainders.split_batches(self._dataset, towers, None, self._remainder)]
        return [remainders.completed_steps(self._dataset, towers, None, self._remainder, towers - 1)]


_PREFETCH = 2  # batches on each device, as by default in `dataset`


def _check_dataset(value: Any, requirement: str) -> None:
    # A dataset of tf.data's first or second version. An iterator has elements too, but no transformations.
    if not (hasattr(value, "element_spec") and hasattr(value, "prefetch")):
        raise ArgumentError("{}, got {}".format(requirement, type(value).__name__))
