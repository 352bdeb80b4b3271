"""`chain`: several reductions in sequence, as one."""
from typing import Any, List, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import (
    Reduction,
    ReductionContext,
    ReductionLike,
    ReductionTraits,
    TowerGradients,
    as_reduction,
)
from legacy_towers.gradients.regularization import update_with_regularization
from legacy_towers.tensor_types import SessionRunHook, Tensor, Variable


class Chain(Reduction):
    """Several reductions in sequence; see `chain`."""

    def __init__(self, members: Sequence[Reduction]) -> None:
        self.members = tuple(members)
        self.traits = ReductionTraits(
            scales_loss=any(member.traits.scales_loss for member in members),
            sums=any(member.traits.sums for member in members),
            linear=all(member.traits.linear for member in members),
            passes_regularization=True,
        )
        for number, member in enumerate(self.members):
            self._check_true_size(member, self.members[number + 1 :])

    def init(self, context: ReductionContext, variables: Sequence[Variable]) -> List[Any]:
        # The members' scopes are not numbered: variables keep their names in checkpoints when a member is inserted.
        firsts = [None] * len(self.members) if context.first_state is None else context.first_state
        return [
            member.init(context._replace(first_state=first), variables) for member, first in zip(self.members, firsts)
        ]

    def scale_loss(self, loss: Tensor, state: Any) -> Tensor:
        for member, member_state in zip(self.members, state):
            loss = member.scale_loss(loss, member_state)
        return loss

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        for member, member_state in zip(self.members, state):
            gradients = update_with_regularization(member, gradients, member_state)
        return gradients

    def hooks(self, context: ReductionContext) -> List[SessionRunHook]:
        return [hook for member in self.members for hook in member.hooks(context)]

    def _check_true_size(self, member: Reduction, later_members: Sequence[Reduction]) -> None:
        scaling = [each for each in later_members if each.traits.scales_loss]
        if not member.traits.linear and scaling:
            raise ArgumentError(
                "{!r} comes before {!r} in the chain, so that it would get the gradients of the scaled loss, not their "
                "true size: put it after {!r}".format(member, scaling[0], scaling[0])
            )

    def __repr__(self) -> str:
        return "chain({})".format(", ".join(map(repr, self.members)))


def chain(*reductions: ReductionLike) -> Chain:
    """Returns a reduction that applies several reductions in sequence.

        chain(clip_by_global_norm(5.0), mean())    # clips each tower's gradients, then averages them
        chain(mean(), clip_by_global_norm(5.0))    # clips the mean

    Members before the one that reduces the towers' gradients to one get each tower's gradients; members after it get
    the result.

    Args:
      *reductions: the members in order: reductions, or plain functions of `TowerGradients`.

    Raises:
      ArgumentError: there is no member; one of them is not a reduction; or a member that needs gradients of the true
        size (clipping, noise) comes before one that scales the loss.

    Source of the design: optax's `chain` of gradient transformations.
    """
    if not reductions:
        raise ArgumentError("chain() has no members: pass at least one reduction, such as chain(mean())")
    return Chain([as_reduction(each) for each in reductions])


def members_of(reduction: ReductionLike) -> List[Reduction]:
    """Returns the members of a chain, nested chains flattened; for any other reduction a list of itself."""
    single = as_reduction(reduction)
    if not isinstance(single, Chain):
        return [single]
    return [nested for member in single.members for nested in members_of(member)]
