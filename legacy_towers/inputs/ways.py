"""The ways in by their names, as the command line takes them: "feed", "dataset:split", ..."""
import functools
from typing import Any, Callable, Dict, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.examples import Examples
from legacy_towers.inputs.base import Input
from legacy_towers.inputs.dataset import dataset
from legacy_towers.inputs.feed import feed
from legacy_towers.inputs.queue import queue
from legacy_towers.inputs.staged import staged
from legacy_towers.inputs.synthetic import synthetic
from legacy_towers.names import quoted

_SYNTHETIC = "synthetic"

# Name -> function from (examples, the options that all ways share) to the way in.
_PLAIN: Dict[str, Callable[..., Input]] = {
    _SYNTHETIC: synthetic,
    "feed": feed,
    "feed:background": functools.partial(feed, background=True),
    "queue": queue,
    "dataset": dataset,
    "dataset:split": functools.partial(dataset, route="split"),
    "dataset:next_per_tower": functools.partial(dataset, route="next_per_tower"),
    "dataset:sharded": functools.partial(dataset, route="sharded"),
    "dataset:per_device": functools.partial(dataset, route="per_device"),
}


def _staged(maker: Callable[..., Input], examples: Examples, **options: Any) -> Input:
    return staged(maker(examples, **options))


# Each once more with staging around it, but for the one whose batches are on the towers' devices already.
_MAKERS: Dict[str, Callable[..., Input]] = dict(_PLAIN)
_MAKERS.update(
    (name + "+staged", functools.partial(_staged, maker)) for name, maker in _PLAIN.items() if name != _SYNTHETIC
)
WAYS: Tuple[str, ...] = tuple(_MAKERS)


def check_way(name: str, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless there is a way in of that name."""
    if name not in WAYS:
        raise ArgumentError("{} is {!r}: allowed are {}".format(option, name, quoted(WAYS, most=len(WAYS))))


def make_way(name: str, examples: Examples, **options: Any) -> Input:
    """Returns a way in by its name.

    Args:
      name: one of `WAYS`.
      examples: what it reads.
      options: those that all ways share: per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder.

    Raises:
      ArgumentError: there is no such way, or the options contradict each other.
      InputError: this way can't read these examples.
    """
    check_way(name, "the way in")
    return _MAKERS[name](examples, **options)
