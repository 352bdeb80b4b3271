"""Batch sizes: the user says one of two, the plan shows both."""
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


class Sizes(NamedTuple):
    """How many examples go into a step."""

    per_tower: int
    global_: int
    towers: int


def check_sizes(per_tower_batch_size: Optional[int], global_batch_size: Optional[int]) -> None:
    """Raises ArgumentError unless exactly one of the two is given and is a positive whole number."""
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
        raise ArgumentError("{} must be a whole number of at least 1, not {!r}".format(name, number))


def resolve_sizes(per_tower_batch_size: Optional[int], global_batch_size: Optional[int], towers: int) -> Sizes:
    """Returns both sizes for `towers` towers.

    Raises:
      ArgumentError: not exactly one size is given, or the global one doesn't divide by the number of towers.
    """
    check_sizes(per_tower_batch_size, global_batch_size)
    if per_tower_batch_size is not None:
        return Sizes(per_tower_batch_size, per_tower_batch_size * towers, towers)
    assert global_batch_size is not None
    if global_batch_size % towers:
        below, above = global_batch_size // towers * towers, -(-global_batch_size // towers) * towers
        fitting = str(above) if below == 0 else "{} or {}".format(below, above)
        raise ArgumentError(
            "global_batch_size={} can't be divided among {} towers: use {}, or give per_tower_batch_size".format(
                global_batch_size, towers, fitting
            )
        )
    return Sizes(global_batch_size // towers, global_batch_size, towers)


def static_sizes(per_tower: Sequence[Any]) -> Tuple[Optional[int], Optional[int]]:
    """Returns the examples of a tower, if all have as many, and of a step; each None where the graph doesn't know it.

    Args:
      per_tower: one structure of tensors per tower.
    """
    sizes: List[Optional[int]] = [_static_size(batch) for batch in per_tower]
    whole = None if None in sizes else sum(size for size in sizes if size is not None)
    return sizes[0] if len(set(sizes)) == 1 else None, whole


def _static_size(batch: Any) -> Optional[int]:
    for _, leaf in structure.leaves(batch):
        if isinstance(leaf, tf.Tensor) and leaf.shape.ndims:
            return tf.dimension_value(leaf.shape[0])
    return None
