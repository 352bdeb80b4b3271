"""Which examples go to which tower, in a sentence for each: part of the plan of a way in."""
import itertools
from typing import Dict, Iterable, List, Optional, Tuple

from legacy_towers.errors import InputError
from legacy_towers.examples import Examples
from legacy_towers.inputs.sizes import Sizes

# To name examples further in, too many records would be read before the first step.
_FURTHEST_NAMED = 1000


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
    towers, batch = range(sizes.towers), sizes.per_tower
    if order == "fixed":
        names = _names(examples, [tower * batch for tower in towers])
        return tuple("{} of the data at step g (g from 0{})".format(
            _span("{}g+{{}}".format(sizes.global_), tower * batch, batch),
            ", where the first is " + names[tower * batch] if tower * batch in names else "",
        ) for tower in towers)
    if route == "sharded":
        names = _names(examples, range(3 * sizes.towers))
        return tuple("every {}example of each epoch from number {} on{}".format(
            _ordinal(sizes.towers) + " " if sizes.towers > 1 else "", tower,
            _listed([names[place] for place in range(tower, 3 * sizes.towers, sizes.towers) if place in names]),
        ) for tower in towers)
    # These cut a global batch, or deal out batches in turn; by the other routes towers race for what all share.
    if way == "feed" or route in ("split", "per_device") or (way == "queue" and remainder != "drop"):
        return tuple("{} of each step's {:,}".format(_span("{}", tower * batch, batch), sizes.global_)
                     for tower in towers)
    return tuple("whichever {} next when it takes {}".format(
        "example is" if batch == 1 else "{:,} examples are".format(batch), "it" if batch == 1 else "them"
    ) for _ in towers)


def _span(form: str, first: int, size: int) -> str:
    if size == 1:
        return "example " + form.format(first)
    return "examples {} to {}".format(form.format(first), form.format(first + size - 1))


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return "{}{}".format(number, "th" if number % 100 in (11, 12, 13) else endings.get(number % 10, "th"))


def _names(examples: Examples, places: Iterable[int]) -> Dict[int, str]:
    """Returns what the examples at these places of the data are called, as far as that can be told at once."""
    if not examples.source.can_be_sharded:
        return {}  # another iterator need not give the same, and the caller's code would run
    wanted = {place for place in places if place < _FURTHEST_NAMED}
    try:
        beginning = itertools.islice(examples.ids(), max(wanted) + 1)
        return {place: examples.name_of(number) for place, number in enumerate(beginning) if place in wanted}
    except InputError:
        return {}  # a damaged file: said by what reads it


def _listed(names: List[str]) -> str:
    return " ({}, ...)".format("; ".join(names)) if names else ""
