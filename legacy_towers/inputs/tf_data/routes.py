"""The routes from tf.data.Datasets of batches to the towers; see `legacy_towers.inputs.tf_data.dataset`."""
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import iterators_on_devices
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import Input, TowerBatches, host_device, move_to_tower
from legacy_towers.inputs.position import Position
from legacy_towers.inputs.splitting import split_batch
from legacy_towers.inputs.tf_data.switched_dataset import iterator_over
from legacy_towers.specs.pipelines import ROUTES
from legacy_towers.tensor_types import Coordinator, Dataset, NestedTensors, Operation, Session, SessionRunHook, Tensor

# The routes with which each tower can take its batches in its own runs.
ASYNCHRONOUS_ROUTES = ("next_per_tower", "sharded")


def check_route(route: str) -> None:
    """Raises ArgumentError unless `route` is the name of a route."""
    if route not in ROUTES:
        raise ArgumentError("route must be one of {}, got {!r}".format(", ".join(map(repr, ROUTES)), route))


class Routed(NamedTuple):
    """The result of a route: parts of `TowerBatches`."""

    per_tower: List[NestedTensors]  # each tower's element
    hooks: List[SessionRunHook]
    input_ops: Tuple[Operation, ...]  # the operations that wait for data
    initializers: Sequence[Operation]  # of the iterators

    def counted(self) -> Tuple[List[NestedTensors], List[Tensor]]:
        """Returns the batches and the counts of elements that are (batch, count)."""
        return [batch for batch, _ in self.per_tower], [count for _, count in self.per_tower]


class DatasetPipeline(Input):
    """Base class of the input pipelines over tf.data.Datasets.

    Attributes:
      route: the route from the datasets to the towers.
      counts_examples: whether the elements of the datasets contain the number of their examples without copies.
      source: a description of the data.
    """

    def __init__(self, route: str, counts_examples: bool, source: str) -> None:
        self.route = route
        self.counts_examples = counts_examples
        self.source = source

    def datasets(self, towers: int) -> "Datasets":
        """Creates the tf.data.Datasets that `build` reads, in the default graph: one, or for "sharded" one per tower.

        Their elements are global batches for "split", and per-tower batches for the other routes. Where they count
        examples, an element is (batch, count), or for "split" a tuple of (batch, count) per tower.
        """
        raise NotImplementedError

    def build_over(self, datasets: "Datasets", devices: Sequence[str]) -> TowerBatches:
        """Creates the operations over given datasets, which have the elements of those that `datasets` returns."""
        raise NotImplementedError


class Datasets(NamedTuple):
    """The datasets of a pipeline, and where they begin.

    Attributes:
      each: the datasets.
      position: the position in the data; None if it is not known.
      feed: begins a session, and returns what is fed to the iterators' initializers; None: nothing.
      examples: the `lt.Examples` that they read; None for a caller's datasets.
    """

    each: Sequence[Dataset]
    position: Optional[Position] = None
    feed: Optional[Callable[[Session], Dict[Any, Any]]] = None
    examples: Any = None


class InitializeIterators(tf.train.SessionRunHook):
    """Initializes iterators in each new session.

    Args:
      feed: returns, for a session, what is fed to the initializers; None: nothing.
      groups: lists of initializers that must run together, such as those of iterators over one source. The groups run
        one after another: TF 1.15 starts a dataset in a thread of its pool, which waits for further threads, so that
        several datasets at once can block all threads of a small machine (seen on 2 cores with 3 shards).
    """

    def __init__(
        self, groups: Sequence[Sequence[Any]], feed: Optional[Callable[[Session], Dict[Any, Any]]] = None
    ) -> None:
        self._groups = [list(group) for group in groups]
        self._feed = feed

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        feed = None if self._feed is None else self._feed(session)
        for group in self._groups:
            session.run(group, feed)


def build_route(
    route: str,
    datasets: Datasets,
    devices: Sequence[str],
    prefetch: int,
    is_split: bool,
    asynchronous: bool = False,
    own: Optional[range] = None,
    towers: Optional[int] = None,
) -> Routed:
    """Creates the iterators of a route, and the operations that take the towers' batches.

    Args:
      datasets: a dataset per tower for "sharded", else one dataset.
      prefetch: batches in the buffer of each device, for "per_device".
      is_split: whether the elements of "split" are tuples with a part for each tower.
      own: which parts of the elements of "split" the towers on `devices` get; None for all.
      towers: for how many towers these elements are; None for those on `devices`.
    """
    parts = (range(len(devices)) if own is None else own, towers or len(devices))
    taken = _next_elements(route, datasets.each, devices, prefetch, is_split, asynchronous, *parts)
    return _routed(taken, devices, datasets.feed, one_source=route == "per_device", asynchronous=asynchronous)


class _NextElements(NamedTuple):
    elements: Sequence[Any]  # what the get_nexts return
    parts: Sequence[Any]  # per tower, its part of that
    iterators: Sequence[Any]


def _next_elements(
    route: str, datasets: Sequence[Dataset], devices: Sequence[str], prefetch: int, is_split: bool, asynchronous: bool,
    own: range, towers: int,
) -> _NextElements:
    if route == "sharded":
        return _sharded(datasets, devices, asynchronous)
    if route == "next_per_tower":
        return _next_per_tower(datasets[0], devices, asynchronous)
    if route == "per_device":
        return _per_device(datasets[0], devices, prefetch)
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = iterator_over(datasets[0])
        whole = iterator.get_next()
        parts = whole if is_split else split_batch(whole, towers)
    return _NextElements([whole], list(parts)[own.start:own.stop], [iterator])


