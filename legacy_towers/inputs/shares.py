"""Which examples go to which tower, in a sentence for each: part of the plan of a way in."""
import itertools
from typing import List, Optional, Tuple

from legacy_towers.errors import InputError
from legacy_towers.examples import Examples
from legacy_towers.inputs.sizes import Sizes


def shares_of(
    examples: Examples, sizes: Sizes, way: str, route: Optional[str], order: str, remainder: str
) -> Tuple[str, ...]:
    """Returns a sentence per tower, such as "examples 64g+32 to 64g+47 of the data at step g (g from 0)".

    Args:
      examples: what is read. The first few ids are read from its files, to name them.
      sizes: how many examples each tower gets in a step.
      way, route: as in `InputPlan`.
      order, remainder: as in `Reading`.
    """
    return tuple(_share(examples, sizes, way, route, order, remainder, tower) for tower in range(sizes.towers))


def _share(
    examples: Examples, sizes: Sizes, way: str, route: Optional[str], order: str, remainder: str, tower: int
) -> str:
    batch, first = sizes.per_tower, tower * sizes.per_tower
    if order == "fixed":
        names = _names(examples, first, 1, 1)
        return "{} of the data at step g (g from 0{})".format(
            _span("{}g+{{}}".format(sizes.global_), first, batch), ", where the first is " + names[0] if names else ""
        )
    if route == "sharded":
        return "every {} example of each epoch from number {} on{}".format(
            _ordinal(sizes.towers), tower, _listed(_names(examples, tower, sizes.towers, 3))
        )
    # These cut a global batch, or deal out batches in turn; by the other routes towers race for what all share.
    if way == "feed" or route in ("split", "per_device") or (way == "queue" and remainder != "drop"):
        return "{} of each step's {:,}".format(_span("{}", first, batch), sizes.global_)
    return "whichever {} next when it takes {}".format(
        "example is" if batch == 1 else "{:,} examples are".format(batch), "it" if batch == 1 else "them"
    )


def _span(form: str, first: int, size: int) -> str:
    if size == 1:
        return "example " + form.format(first)
    return "examples {} to {}".format(form.format(first), form.format(first + size - 1))


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return "{}{}".format(number, "th" if number % 100 in (11, 12, 13) else endings.get(number % 10, "th"))


def _names(examples: Examples, first: int, step: int, count: int) -> List[str]:
    """Returns what some examples are called: `count` of them from number `first` on, each `step`th."""
    if not examples.source.can_be_sharded:
        return []  # another iterator need not give the same, and the caller's code would run
    try:
        return [examples.name_of(one) for one in itertools.islice(examples.ids(), first, first + step * count, step)]
    except InputError:
        return []  # a damaged file: said by what reads it


def _listed(names: List[str]) -> str:
    return " ({}, ...)".format("; ".join(names)) if names else ""
