"""The gradient of the regularization losses, which is the same in all towers: computed, and added, only once."""
from typing import Any, List, Optional, Sequence

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers
from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionContext, TowerGradients
from legacy_towers.gradients.over_workers import updated
from legacy_towers.tensor_types import Gradient, Optimizer, Tensor, Variable


def regularization_gradients(
    regularization: Optional[Tensor], optimizer: Optimizer, variables: Sequence[Variable]
) -> List[Optional[Tensor]]:
    """Returns a dense gradient per variable, or None where the regularization does not depend on it.

    Args:
      regularization: scalar tensor, the regularization loss that is not in the towers' losses; None if there is none.
    """
    if regularization is None:
        return [None] * len(variables)
    # Colocated with the regularization losses, which tf.get_variable places on their variable's device.
    pairs = optimizer.compute_gradients(regularization, var_list=list(variables), colocate_gradients_with_ops=True)
    gradient_of = {id(variable): gradient for gradient, variable in pairs}
    return [_dense(gradient_of.get(id(variable)), variable) for variable in variables]


def _dense(gradient: Optional[Gradient], variable: Variable) -> Optional[Tensor]:
    if gradient is None:
        return None
    with tf.device(variable.device):
        return tf.convert_to_tensor(gradient)


def update_with_regularization(reduction: Reduction, gradients: TowerGradients, state: Any) -> TowerGradients:
    """Returns `updated(reduction, gradients, state)`, and adds `GradientRow.regularization` where it belongs.

    Where a reduction needs each tower's whole gradient (`ReductionTraits.needs_regularization`), such as clipping
    before the mean, it is added to each of them first. A mean or a sum gets it once, added to the result. A variable
    whose gradients a reduction drops loses that of its regularization too.
    """
    if reduction.traits.passes_regularization or all(row.regularization is None for row in gradients.rows):
        return updated(reduction, gradients, state)
    if reduction.traits.needs_regularization:
        return updated(reduction, with_regularization_added(gradients), state)
    before = {row.name: row for row in gradients.rows}
    without = gradients._replace(rows=[row._replace(regularization=None) for row in gradients.rows])
    result = updated(reduction, without, state)
    if not result.reduced:
        return result._replace(
            rows=[row._replace(regularization=_regularization_left(row, before[row.name])) for row in result.rows]
        )
    factor = _summed_towers(gradients.context) if reduction.traits.sums else 1
    return result._replace(rows=[_with_regularization(row, before[row.name], factor) for row in result.rows])


def with_regularization_added(gradients: TowerGradients) -> TowerGradients:
    """Returns the gradients with that of the regularization added to each tower's, which leaves none to add later."""
    rows = []
    for row in gradients.rows:
        # Without a gradient of any tower there is nothing to add it to: it is the gradient.
        if row.regularization is not None and any(gradient is not None for gradient in row.gradients):
            added = [None if each is None else _dense_sum(each, row.regularization) for each in row.gradients]
            row = row._replace(gradients=added, regularization=None)
        elif row.regularization is not None:
            row = row._replace(gradients=[row.regularization] * len(row.gradients), regularization=None)
        rows.append(row)
    return gradients._replace(rows=rows)


def _regularization_left(row: GradientRow, before: GradientRow) -> Optional[Tensor]:
    was_dropped = all(each is None for each in row.gradients) and any(each is not None for each in before.gradients)
    return None if was_dropped else before.regularization


def _summed_towers(context: ReductionContext) -> Any:
    """Returns the number of towers in a sum, an int or an int32 scalar tensor: a tower of weight 0 is left out."""
    workers = context.workers
    if context.tower_weights is None:
        return len(context.devices) * (workers.required if isinstance(workers, ParameterServerWorkers) else 1)
    if not context.weights_vary:
        return len([tower_weight for tower_weight in context.tower_weights if tower_weight > 0])
    own = tf.add_n([tf.cast(tf.greater(tower_weight, 0), tf.int32) for tower_weight in context.tower_weights])
    return workers.sum(own, context.scope + "/summed towers") if isinstance(workers, ParameterServerWorkers) else own


def _with_regularization(row: GradientRow, before: GradientRow, factor: Any) -> GradientRow:
    addition = _regularization_left(row, before)
    if addition is None:
        return row
    with tf.device(row.device or None):
        if tf.is_tensor(factor) or factor != 1:
            addition = addition * tf.cast(factor, addition.dtype)
        return row._replace(
            gradients=[addition if each is None else _dense_sum(each, addition) for each in row.gradients]
        )


def _dense_sum(gradient: Gradient, addition: Tensor) -> Tensor:
    """Returns a dense sum even where the gradient is sparse: weight decay changes every row."""
    return tf.add(tf.convert_to_tensor(gradient), tf.convert_to_tensor(addition))
