"""How examples are read: the options that feed, queue and dataset have in common, checked once."""
from typing import Any, Dict, NamedTuple, Optional

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.examples import Examples, Shuffle, check_shuffle
from legacy_towers.inputs.base import InputPlan
from legacy_towers.inputs.shares import shares_of
from legacy_towers.inputs.sizes import Sizes, check_positive, check_sizes, resolve_sizes

ORDERS = ("any", "fixed")
REMAINDERS = ("drop", "pad", "short")


class Reading(NamedTuple):
    """The examples, the batch sizes, the epochs and the order that a way in was asked for."""

    examples: Examples
    per_tower_batch_size: Optional[int]
    global_batch_size: Optional[int]
    epochs: Optional[int]
    shuffle: Optional[Shuffle]
    order: str
    remainder: str = "drop"

    def checked(self) -> "Reading":
        """Returns itself, or raises ArgumentError."""
        if not isinstance(self.examples, Examples):
            raise ArgumentError(
                "examples must be made by lt.Examples.from_..., not {}: for a ready dataset, tensors or placeholders "
                "there are inputs.from_dataset, from_tensors and from_placeholders".format(type(self.examples).__name__)
            )
        check_sizes(self.per_tower_batch_size, self.global_batch_size)
        check_order(self.order)
        check_remainder(self.remainder)
        if self.epochs is not None:
            check_positive("epochs", self.epochs)
        if self.shuffle is not None:
            check_shuffle(self.shuffle)
        if self.order == "fixed" and self.shuffle:
            raise ArgumentError('shuffle={!r} contradicts order="fixed": leave one of them out'.format(self.shuffle))
        return self

    def shuffle_now(self) -> Shuffle:
        """Returns how many examples to hold back for shuffling, False for order="fixed" or where none was wanted."""
        if self.order == "fixed":
            return False
        return self.examples.shuffle_buffer(self.shuffle) or False

    def sizes(self, towers: int) -> Sizes:
        """Returns the batch sizes for `towers` towers; raises ArgumentError where they can't be had."""
        sizes = resolve_sizes(self.per_tower_batch_size, self.global_batch_size, towers)
        known = self.examples.known_count()
        dropped = self.remainder == "drop"
        if dropped and known is not None and self.epochs is not None and known * self.epochs < sizes.global_:
            raise ArgumentError(
                "{} epoch(s) of {} examples don't fill one batch of {} ({} towers of {}): there would be no "
                "step".format(self.epochs, known, sizes.global_, towers, sizes.per_tower)
            )
        return sizes

    def plan(
        self, way: str, route: Optional[str], sizes: Sizes, details: Dict[str, Any], apart: bool = False
    ) -> InputPlan:
        """Returns the plan, with the shuffling and what happens at the end of data among its details.

        Args:
          way, route: as in `InputPlan`.
          sizes: how many examples each tower gets.
          details: what else is to be told.
          apart: whether each tower takes its batches in runs of its own.
        """
        buffer = self.shuffle_now()
        told = {"shuffle": "{} examples held back, seed {}".format(buffer, self.examples.seed) if buffer else "none"}
        told.update(details)
        if self.epochs is not None:
            told["end"] = (_END_APART if apart else _END)[self.remainder]
        return InputPlan(
            way, route, self.order, sizes.per_tower, sizes.global_, self.epochs, self.examples.known_count(),
            self.examples.describe(), told, self.examples.seed if buffer else None,
            # Apart, no tower's batch is cut from a global one, whatever the remainder.
            shares_of(self.examples, sizes, way, route, self.order, "drop" if apart else self.remainder),
        )


_END = {
    "drop": "the last incomplete global batch is dropped",
    "pad": "the last global batch is padded with copies of an example, which don't count",
    "short": "the last global batch is short; a tower without an example of its own computes one that doesn't count",
}

_END_APART = {
    "drop": "a last batch that doesn't fill is dropped",
    "pad": "a last batch that doesn't fill is padded with copies of an example, which don't count",
    "short": "the last batch is short",
}


def describe_end(remainder: str) -> str:
    """Returns in words what happens at the end of data."""
    return _END[remainder]


def check_remainder(remainder: str) -> None:
    """Raises ArgumentError unless `remainder` is one of the three."""
    if remainder not in REMAINDERS:
        raise ArgumentError('remainder must be "drop", "pad" or "short", not {!r}'.format(remainder))


def check_order(order: str) -> None:
    """Raises ArgumentError unless `order` is "any" or "fixed"."""
    if order not in ORDERS:
        raise ArgumentError('order must be "any" or "fixed", not {!r}'.format(order))


def check_dense(way: str, spec: Any) -> None:
    """Raises InputError where a component of `spec` is sparse or ragged."""
    for path, leaf in structure.leaves(spec):
        if not isinstance(leaf, tf.TensorSpec):
            raise InputError(
                "component {!r} is no dense tensor ({}): inputs.{} serves only dense ones, inputs.dataset serves "
                "all".format(path, type(leaf).__name__.replace("Spec", ""), way)
            )
