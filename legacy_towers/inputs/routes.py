"""The three routes from a tf.data.Dataset of batches to the towers."""
import functools
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.data import hangs_when_a_step_fails
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import host_device, onto_tower
from legacy_towers.inputs.splitting import split_batch

ROUTES = ("split", "next_per_tower", "sharded")


def check_route(route: str) -> None:
    """Raises ArgumentError unless `route` is one of the three."""
    if route not in ROUTES:
        raise ArgumentError("route must be one of {}, not {!r}".format(", ".join(map(repr, ROUTES)), route))


class InitializeIterators(tf.train.SessionRunHook):
    """Starts iterators at their beginning in each new session."""

    def __init__(self, initializers: Sequence[Any]) -> None:
        self._initializers = list(initializers)

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializers)


def split(dataset: Any, devices: Sequence[str]) -> Tuple[List[Any], List[Any]]:
    """One `get_next` per step, whose global batch is split among the towers."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = tf.data.make_initializable_iterator(dataset)
        parts = split_batch(iterator.get_next(), len(devices))
    per_tower = [onto_tower(part, tower, device) for tower, (part, device) in enumerate(zip(parts, devices))]
    return per_tower, [InitializeIterators([iterator.initializer])]


def next_per_tower(dataset: Any, devices: Sequence[str], in_turn: bool) -> Tuple[List[Any], List[Any]]:
    """One iterator of per-tower batches, one `get_next` per tower; `in_turn` chains them: tower 0 pulls first."""
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        iterator = tf.data.make_initializable_iterator(dataset)
        pulled = in_order([iterator.get_next] * len(devices), in_turn or hangs_when_a_step_fails())
    per_tower = [onto_tower(batch, tower, device) for tower, (batch, device) in enumerate(zip(pulled, devices))]
    return per_tower, [InitializeIterators([iterator.initializer])]


def sharded(datasets: Sequence[Any], devices: Sequence[str]) -> Tuple[List[Any], List[Any]]:
    """One iterator per tower, over the tower's own dataset of per-tower batches."""
    iterators = []
    for dataset, device in zip(datasets, devices):
        with tf.name_scope("inputs"), tf.device(host_device(device)):
            iterators.append(tf.data.make_initializable_iterator(dataset))
    pulls = [functools.partial(_pull, iterator, device) for iterator, device in zip(iterators, devices)]
    pulled = in_order(pulls, hangs_when_a_step_fails())
    per_tower = [onto_tower(batch, tower, device) for tower, (batch, device) in enumerate(zip(pulled, devices))]
    return per_tower, [InitializeIterators([iterator.initializer for iterator in iterators])]


def _pull(iterator: Any, device: str) -> Any:
    with tf.name_scope("inputs"), tf.device(host_device(device)):
        return iterator.get_next()


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