def _next_per_tower(dataset: Dataset, devices: Sequence[str], asynchronous: bool = False) -> _NextElements:
    """Creates one iterator of per-tower batches and one `get_next` per tower, run in turn unless `asynchronous`."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = iterator_over(dataset)
        elements = take_batches([iterator.get_next] * len(devices), in_turn=not asynchronous)
    return _NextElements(elements, elements, [iterator])


def _sharded(datasets: Sequence[Dataset], devices: Sequence[str], asynchronous: bool = False) -> _NextElements:
    """Creates one iterator and `get_next` per tower, over the tower's dataset of per-tower batches.

    The `get_next`s run in turn unless `asynchronous`, where each tower has its own runs.
    """
    hosts = [host_device(device) for device in devices]
    iterators = []
    for dataset, host in zip(datasets, hosts):
        with tf.name_scope("inputs"), tf.device(host):
            iterators.append(iterator_over(dataset))
    elements = _get_next_each(iterators, hosts, asynchronous)
    return _NextElements(elements, elements, iterators)


def _per_device(dataset: Dataset, devices: Sequence[str], prefetch: int) -> _NextElements:
    """Creates an iterator whose per-tower batches go in turn to a buffer of `prefetch` batches on each tower's device.

    Only TensorFlow's MultiDeviceIterator has one reader for buffers on several devices. Measured with logical CPUs, on
    1.15 and 2.21: it keeps the order of the dataset, loses only an incomplete last step, and 300 ends of data and 400
    sessions closed before the end neither blocked nor left a thread. Memory growth declined: on 2.21 from 13 KiB per
    session between the 100th and the 160th to 4 KiB between the 300th and the 400th. With four towers a step takes
    0.4 ms (1.15) to 1 ms (2.21) more CPU time than with next_per_tower.
    """
    with tf.name_scope("inputs"):
        iterators = iterators_on_devices(dataset, devices, host_device(devices[0]), prefetch)
    elements = _get_next_each(iterators, devices)
    return _NextElements(elements, elements, iterators)


def take_batches(take_functions: Sequence[Callable[[], Any]], in_turn: bool) -> List[NestedTensors]:
    """Calls functions that create the operations that take a batch; with `in_turn` each waits for the previous one.

    Without control dependencies TensorFlow runs them in any order: in 1,444 of 1,500 steps a tower got another tower's
    batch.
    """
    batches: List[Any] = []
    previous: List[Any] = []
    for take in take_functions:
        with tf.control_dependencies(previous if in_turn else []):
            batches.append(take())
        previous = [leaf.op for leaf in tf.nest.flatten(batches[-1], expand_composites=True)]
    return batches


def _get_next_each(iterators: Sequence[Any], devices: Sequence[str], asynchronous: bool = False) -> List[Any]:
    """Calls `get_next` of each iterator, so that the operations of one run execute one after another.

    In parallel, one may fail with a damaged record or an error of a generator while another one reaches the end of the
    data, and the step ends as if there were no error: on TF 2.21 in 30 of 100 runs. TF 1.15 may also block forever: the
    failing step cancels the prefetch thread, and a `get_next` that waits for it at that moment is not woken. Tested by
    tests/inputs/test_ends_without_a_hang.py. Asynchronous runs showed neither: a failing run cancels only its own
    `get_next`.
    """
    functions = [functools.partial(_get_next, iterator, device) for iterator, device in zip(iterators, devices)]
    return take_batches(functions, in_turn=not asynchronous)


def _get_next(iterator: Any, device: str) -> Any:
    with tf.name_scope("inputs"), tf.device(device):
        return iterator.get_next()


def _routed(
    taken: _NextElements,
    devices: Sequence[str],
    feed: Optional[Callable[[Session], Dict[Any, Any]]],
    one_source: bool,
    asynchronous: bool,
) -> Routed:
    """Moves the parts to the towers; no tower starts before all `get_next`s of the step have succeeded.

    Otherwise, at the end of the data, towers that got a batch would run their update ops in a step that fails.
    Asynchronous towers have no common step.
    """
    operations = [op for element in taken.elements for op in _get_next_ops(element)]
    input_ops = tuple(sorted(set(operations), key=operations.index))
    if len(input_ops) > 1 and not asynchronous:
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])), tf.control_dependencies(input_ops):
            complete = [tf.no_op("all_taken")]
    else:
        complete = []
    with tf.control_dependencies(complete):
        per_tower = [
            move_to_tower(part, tower, device) for tower, (part, device) in enumerate(zip(taken.parts, devices))
        ]
    initializers = [iterator.initializer for iterator in taken.iterators]
    groups = [initializers] if one_source else [[initializer] for initializer in initializers]
    return Routed(per_tower, [InitializeIterators(groups, feed)], input_ops, initializers)


def _get_next_ops(element: Any) -> List[Any]:
    # Sparse and ragged components are computed from the output of get_next.
    found = ancestors(tf.nest.flatten(element, expand_composites=True))
    return [op for op in found if op.type == "IteratorGetNext"]
