"""What `bucketed` and `compressed` have in common: each wraps the reduction that reduces the towers' gradients."""

from typing import Any, List, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import (
    GradientRow,
    Reduction,
    ReductionContext,
    ReductionLike,
    TowerGradients,
    as_reduction,
)
from legacy_towers.gradients.chain import Chain
from legacy_towers.tensor_types import SessionRunHook, Tensor, Variable


class Wrapper(Reduction):
    """Passes other gradients to `reduction`, and undoes the change in its results.

    A subclass defines `update_wrapped`, which is called if there is more than one tower.

    Attributes:
      reduction: the wrapped reduction, which reduces the towers' gradients to one.

    Raises:
      ArgumentError: `reduction` is not a reduction, or is a chain.
    """

    def __init__(self, reduction: ReductionLike) -> None:
        is_reduction = isinstance(reduction, Reduction) or callable(reduction) and not isinstance(reduction, type)
        if not is_reduction or isinstance(reduction, Chain):
            raise ArgumentError(
                "{!r} can't be inside {}(): pass the one reduction that reduces the towers' gradients to one, such as "
                "lt.gradients.mean(), and put the others before or after it by lt.gradients.chain(...)".format(
                    reduction, type(self).__name__.lower()
                )
            )
        inner = as_reduction(reduction)
        self.reduction = inner
        kind = "layout" if inner.traits.kind == "sum" else inner.traits.kind
        self.traits = inner.traits._replace(kind=kind, passes_regularization=False)

    def update_wrapped(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns the reduced gradients; calls `update_inner` for the reduction itself."""
        raise NotImplementedError

    def update_inner(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns what the wrapped reduction returns, one row per row, in their order.

        Raises:
          ArgumentError: it does not reduce the towers' gradients to one per row.
        """
        result = self.reduction.update(gradients, state)
        if not result.reduced or [row.name for row in result.rows] != [row.name for row in gradients.rows]:
            raise ArgumentError(
                "{!r}: the wrapped reduction must reduce the towers' gradients to one per variable, as "
                "lt.gradients.mean() does".format(self)
            )
        return result

    def init(self, context: ReductionContext, variables: Sequence[Variable]) -> Any:
        return self.reduction.init(context, variables)

    def scale_loss(self, loss: Tensor, state: Any) -> Tensor:
        return self.reduction.scale_loss(loss, state)

    def roundings(self, towers: int) -> float:
        return self.reduction.roundings(towers)

    def hooks(self, context: ReductionContext) -> List[SessionRunHook]:
        return self.reduction.hooks(context)

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        # One tower's gradients are not sent anywhere. For reduced gradients the inner reduction raises.
        if gradients.reduced or len(gradients.context.devices) == 1:
            return self.reduction.update(gradients, state)
        return self.update_wrapped(gradients, state)


def result_devices(row: GradientRow, context: ReductionContext) -> List[Tuple[str, Any]]:
    """Returns (device, gradient) for each device that needs the row's result: one, or each tower's.

    Buckets are split and dtypes restored there, so that what is sent is the bucket, or the small dtype.
    """
    if len(row.gradients) > 1:
        return list(zip(context.devices, row.gradients))
    if context.has_copies:
        return [(device, row.gradients[0]) for device in context.devices]
    return [(row.device, row.gradients[0])]
