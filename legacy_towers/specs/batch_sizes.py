"""Batch sizes: the caller gives the per-tower or the global one, and the plan shows both."""
from typing import NamedTuple, Optional

from legacy_towers.errors import ArgumentError


class Sizes(NamedTuple):
    """The batch sizes of a step, in examples."""

    per_tower: int
    global_: int
    towers: int


def check_sizes(per_tower_batch_size: Optional[int], global_batch_size: Optional[int]) -> None:
    """Raises ArgumentError unless exactly one of the two is given and it is a positive whole number."""
    if (per_tower_batch_size is None) == (global_batch_size is None):
        given = "neither" if per_tower_batch_size is None else "both"
        raise ArgumentError(
            "give exactly one of per_tower_batch_size and global_batch_size ({} given)".format(given)
        )
    for name, size in (("per_tower_batch_size", per_tower_batch_size), ("global_batch_size", global_batch_size)):
        if size is not None:
            check_positive(name, size)


def check_positive(name: str, number: object) -> None:
    """Raises ArgumentError unless `number` is a whole number of at least 1."""
    if isinstance(number, bool) or not hasattr(number, "__index__") or number.__index__() < 1:
        raise ArgumentError("{} must be a whole number of at least 1, got {!r}".format(name, number))


def resolve_sizes(per_tower_batch_size: Optional[int], global_batch_size: Optional[int], towers: int) -> Sizes:
    """Returns both sizes for `towers` towers.

    Raises:
      ArgumentError: none or both of the sizes are given, or the global one is not divisible by `towers`.
    """
    check_sizes(per_tower_batch_size, global_batch_size)
    if per_tower_batch_size is not None:
        return Sizes(per_tower_batch_size, per_tower_batch_size * towers, towers)
    assert global_batch_size is not None
    if global_batch_size % towers:
        below, above = global_batch_size // towers * towers, -(-global_batch_size // towers) * towers
        fitting = str(above) if below == 0 else "{} or {}".format(below, above)
        raise ArgumentError(
            "global_batch_size={} is not divisible by {} towers: use {}, or give per_tower_batch_size".format(
                global_batch_size, towers, fitting
            )
        )
    return Sizes(global_batch_size // towers, global_batch_size, towers)
