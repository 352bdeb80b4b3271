"""The routes from tf.data.Datasets of batches to the towers."""
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.data import iterators_on_devices
from legacy_towers.errors import ArgumentError
from legacy_towers.graph_walk import ancestors
from legacy_towers.inputs.base import host_device, onto_tower
from legacy_towers.inputs.chosen_dataset import iterator_over
from legacy_towers.inputs.splitting import split_batch

ROUTES = ("split", "next_per_tower", "sharded", "per_device")


def check_route(route: str) -> None:
    """Raises ArgumentError unless `route` is one of them."""
    if route not in ROUTES:
        raise ArgumentError("route must be one of {}, not {!r}".format(", ".join(map(repr, ROUTES)), route))


class Routed(NamedTuple):
    """What a route gives: parts of `TowerBatches`."""

    per_tower: List[Any]  # each tower's element
    hooks: List[Any]
    pulls: Tuple[Any, ...]  # the operations that wait for data

    def counted(self) -> Tuple[List[Any], List[Any]]:
        """Returns the batches and the counts of elements that are (batch, count)."""
        return [batch for batch, _ in self.per_tower], [count for _, count in self.per_tower]


class InitializeIterators(tf.train.SessionRunHook):
    """Starts iterators at their beginning in each new session.

    Args:
      groups: lists of initializers that must run together, such as those of iterators over one source. One group runs
        after the other: TF 1.15 starts a dataset in a thread of its pool, which waits for further ones, and several
        datasets at once can take all threads of a small machine and wait for ever (seen on 2 cores, with 3 shards).
    """

    def __init__(self, groups: Sequence[Sequence[Any]]) -> None:
        self._groups = [list(group) for group in groups]

    def after_create_session(self, session: Any, coord: Any) -> None:
        for group in self._groups:
            session.run(group)


def split(dataset: Any, devices: Sequence[str]) -> Routed:
    """One `get_next` per step, whose global batch is split among the towers."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = iterator_over(dataset)
        whole = iterator.get_next()
        parts = split_batch(whole, len(devices))
    return _routed([whole], parts, [iterator], devices)


def already_split(dataset: Any, devices: Sequence[str]) -> Routed:
    """One `get_next` per step, whose element is a tuple with a part for each tower."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = iterator_over(dataset)
        parts = iterator.get_next()
    return _routed([parts], parts, [iterator], devices)


