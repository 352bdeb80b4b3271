"""Gradients that are applied one step later."""
from typing import Any, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed
from legacy_towers.gradients.stored import LOCAL, made_at, stored


class Deferred(Reduction):
    """See `deferred`."""

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        site = gradients.site
        writes: List[Any] = []
        with tf.name_scope(site.scope + "/"):

            def swap(gradient: Any, row: GradientRow, position: int) -> Any:
                place = stored(gradients, row, position, "deferred")
                writes.extend(place.write(gradient))
                return place.before

            result = changed(gradients, swap)
            if gradients.apply_if is not None:
                before, write = _swapped(site.scope, "deferred_apply_if", gradients.apply_if, False)
                writes.append(write)
                result = result._replace(apply_if=before)
            if not gradients.reduced and site.shares_vary:
                pairs = [
                    _swapped(site.scope, "deferred_share/tower_{}".format(tower), tf.cast(share, tf.float64), 0.0)
                    for tower, share in zip(site.towers, site.shares or [])
                ]
                writes += [write for _, write in pairs]
                result = result._replace(site=site._replace(shares=[share for share, _ in pairs]))
            return result._replace(beside=result.beside + tuple(writes), of_earlier=repr(self))

    def __repr__(self) -> str:
        return "deferred()"


def deferred() -> Deferred:
    """Returns the reduction that keeps each step's gradients, and hands on those of the step before.

        step          1      2      3
        gradient      a      b      c        of the variables as the step finds them
        deferred()    0      a      b        what is applied at its end

    What stands behind it needs not wait for this step's gradients: in chain(deferred(), mean()) the towers' gradients
    of the step before travel and are added up while this step computes its own. Behind `mean()` only what follows,
    such as clipping, overlaps. Variables are written when this step's gradients have been computed, so that every
    tower has read the same ones: w[t+1] = w[t] - rate * gradient(w[t-1]).

    The first step applies zeros, or where gradients are sparse no rows; an optimizer's slots may move by that, as by
    any gradient of zero. Whether the step before was to be skipped, and what its towers counted, is kept as well; where
    steps can be skipped the first step applies nothing at all. Sparse gradients stay sparse.

    The gradients are in local variables beside where they are computed. A checkpoint drops them: the step after a
    restore is again one that applies zeros.

    Raises (when it runs):
      ArgumentError: a gradient's shape is not known before the graph runs, and its variable's is not either.

    Source: tf_cnn_benchmarks (TensorFlow's benchmarks), its variable_consistency="relaxed".
    """
    return Deferred()


def _swapped(scope: str, name: str, value: Any, first: Any) -> Tuple[Any, Any]:
    """Returns what a local variable held, a scalar, and the operation that makes it hold `value`."""
    variable = made_at(scope, name, [], value.dtype, first, LOCAL)
    before = variable.read_value()
    with tf.control_dependencies([before]):
        return before, tf.assign(variable, value).op
