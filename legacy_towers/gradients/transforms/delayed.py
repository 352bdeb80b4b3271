"""`delayed`: gradients that are applied one step later."""
from typing import Any, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.state_variables import LOCAL, new_variable, store_gradient
from legacy_towers.gradients.transforms.each import map_gradients
from legacy_towers.tensor_types import Gradient


class Delayed(Reduction):
    """See `delayed`."""

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        context = gradients.context
        writes: List[Any] = []
        with tf.name_scope(context.scope + "/"):

            def swap(gradient: Gradient, row: GradientRow, position: int) -> Any:
                storage = store_gradient(gradients, row, position, "delayed")
                writes.extend(storage.write(gradient))
                return storage.before

            result = map_gradients(gradients, swap)
            if gradients.apply_if is not None:
                before, write = _swapped(context.scope, "delayed_apply_if", gradients.apply_if, False)
                writes.append(write)
                result = result._replace(apply_if=before)
            if not gradients.reduced and context.weights_vary:
                pairs = [
                    _swapped(
                        context.scope, "delayed_weight/tower_{}".format(tower), tf.cast(tower_weight, tf.float64), 0.0
                    )
                    for tower, tower_weight in zip(context.towers, context.tower_weights or [])
                ]
                writes += [write for _, write in pairs]
                result = result._replace(
                    context=context._replace(tower_weights=[tower_weight for tower_weight, _ in pairs])
                )
            return result._replace(unconditional_ops=result.unconditional_ops + tuple(writes), delayed_by=repr(self))

    def __repr__(self) -> str:
        return "delayed()"


def delayed() -> Delayed:
    """Returns the reduction that stores each step's gradients, and returns those of the step before.

        step          1      2      3
        gradient      a      b      c        computed with the variables before the step
        delayed()     0      a      b        applied at the end of the step

    The members after it do not wait for this step's gradients: in chain(delayed(), mean()) the towers' gradients of the
    step before are sent and summed while this step computes its own. After `mean()` only the members that follow, such
    as clipping, overlap. Variables are written after this step's gradients have been computed, so that every tower
    reads the same values: w[t+1] = w[t] - rate * gradient(w[t-1]).

    The first step applies zeros, or no rows of sparse gradients; an optimizer's slots may change by that, as by any
    gradient of zero. Whether the step before was to be skipped, and its towers' weights, are stored as well; if steps
    can be skipped, the first step applies nothing. Sparse gradients stay sparse.

    The gradients are local variables on the devices where they are computed. A checkpoint does not contain them: the
    step after a restore applies zeros again.

    Raises (when it runs):
      ArgumentError: the shapes of a gradient and its variable are not known before the graph runs.

    Source of the method: pipelined gradients: tf_cnn_benchmarks' variable_consistency="relaxed"; the delayed update is
    analysed in Langford, Smola, Zinkevich 2009, "Slow Learners are Fast".
    """
    return Delayed()


def _swapped(scope: str, name: str, value: Any, first: Any) -> Tuple[Any, Any]:
    """Returns the scalar that a local variable held, and the operation that writes `value` to it."""
    variable = new_variable(scope, name, [], value.dtype, first, LOCAL)
    before = variable.read_value()
    with tf.control_dependencies([before]):
        return before, tf.assign(variable, value).op