def next_per_tower(dataset: Any, devices: Sequence[str], apart: bool = False) -> Routed:
    """One iterator of per-tower batches, one `get_next` per tower; tower 0 pulls first, unless each runs `apart`."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = iterator_over(dataset)
        pulled = _pull_in_turn([iterator.get_next] * len(devices), apart)
    return _routed(pulled, pulled, [iterator], devices, apart=apart)


def sharded(datasets: Sequence[Any], devices: Sequence[str], apart: bool = False) -> Routed:
    """One iterator per tower, over the tower's own dataset of per-tower batches.

    With `apart` each tower pulls in a run of its own; otherwise they pull in turn.
    """
    hosts = [host_device(device) for device in devices]
    iterators = []
    for dataset, host in zip(datasets, hosts):
        with tf.name_scope("inputs"), tf.device(host):
            iterators.append(iterator_over(dataset))
    pulled = _pull_each(iterators, hosts, apart)
    return _routed(pulled, pulled, iterators, devices, apart=apart)


# Those by which a tower can take its batches in runs of its own: (datasets, devices) -> Routed.
APART: Dict[str, Callable[[Sequence[Any], Sequence[str]], Routed]] = {
    "next_per_tower": lambda datasets, devices: next_per_tower(datasets[0], devices, apart=True),
    "sharded": lambda datasets, devices: sharded(datasets, devices, apart=True),
}


def per_device(dataset: Any, devices: Sequence[str], prefetch: int) -> Routed:
    """One dataset of per-tower batches, dealt out in turn to a buffer of `prefetch` batches on each tower's device.

    TensorFlow's MultiDeviceIterator alone has one reader for buffers on several devices. Tried on logical CPUs, on 1.15
    and 2.21: its order is that of the dataset, nothing is lost at the end but a last incomplete step, and 300 ends of
    data and 400 sessions closed in mid-data hung nowhere and left no thread behind. Memory grew less and less: on 2.21
    by 13 KiB a session between the 100th and the 160th, by 4 between the 300th and the 400th. Four towers cost some
    0.4 ms (1.15) to 1 ms (2.21) of CPU time in a step more than next_per_tower.
    """
    with tf.name_scope("inputs"):
        iterators = iterators_on_devices(dataset, devices, host_device(devices[0]), prefetch)
    pulled = _pull_each(iterators, devices)
    return _routed(pulled, pulled, iterators, devices, one_source=True)


def in_order(pulls: Sequence[Any], in_turn: bool) -> List[Any]:
    """Calls each of `pulls`, which make the operations that take a batch; `in_turn` makes each wait for the one before.

    Without the chain TensorFlow runs them in any order: 1,444 of 1,500 steps gave some tower another's batch.
    """
    pulled: List[Any] = []
    before: List[Any] = []
    for pull in pulls:
        with tf.control_dependencies(before if in_turn else []):
            pulled.append(pull())
        before = [leaf.op for leaf in tf.nest.flatten(pulled[-1], expand_composites=True)]
    return pulled


def _pull_each(iterators: Sequence[Any], devices: Sequence[str], apart: bool = False) -> List[Any]:
    pulls = [functools.partial(_pull, iterator, device) for iterator, device in zip(iterators, devices)]
    return _pull_in_turn(pulls, apart)


def _pull_in_turn(pulls: Sequence[Any], apart: bool = False) -> List[Any]:
    """Pulls from iterators, one after the other wherever it is done in one run.

    Several at a time, where one meets a damaged record or an error of a generator, another may meet the end of data,
    and the step would end as if there were no more: on TF 2.21 in 30 of 100 runs. And TF 1.15 may hang for ever: the
    failing step cancels the thread that prefetches, and a `get_next` that waits for it just then is not woken. Tested
    by tests/inputs/test_ends_without_a_hang.py. In runs apart neither was seen: a run that fails cancels its own pull.
    """
    return in_order(pulls, not apart)


def _pull(iterator: Any, device: str) -> Any:
    with tf.name_scope("inputs"), tf.device(device):
        return iterator.get_next()


def _routed(
    pulled: Sequence[Any],
    parts: Sequence[Any],
    iterators: Sequence[Any],
    devices: Sequence[str],
    one_source: bool = False,
    apart: bool = False,
) -> Routed:
    """Brings the parts to the towers; no tower begins before every pull of the step has given its batch.

    Otherwise, at the end of data, the towers that still got a batch would run their update ops in a step that fails.
    Towers `apart` have no step together.
    """
    operations = [op for element in pulled for op in _pulls_of(element)]
    pulls = tuple(sorted(set(operations), key=operations.index))
    if len(pulls) > 1 and not apart:
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])), tf.control_dependencies(pulls):
            complete = [tf.no_op("all_pulled")]
    else:
        complete = []
    with tf.control_dependencies(complete):
        per_tower = [onto_tower(part, tower, device) for tower, (part, device) in enumerate(zip(parts, devices))]
    initializers = [iterator.initializer for iterator in iterators]
    groups = [initializers] if one_source else [[initializer] for initializer in initializers]
    return Routed(per_tower, [InitializeIterators(groups)], pulls)


def _pulls_of(element: Any) -> List[Any]:
    # Sparse and ragged components are computed from what the iterator gave.
    found = ancestors(tf.nest.flatten(element, expand_composites=True))
    return [op for op in found if op.type == "IteratorGetNext"]
