"""Runs a reduction over the towers' gradients: `reduce_gradients`, and its two halves for those who need them apart."""
import re
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionLike, Site, TowerGradients, as_reduction
from legacy_towers.gradients.once import updated, with_what_is_the_same
from legacy_towers.gradients.pairing import GradientsAndVariables, as_lists, by_variable, check_fit
from legacy_towers.gradients.shares import tower_shares

_SCOPE = re.compile(r"^[A-Za-z0-9.]([A-Za-z0-9_./-]*[A-Za-z0-9_.-])?$")


class Prepared(NamedTuple):
    """A reduction in one graph.

    Attributes:
      reduction: what it is.
      site: where gradients come from and go to.
      state: what it remembers: what its `init` returned.
    """

    reduction: Reduction
    site: Site
    state: Any

    def scale_loss(self, loss: Any) -> Any:
        """Returns what a tower's gradients are to be computed of: the loss, scaled where the reduction asks for it."""
        return self.reduction.scale_loss(loss, self.state)

    def reduce(
        self, tower_gradients: Sequence[GradientsAndVariables], once: Sequence[Optional[Any]] = ()
    ) -> TowerGradients:
        """Returns the towers' gradients made one; see `reduce_gradients`.

        Args:
          tower_gradients: one list of (gradient, variable) per tower.
          once: per variable of tower 0, what belongs to every tower's gradient but is the same in all, or None.

        Raises:
          ArgumentError: these are no lists of pairs, or the reduction leaves the towers' gradients apart.
          TowerError: the towers' gradients don't fit together.
        """
        rows = by_variable(as_lists(tower_gradients, self.site.towers), self.site.towers)
        for row in rows:
            check_fit(row, self.site.towers)
        made = [
            GradientRow(
                str(row.variable.op.name), row.variable, list(row.gradients), row.variable.device or "", once=same
            )
            for row, same in zip(rows, once or [None] * len(rows))
        ]
        with tf.name_scope(self.site.scope):
            result = updated(self.reduction, TowerGradients(made, self.site), self.state)
        if not result.reduced and len(self.site.devices) > 1:
            raise ArgumentError(
                "the reduction {!r} leaves {} towers' gradients apart: let it hold one that makes them one, such as "
                "lt.gradients.mean()".format(self.reduction, len(self.site.devices))
            )
        if not result.reduced and self.site.shares is not None:
            # The only tower can turn out to have no weight in a step.
            result = updated(mean(), result, None)
        return with_what_is_the_same(result)


def prepare(reduction: ReductionLike, site: Site, variables: Sequence[Any]) -> Prepared:
    """Makes what a reduction remembers, in the default graph, before the gradients are computed.

    Args:
      reduction: the reduction.
      site: where gradients come from and go to.
      variables: those whose gradients will come.

    Raises:
      ArgumentError: `reduction` is none.
    """
    made = as_reduction(reduction)
    return Prepared(made, site, made.init(site, list(variables)))


def reduce_gradients(
    tower_grads: Iterable[GradientsAndVariables],
    reduction: ReductionLike,
    devices: Sequence[str],
    weights: Optional[Sequence[Any]] = None,
    global_step: Optional[Any] = None,
    scope: str = "reduction",
) -> TowerGradients:
    """Makes the towers' gradients one, by any reduction.

        reduced = lt.reduce_gradients(tower_grads, lt.gradients.chain(lt.gradients.mean(), ...), devices)
        train_op = lt.apply_reduced(optimizer, reduced, global_step)

    Args:
      tower_grads: one list of (gradient, variable) per tower, as `optimizer.compute_gradients` returns it.
      reduction: a reduction, such as `lt.gradients.mean()`.
      devices: one device string per tower.
      weights: one number or scalar tensor per tower, for the mean; None: all the same.
      global_step: the global step variable, for reductions that name or need it; None without.
      scope: the name of the reduction's operations and of its variables, without a closing slash.

    Raises:
      ArgumentError: `tower_grads` are no lists of pairs, `reduction` is none, or `devices` no list; the numbers of
        towers, devices and weights differ, or a weight is no number; `global_step` is no variable, `scope` no name; the
        reduction scales the loss, which has been differentiated already; or it leaves the towers' gradients apart.
      DeviceError: one of `devices` is no device string.
      TowerError: the towers' gradients don't fit together.
    """
    made = as_reduction(reduction)
    if made.scales_loss:
        raise ArgumentError(
            "{!r} scales the loss, but these gradients are computed already: give it to lt.build_train_step or "
            "lt.DistributedOptimizer as reduction=..., which compute the gradients of the scaled loss".format(made)
        )
    of_towers = as_lists(tower_grads)
    devices_room.check_list(devices, "devices")
    if len(of_towers) != len(devices):
        raise ArgumentError("{} lists of gradients for {} devices: give one per tower".format(
            len(of_towers), len(devices)
        ))
    check_global_step(global_step)
    if not isinstance(scope, str) or not _SCOPE.match(scope):
        raise ArgumentError(
            "scope is {!r}: give a name of letters, digits, '_', '.', '-' and '/', such as 'reduction'".format(scope)
        )
    shares = tower_shares(weights, len(of_towers))
    site = Site(list(devices), list(range(len(devices))), shares, global_step, scope)
    variables: List[Any] = [row.variable for row in by_variable(of_towers)]
    return prepare(made, site, variables).reduce(of_towers)


def check_global_step(global_step: Optional[Any]) -> None:
    """Raises ArgumentError if the global step is given and is no variable."""
    if global_step is not None and not hasattr(global_step, "assign_add"):
        raise ArgumentError(
            "global_step is {!r}: give the variable that tf.train.get_or_create_global_step() returns, or None".format(
                global_step
            )
        )
