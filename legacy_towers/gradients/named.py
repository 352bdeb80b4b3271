"""Creates reductions from specs such as "clip_by_norm:1+mean"; `legacy_towers.specs.reductions` lists their names."""
from typing import Any, Callable, Dict, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import Reduction, as_reduction
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.sums.add_n import mean, sum
from legacy_towers.gradients.sums.collective import collective
from legacy_towers.gradients.sums.nccl import nccl
from legacy_towers.gradients.sums.tree import tree
from legacy_towers.gradients.transforms.accumulate import accumulate
from legacy_towers.gradients.transforms.clip import clip_by_global_norm, clip_by_norm, clip_by_value
from legacy_towers.gradients.transforms.delayed import delayed
from legacy_towers.gradients.transforms.densify import densify
from legacy_towers.gradients.transforms.loss_scale import dynamic_loss_scale, loss_scale
from legacy_towers.gradients.transforms.missing import missing
from legacy_towers.gradients.transforms.noise import add_noise
from legacy_towers.gradients.transforms.numerics import check_numerics
from legacy_towers.gradients.transforms.scale import scale
from legacy_towers.gradients.wrappers.bucketed import bucketed
from legacy_towers.gradients.wrappers.compressed import compressed
from legacy_towers.specs.grammar import Call
from legacy_towers.specs.reductions import parse_reduction

# A spec uses the names of the functions.
MAKERS: Dict[str, Callable[..., Reduction]] = {
    maker.__name__: maker
    for maker in (
        mean,
        sum,
        tree,
        collective,
        nccl,
        bucketed,
        compressed,
        missing,
        densify,
        clip_by_value,
        clip_by_norm,
        clip_by_global_norm,
        scale,
        add_noise,
        check_numerics,
        loss_scale,
        dynamic_loss_scale,
        accumulate,
        delayed,
    )
}


def make_reduction(text: str) -> Reduction:
    """Returns the reduction of a spec.

    Args:
      text: the spec, such as "mean" or "bucketed:8MiB+tree"; see `legacy_towers.specs.reductions`.

    Raises:
      ArgumentError: `text` is not the spec of a reduction.
    """
    members = [_member(unit) for unit in parse_reduction(text)]
    return members[0] if len(members) == 1 else chain(*members)


def reduction_from(value: Any, argument: str = "reduction") -> Reduction:
    """Returns a reduction unchanged, creates one from a spec, or wraps a plain function of `TowerGradients`.

    Raises:
      ArgumentError: `value` is none of these.
    """
    if not isinstance(value, str):
        return as_reduction(value)
    try:
        return make_reduction(value)
    except ArgumentError as error:
        raise ArgumentError("{}: {}".format(argument, error)) from None


def _member(unit: Sequence[Call]) -> Reduction:
    reduction: Optional[Reduction] = None
    for call in reversed(unit):
        inner = [] if reduction is None else [reduction]
        reduction = MAKERS[call.name](*inner, **call.options)
    assert reduction is not None  # a unit has at least one name
    return reduction
