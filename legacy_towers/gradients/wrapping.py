"""What `packed` and `compacted` have in common: they go around the reduction that makes the towers' gradients one."""
from typing import Any, List, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionLike, Site, TowerGradients, as_reduction
from legacy_towers.gradients.chain import Chain


class Wrapping(Reduction):
    """Hands other gradients to `reduction`, and undoes that with its results.

    A subclass defines `around`, which is called for two and more towers.

    Attributes:
      reduction: the one inside, which makes the towers' gradients one.

    Raises:
      ArgumentError: what is to be inside is no reduction, or a chain.
    """

    def __init__(self, reduction: ReductionLike) -> None:
        can_be_one = isinstance(reduction, Reduction) or callable(reduction) and not isinstance(reduction, type)
        if not can_be_one or isinstance(reduction, Chain):
            raise ArgumentError(
                "{!r} can't be inside {}(): put there the one reduction that makes the towers' gradients one, such as "
                "lt.gradients.mean(), and the others before or behind it by lt.gradients.chain(...)".format(
                    reduction, type(self).__name__.lower()
                )
            )
        inner = as_reduction(reduction)
        self.reduction = inner
        self.kind = "layout" if inner.kind == "sum" else inner.kind
        self.scales_loss = inner.scales_loss
        self.travels_in = inner.travels_in
        self.needs_whole = inner.needs_whole
        self.sums = inner.sums
        self.linear = inner.linear

    def around(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns the gradients made one, by `reduced_inside`."""
        raise NotImplementedError

    def reduced_inside(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns what the reduction inside makes of `gradients`, a row per row, in their order.

        Raises:
          ArgumentError: it does not make the towers' gradients one, variable by variable.
        """
        result = self.reduction.update(gradients, state)
        if not result.reduced or [row.name for row in result.rows] != [row.name for row in gradients.rows]:
            raise ArgumentError(
                "{!r}: the reduction inside must make the towers' gradients one, each variable's by itself, as "
                "lt.gradients.mean() does".format(self)
            )
        return result

    def init(self, site: Site, variables: Sequence[Any]) -> Any:
        return self.reduction.init(site, variables)

    def scale_loss(self, loss: Any, state: Any) -> Any:
        return self.reduction.scale_loss(loss, state)

    def roundings(self, towers: int) -> float:
        return self.reduction.roundings(towers)

    def hooks(self, site: Site) -> List[Any]:
        return self.reduction.hooks(site)

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        # One tower's travel nowhere; gradients that are one already are an error, which the reduction inside raises.
        if gradients.reduced or len(gradients.site.devices) == 1:
            return self.reduction.update(gradients, state)
        return self.around(gradients, state)


def arrivals(row: GradientRow, site: Site) -> List[Tuple[str, Any]]:
    """Returns (device, gradient) for each place that needs the row's result: one, or one per tower's own variables.

    What undoes a packing or a cast runs there: what travels is the packed or the small one.
    """
    if len(row.gradients) > 1:
        return list(zip(site.devices, row.gradients))
    if site.copied:
        return [(device, row.gradients[0]) for device in site.devices]
    return [(row.device, row.gradients[0])]
