"""Compares two runs of a command: what they read and computed."""
import collections
import itertools
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from legacy_towers.compat.versions import fixed_order
from legacy_towers.migrate.proof.shuffles import distance
from legacy_towers.migrate.verify.runs import Epochs, Read, Record
from legacy_towers.text.names import counted

# Changes of `fixed_order` without which the order of examples differs from run to run.
_ANY_ORDER = (
    fixed_order.SHUFFLING_QUEUES, fixed_order.SHUFFLED_LISTS, fixed_order.SHUFFLED_DATASETS, fixed_order.THREADS,
    fixed_order.TURNS, fixed_order.BUCKETS,
)
_SHUFFLES = (fixed_order.SHUFFLING_QUEUES, fixed_order.SHUFFLED_LISTS, fixed_order.SHUFFLED_DATASETS)
# With fewer examples, a shuffle may leave all of them in place.
_FEWEST_SHUFFLED = 8
_MOST_MORE_NEIGHBOURS = 0.4


def order_is_determined(before: Record) -> bool:
    """Returns whether each run of the unchanged program reads the examples in the same order."""
    return not any(each in _ANY_ORDER for each in before.changed)


def are_ordered(before: Record) -> bool:
    """Returns whether batches of the same shapes come in the same order, whatever examples are in them."""
    return fixed_order.BUCKETS not in before.changed


def is_run_as_it_is(before: Record, after: Record) -> bool:
    """Returns whether fixing the order changed something, so that the unchanged program must be compared, too."""
    return bool(before.changed or after.changed)


def sequence(before: List[List[Read]], after: List[List[Read]], what: str) -> Optional[str]:
    """Returns the first difference between what session runs read, as a clause; None if they read the same.

    Args:
      before: for each session run, its reads, before the rewriting.
      after: the same after it.
      what: what is counted: "session run", "batch".
    """
    for number, (one, other) in enumerate(zip(before, after)):
        # Several operations that read in one run do so in any order.
        first, second = (sorted(each, key=lambda read: str(read["whole"])) for each in (one, other))
        if [each["whole"] for each in first] != [each["whole"] for each in second]:
            return "{} {} reads {} before, {} after".format(what, number + 1, _shown(first), _shown(second))
    return _difference_of_counts(before, after, what)


def have_other_types(before: List[List[Read]], after: List[List[Read]]) -> bool:
    """Returns whether the components of session runs have other dtypes or ranks, or are more or fewer."""
    for one, other in zip(before, after):
        types = [sorted((dtype, len(sizes)) for read in reads for dtype, sizes in _components(read))
                 for reads in (one, other)]
        if types[0] != types[1]:
            return True
    return False


def shapes(
    before: List[List[Read]], after: List[List[Read]], what: str, is_ordered: bool = True,
    others: Tuple[List[List[Read]], List[List[Read]]] = ([], []),
) -> Optional[str]:
    """Returns a difference between the numbers, dtypes and shapes of batches, as a clause; None if they are equal.

    Padded to the longest example of a batch, a shape depends on which examples come together. So a size, other than
    the size of the batch, that differs among the batches before is only compared by whether it does after, too.

    Args:
      before, after, what: as for `sequence`.
      is_ordered: whether batches come in the same order; otherwise only their numbers are compared.
      others: what further runs read before and after, in other orders.
    """
    if is_ordered:
        varying = [_varying(runs + more) for runs, more in zip((before, after), others)]
        for number, pair in enumerate(zip(before, after)):
            one, other = (_described(reads, found) for reads, found in zip(pair, varying))
            if sorted(one) != sorted(other):
                return "{} {} has {} before, {} after".format(what, number + 1, "; ".join(one), "; ".join(other))
    return _difference_of_counts(before, after, what)


def _varying(runs: List[List[Read]]) -> Set[Tuple[int, Tuple[str, int], int]]:
    """Returns which sizes differ among batches: (components of the read, their dtype and rank, axis)."""
    found: Dict[Tuple[int, Tuple[str, int], int], Set[Tuple[str, ...]]] = collections.defaultdict(set)
    for read in itertools.chain.from_iterable(runs):
        alike: Dict[Tuple[str, int], List[List[str]]] = collections.defaultdict(list)
        for dtype, sizes in _components(read):
            alike[dtype, len(sizes)].append(sizes)
        for kind, several in alike.items():
            for axis in range(1, kind[1]):
                found[len(read["described"]), kind, axis].add(tuple(sorted(sizes[axis] for sizes in several)))
    return {key for key, sizes in found.items() if len(sizes) > 1}


def _described(reads: List[Read], varying: Set[Tuple[int, Tuple[str, int], int]]) -> List[str]:
    """Returns for each read its dtypes and shapes, with "?" for sizes that differ among batches."""
    texts = []
    for read in reads:
        components = []
        for dtype, sizes in _components(read):
            alike = len(read["described"]), (dtype, len(sizes))
            shown = ["?" if alike + (axis,) in varying else size for axis, size in enumerate(sizes)]
            components.append("{}[{}]".format(dtype, ", ".join(shown)) if shown else dtype)
        texts.append(", ".join(sorted(components)))
    return texts


def _components(read: Read) -> Iterator[Tuple[str, List[str]]]:
    """Yields the dtype and the sizes of each component, which are in no order that two runs share."""
    for text in read["described"]:  # such as "int32[4, 5]", "int32[]", "sparse int32"
        dtype, has_sizes, sizes = text.rstrip("]").partition("[")
        yield dtype, sizes.split(", ") if has_sizes else []


def _difference_of_counts(before: List[List[Read]], after: List[List[Read]], what: str) -> Optional[str]:
    if len(before) == len(after):
        return None
    return "there {} before ({}), {} after ({})".format(
        _counted(len(before), what), counted(_examples(before), "example"),
        len(after), counted(_examples(after), "example")
    )


