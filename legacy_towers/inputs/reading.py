"""How examples are read: the options that all pipelines over `Examples` have in common, and their checks."""
import itertools
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.data import Examples, structure
from legacy_towers.data.readable_examples import Shuffle, check_shuffle
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import InputPlan
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.logged_position import LoggedPosition
from legacy_towers.inputs.position import Promise
from legacy_towers.inputs.promises import IN_ORDER, promise_for
from legacy_towers.specs.batch_sizes import Sizes, check_positive, check_sizes, resolve_sizes
from legacy_towers.tensor_types import NestedTensors
from legacy_towers.text.names import counted

ORDERS = ("any", "fixed")
REMAINDERS = ("drop", "pad", "short")
# Naming later examples would read too many records before the first step.
_FURTHEST_NAMED = 1000


class Reading(NamedTuple):
    """The examples, batch sizes, epochs and order of an input pipeline, as the caller gave them."""

    examples: Examples
    per_tower_batch_size: Optional[int]
    global_batch_size: Optional[int]
    epochs: Optional[int]
    shuffle: Optional[Shuffle]
    order: str
    remainder: str = "drop"

    def checked(self) -> "Reading":
        """Returns `self`; raises ArgumentError if an option is invalid or contradicts another."""
        if not isinstance(self.examples, Examples):
            raise ArgumentError(
                "examples must be an lt.Examples, got {}; create one with lt.Examples.from_arrays(...), for example, "
                "or use lt.inputs.from_dataset, from_tensors or from_placeholders for a dataset, tensors or "
                "placeholders".format(type(self.examples).__name__)
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
        """Returns the size of the shuffle buffer in examples; False for order="fixed" or without shuffling."""
        if self.order == "fixed":
            return False
        return self.examples.shuffle_buffer(self.shuffle) or False

    def logged(self) -> "Reading":
        """Returns `self` with a log of what is read, for `position`, if iterators of the caller report theirs."""
        return self._replace(examples=self.examples.logged(whole_epochs=bool(self.shuffle_now())))

    def sizes(self, towers: int) -> Sizes:
        """Returns the batch sizes for `towers` towers.

        Raises:
          ArgumentError: the global batch size is not divisible by `towers`, or the data has no complete batch.
        """
        sizes = resolve_sizes(self.per_tower_batch_size, self.global_batch_size, towers)
        known = self.examples.known_count()
        dropped = self.remainder == "drop"
        if dropped and known is not None and self.epochs is not None and known * self.epochs < sizes.global_:
            raise ArgumentError(
                "{} of {} {} fill one batch of {} ({} towers of {}), so there is no step: use a smaller batch size, "
                "more epochs, or remainder=\"short\"".format(
                    counted(self.epochs, "epoch"), counted(known, "example"),
                    "doesn't" if self.epochs == 1 else "don't", sizes.global_, towers, sizes.per_tower
                )
            )
        return sizes

    def position(
        self, sizes: Sizes, shuffling: str, shards: str = "", promise: Optional[Promise] = None
    ) -> ExamplesPosition:
        """Returns the position in the examples.

        Args:
          shuffling: what shuffles, such as "tf.data": another one shuffles in another order with the same seed.
          shards: how the data is sharded before it is shuffled and batched; "": it is not.
          promise: None: what follows from an order that is a function of the seed and the epoch.
        """
        buffer = self.shuffle_now()
        order = IN_ORDER
        if buffer:
            order = "the order of {} with a shuffle buffer of {:,} examples".format(shuffling, buffer)
        position = ExamplesPosition if self.examples.source.log is None else LoggedPosition
        return position(
            self.examples, promise or promise_for(self.examples, bool(buffer)), sizes.global_,
            ", ".join(part for part in (order, shards) if part), self.epochs,
        )

    def plan(
        self, pipeline: str, route: Optional[str], sizes: Sizes, details: Dict[str, Any], asynchronous: bool = False
    ) -> InputPlan:
        """Returns the plan; its details contain the shuffling and the treatment of the last examples too."""
        buffer = self.shuffle_now()
        shuffling = "buffer of {} examples, seed {}".format(buffer, self.examples.seed) if buffer else "none"
        all_details = {"shuffle": shuffling}
        all_details.update(details)
        if self.epochs is not None:
            all_details["end"] = (_END_ASYNCHRONOUS if asynchronous else _END)[self.remainder]
        return InputPlan(
            pipeline, route, self.order, sizes.per_tower, sizes.global_, self.epochs, self.examples.known_count(),
            self.examples.describe(), all_details, self.examples.seed if buffer else None,
            # No batch of an asynchronous tower is part of a global one, whatever the remainder.
            shards_of(
                self.examples, sizes, pipeline, route, self.order, "drop" if asynchronous else self.remainder,
                self.epochs,
            ),
        )


def static_sizes(per_tower: Sequence[Any]) -> Tuple[Optional[int], Optional[int]]:
    """Returns the per-tower and the global batch size of tensors, each None if the static shapes don't show it.

    Args:
      per_tower: one structure of tensors per tower. If the towers' sizes differ, the per-tower size is None.
    """
    sizes: List[Optional[int]] = [_static_size(batch) for batch in per_tower]
    whole = None if None in sizes else sum(size for size in sizes if size is not None)
    return sizes[0] if len(set(sizes)) == 1 else None, whole


def _static_size(batch: NestedTensors) -> Optional[int]:
    for _, leaf in structure.leaves(batch):
        if isinstance(leaf, tf.Tensor) and leaf.shape.ndims:
            return tf.dimension_value(leaf.shape[0])
    return None


def plan_of_tensors(
    pipeline: str, route: Optional[str], order: str, per_tower: List[Any], source: str, lasts: str
) -> InputPlan:
    """Returns the plan of an input pipeline without `Examples`, with the batch sizes of the tensors `per_tower`."""
    per_tower_size, global_size = static_sizes(per_tower)
    return InputPlan(pipeline, route, order, per_tower_size, global_size, None, None, source, {}, lasts=lasts)


_END = {
    "drop": "the last incomplete global batch is dropped",
    "pad": "the last global batch is padded with copies of an example, which are not counted",
    "short": "the last global batch is short; a tower without examples computes a copy that is not counted",
}

_END_ASYNCHRONOUS = {
    "drop": "an incomplete last batch is dropped",
    "pad": "an incomplete last batch is padded with copies of an example, which are not counted",
    "short": "the last batch is short",
}


def describe_end(remainder: str) -> str:
    """Returns a description of what happens to the last examples."""
    return _END[remainder]


def check_remainder(remainder: str) -> None:
    """Raises ArgumentError unless `remainder` is "drop", "pad" or "short"."""
    if remainder not in REMAINDERS:
        raise ArgumentError('remainder must be "drop", "pad" or "short", got {!r}'.format(remainder))


def check_order(order: str) -> None:
    """Raises ArgumentError unless `order` is "any" or "fixed"."""
    if order not in ORDERS:
        raise ArgumentError('order must be "any" or "fixed", got {!r}'.format(order))


def check_dense(pipeline: str, spec: Any) -> None:
    """Raises InputError if a component of `spec` is sparse or ragged."""
    for path, leaf in structure.leaves(spec):
        if not isinstance(leaf, tf.TensorSpec):
            raise InputError(
                "component {!r} is a {}: lt.inputs.{} supports only dense tensors; use lt.inputs.dataset, which "
                "supports sparse and ragged ones".format(path, type(leaf).__name__.replace("Spec", ""), pipeline)
            )


def shards_of(
    examples: Examples, sizes: Sizes, pipeline: str, route: Optional[str], order: str, remainder: str,
    epochs: Optional[int],
) -> Tuple[str, ...]:
    """Returns a description per tower, such as "examples 64g+32 to 64g+47 of the data at step g (g from 0)".

    Args:
      examples: an `lt.Examples`. Its first few ids are read from its files, to name these examples.
    """
    towers, batch = range(sizes.towers), sizes.per_tower
    if order == "fixed":
        names = _names(examples, [tower * batch for tower in towers])
        return tuple("{} of the data at step g (g from 0{})".format(
            _span("{}g+{{}}".format(sizes.global_), tower * batch, batch),
            ", where the first is " + names[tower * batch] if tower * batch in names else "",
        ) for tower in towers)
    if route == "sharded":
        names = _names(examples, range(3 * sizes.towers))
        of_epochs = "each epoch" if epochs == 1 or (examples.epoch_length() or 0) % sizes.towers == 0 else "all epochs"
        return tuple("every {}example of {} from number {} on{}".format(
            _ordinal(sizes.towers) + " " if sizes.towers > 1 else "", of_epochs, tower,
            _listed([names[each] for each in range(tower, 3 * sizes.towers, sizes.towers) if each in names]),
        ) for tower in towers)
    # These split a global batch or assign batches in turn. In the others the towers compete for a shared queue.
    if pipeline == "feed" or route in ("split", "per_device") or (pipeline == "queue" and remainder != "drop"):
        return tuple("{} of each step's {:,}".format(_span("{}", tower * batch, batch), sizes.global_)
                     for tower in towers)
    return tuple("the next {} in the queue or dataset when it runs".format(
        "example" if batch == 1 else "{:,} examples".format(batch)
    ) for _ in towers)


def _span(form: str, first: int, size: int) -> str:
    if size == 1:
        return "example " + form.format(first)
    return "examples {} to {}".format(form.format(first), form.format(first + size - 1))


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return "{}{}".format(number, "th" if number % 100 in (11, 12, 13) else endings.get(number % 10, "th"))


def _names(examples: Examples, positions: Iterable[int]) -> Dict[int, str]:
    """Returns descriptions of the examples at these positions of the data, as far as they are known at once."""
    if not examples.source.can_be_sharded or examples.skipped is not None:
        return {}  # another iterator may give other examples, or would run the caller's code
    wanted = {position for position in positions if position < _FURTHEST_NAMED}
    try:
        first_ids = itertools.islice(examples.ids(), max(wanted) + 1)
        return {position: examples.name_of(each) for position, each in enumerate(first_ids) if position in wanted}
    except InputError:
        return {}  # a damaged file, which the pipeline reports when it reads it


def _listed(names: List[str]) -> str:
    return " ({}, ...)".format("; ".join(names)) if names else ""
