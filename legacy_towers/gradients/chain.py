"""Reductions one after the other, as one: `chain`."""
from typing import Any, List, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import Reduction, ReductionLike, Site, TowerGradients, as_reduction
from legacy_towers.gradients.once import updated


class Chain(Reduction):
    """Reductions one after the other; see `chain`."""

    passes_once = True

    def __init__(self, parts: Sequence[Reduction]) -> None:
        self.parts = tuple(parts)
        self.scales_loss = any(part.scales_loss for part in parts)
        self.sums = any(part.sums for part in parts)
        self.linear = all(part.linear for part in parts)
        for number, part in enumerate(self.parts):
            self._check_true_size(part, self.parts[number + 1 :])

    def init(self, site: Site, variables: Sequence[Any]) -> List[Any]:
        # No part's scope has its number: what a checkpoint holds keeps its name when one more is put in front.
        firsts = [None] * len(self.parts) if site.first is None else site.first
        return [part.init(site._replace(first=first), variables) for part, first in zip(self.parts, firsts)]

    def scale_loss(self, loss: Any, state: Any) -> Any:
        for part, of_part in zip(self.parts, state):
            loss = part.scale_loss(loss, of_part)
        return loss

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        for part, of_part in zip(self.parts, state):
            gradients = updated(part, gradients, of_part)
        return gradients

    def hooks(self, site: Site) -> List[Any]:
        return [hook for part in self.parts for hook in part.hooks(site)]

    def _check_true_size(self, part: Reduction, behind: Sequence[Reduction]) -> None:
        scaling = [each for each in behind if each.scales_loss]
        if not part.linear and scaling:
            raise ArgumentError(
                "{!r} stands in front of {!r}, and would see the gradients of the scaled loss, not their true size: "
                "put it behind".format(part, scaling[0])
            )

    def __repr__(self) -> str:
        return "chain({})".format(", ".join(map(repr, self.parts)))


def chain(*reductions: ReductionLike) -> Chain:
    """Returns the reductions one after the other, as one.

        chain(clip_by_global_norm(5.0), mean())    # each tower's gradients are clipped, then averaged
        chain(mean(), clip_by_global_norm(5.0))    # their mean is clipped

    Raises:
      ArgumentError: one of them is no reduction, or there is none; or one that clips or adds noise stands in front of
        one that scales the loss.
    """
    if not reductions:
        raise ArgumentError("chain() of nothing: name what is to be done, such as chain(mean())")
    return Chain([as_reduction(each) for each in reductions])


def members_of(reduction: ReductionLike) -> List[Reduction]:
    """Returns what a chain consists of, chains inside of it included; a reduction by itself is its only member."""
    made = as_reduction(reduction)
    if not isinstance(made, Chain):
        return [made]
    return [member for part in made.parts for member in members_of(part)]