def ends(before: Epochs, after: Epochs) -> Optional[str]:
    """Returns how the ends of two pipelines differ, as a clause; None if they don't."""
    if before.end != after.end:
        return "they end with {!r} before, {!r} after".format(before.end, after.end)
    if before.endless != after.endless:
        words = [
            "has no end" if each.endless else "ends after {} batches".format(len(each.batches))
            for each in (before, after)
        ]
        return "the pipeline {} before, and {} after".format(*words)
    return None


def multiset(before: Epochs, after: Epochs) -> Optional[str]:
    """Returns a difference between how often examples were read, as a clause; None if each was read as often."""
    one, other = (collections.Counter(_rows(each.batches)) for each in (before, after))
    missing, more = sum((one - other).values()), sum((other - one).values())
    if not missing and not more:
        return None
    return "{} of {} examples before are not read as often after, {} of {} after were not read as often before".format(
        missing, sum(one.values()), more, sum(other.values())
    )


def computed(before: Record, after: Record) -> Tuple[int, Optional[str], str]:
    """Compares what session runs that read fetch.

    Returns:
      The number of values that are equal; the first difference, as a clause, or None; why some are not compared, or "".
    """
    count, left_out = 0, ""
    for number, (one, other) in enumerate(zip(before.computed, after.computed)):
        if len(one) != len(other):
            left_out = "session run {} fetches {} values before, {} after".format(number + 1, len(one), len(other))
            continue
        # What is fetched in any order has the order of the names of operations, which a rewriting changes.
        for index, (first, second) in enumerate(zip(one, other)):
            if first != second:
                return count, "session run {} computes {} before, {} after".format(
                    number + 1, before.values[number][index], after.values[number][index]
                ), left_out
            count += 1
    return count, None, left_out


def shuffles(fixed: List[Record], plain: List[Record]) -> Tuple[Optional[str], List[str]]:
    """Compares how examples are shuffled.

    Args:
      fixed: the runs before and after, with the order fixed.
      plain: the runs before and after as the program is.

    Returns:
      A shuffle that is lost, as a clause, or None; the distances of examples from their places, as clauses.
    """
    if not set(_SHUFFLES) & set(fixed[0].changed):
        return None, []
    if not set(_SHUFFLES) & set(fixed[1].changed):
        return "examples are shuffled before, and not after", []
    clauses = []
    for number, epochs in sorted(fixed[0].epochs.items()):
        pairs = [
            pair for order, shuffled in zip(fixed, plain) for pair in [_identifying(shuffled, order, number)]
            if pair is not None
        ]
        if len(pairs) < len(fixed):
            continue
        one, other = (_neighbours(*pair) for pair in pairs)
        # Several threads alone move examples too, but promise no shuffle.
        if other - one > _MOST_MORE_NEIGHBOURS and epochs.examples >= _FEWEST_SHUFFLED \
                and plain[0].shuffling[number]:
            return "pipeline {} is shuffled less: {:.0%} of its examples are behind the same example as without a " \
                   "shuffle before, {:.0%} after".format(number + 1, one, other), []
        if any(each.shuffled[number] for each in plain):
            clauses.append(
                "the shuffle of pipeline {} moves an example by {:.0%} of the number of examples on average before, "
                "{:.0%} after".format(number + 1, *(distance(*pair) or 0.0 for pair in pairs))
            )
    return None, clauses


def _identifying(shuffled: Record, order: Record, number: int) -> Optional[Tuple[List[str], List[str]]]:
    """Returns the examples of a pipeline in two orders, by the component that identifies them best, or None."""
    if number not in shuffled.epochs or number not in order.epochs:
        return None
    chosen: Any = None
    most = 0
    for one, other in zip(_columns(shuffled.epochs[number]), _columns(order.epochs[number])):
        # A component that depends on random numbers has other values in each run.
        shared = len(set(one) & set(other))
        if shared > most:
            chosen, most = (one, other), shared
    return None if chosen is None or 4 * most < len(chosen[1]) else chosen


def _neighbours(shuffled: List[str], order: List[str]) -> float:
    """Returns the share of examples that are behind the same example in both orders."""
    pairs = set(zip(order, order[1:]))
    return sum(pair in pairs for pair in zip(shuffled, shuffled[1:])) / max(1, len(shuffled) - 1)


def _columns(epochs: Epochs) -> List[List[str]]:
    """Returns for each component of the examples its hashes, in the order of the examples."""
    parts = [row for reads in epochs.batches for read in reads for row in read["parts"]]
    return [list(column) for column in zip(*parts)]


def static_shapes(before: Record, after: Record) -> List[str]:
    """Returns where the static shape of what is read is another one, as clauses."""
    found = []
    for number, (one, other) in enumerate(zip(before.static, after.static)):
        first, second = (sorted(" ".join(component) for read in reads for component in read) for reads in (one, other))
        if first != second:
            found.append("the static shapes of pipeline {} are {} before, {} after".format(
                number + 1, ", ".join(first), ", ".join(second)
            ))
    return found


def _rows(batches: List[List[Read]]) -> List[Any]:
    return [row for reads in batches for read in reads for row in read["rows"]]


def _examples(batches: List[List[Read]]) -> int:
    return len(_rows(batches))


def _counted(number: int, what: str) -> str:
    plural = what + ("es" if what.endswith("ch") else "s")
    return "is 1 {}".format(what) if number == 1 else "are {} {}".format(number, plural)


def _shown(reads: List[Read]) -> str:
    return "; ".join(
        ", ".join("{} {}".format(*pair) for pair in sorted(zip(read["described"], read["shown"]))) for read in reads
    )
