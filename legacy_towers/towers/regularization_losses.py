"""Makes each regularization loss count exactly once in the global loss, whichever tower created it.

`get_variable(regularizer=)` and `tf.layers` create one loss per variable, together with the variable: in tower 0 only,
outside of every tower's scope or inside tower 0's. Filtered by a tower's scope these losses are lost; added to one
tower's loss and averaged over N towers they count 1/N. What each tower computes by itself (the weight decay that the
CIFAR-10 tutorial adds to the collection 'losses') is part of every tower's loss, and the mean over towers counts it
once already.
"""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Union

from legacy_towers.compat import tf
from legacy_towers.gradients.tower_weights import weighted
from legacy_towers.graph import walk
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.tensor_types import DType, NestedTensors, Tensor


class RegularizationTerm(NamedTuple):
    """One regularization loss, and the fraction of it that the mean of the towers' losses does not contain.

    Attributes:
      loss: scalar tensor.
      towers: the towers whose loss contains it (with weight 1, as `tf.losses.get_total_loss` adds it).
      missing: the fraction to be added to the mean of the N towers' losses: 1 - len(towers) / N; where towers have
        weights, 1 minus the weights of `towers`, a float64 scalar tensor unless it is always 1 or 0.
      of_tower: the tower whose examples it depends on, such as an activity regularizer's; it has the weight of that
        tower's loss. None for a loss of variables alone.
    """

    loss: Tensor
    towers: List[int]
    missing: Union[float, Tensor]
    of_tower: Optional[int] = None


def regularization_terms(
    losses: Sequence[Tensor],
    regularization_losses: Sequence[Tensor],
    created_by_towers: Optional[Sequence[Sequence[Tensor]]] = None,
    tower_weights: Optional[Sequence[Tensor]] = None,
    batches: Sequence[NestedTensors] = (),
    other_batches: Sequence[NestedTensors] = (),
) -> List[RegularizationTerm]:
    """Returns a term per regularization loss that concerns the towers.

    Args:
      created_by_towers: those that each tower's model function created; None: all of them. A loss that existed before
        counts too if it is of a variable that the towers use: an evaluation model, or another step, created that
        variable.
      batches: the towers' batches: a loss that depends on one is that tower's own.
      other_batches: batches of towers that don't train: a loss that depends on one doesn't count.
    """
    if not regularization_losses:
        return []
    reached = [_by_type(walk.ancestors([loss])) for loss in losses]
    variables = {operation for ancestors in reached for operation in _variables(ancestors)}
    per_tower = [regularization_losses] if created_by_towers is None else created_by_towers
    created = {id(loss) for of_tower in per_tower for loss in of_tower}
    terms = []
    for regularization in regularization_losses:
        needs = walk.ancestors([regularization.op])
        if id(regularization) not in created and variables.isdisjoint(_variables(_by_type(needs))):
            continue
        readers = [index for index, batch in enumerate(batches) if _reads(needs, batch)]
        if not readers and any(_reads(needs, batch) for batch in other_batches):
            continue
        # What several towers' batches share, such as a fed decay rate, is not an example of one tower.
        own = readers[0] if len(readers) == 1 else None
        towers = [index for index, ancestors in enumerate(reached) if _contains(ancestors, regularization.op)]
        terms.append(RegularizationTerm(regularization, towers, _missing(towers, own, len(losses), tower_weights), own))
    return terms


def _missing(towers: Sequence[int], own: Optional[int], count: int, tower_weights: Optional[Sequence[Any]]) -> Any:
    if own is not None:
        if own in towers:
            return 0.0
        return 1.0 / count if tower_weights is None else tower_weights[own]
    if not towers:
        return 1.0
    if len(towers) == count:
        return 0.0
    if tower_weights is None:
        return 1.0 - len(towers) / float(count)
    return 1.0 - tf.add_n([tower_weights[index] for index in towers])


def _reads(needs: Set[Any], batch: Any) -> bool:
    return not needs.isdisjoint(walk.operations_of(batch))


def _by_type(operations: Iterable[Any]) -> Dict[str, List[Any]]:
    grouped: Dict[str, List[Any]] = {}
    for operation in operations:
        grouped.setdefault(operation.type, []).append(operation)
    return grouped


def _variables(by_type: Dict[str, List[Any]]) -> List[Any]:
    return [operation for kind in VARIABLE_OPS for operation in by_type.get(kind, [])]


def _contains(ancestors: Dict[str, List[Any]], regularization: Any) -> bool:
    """Returns whether a loss with these ancestors contains the regularization loss.

    From TF 2 on each access to the collection creates new operations that compute the loss again; these count as well.
    """
    candidates = ancestors.get(regularization.type, [])
    return any(walk.same_computation(candidate, regularization) for candidate in candidates)


def missing_regularization(terms: Sequence[RegularizationTerm], dtype: DType = tf.float32) -> Optional[Tensor]:
    """Returns the scalar of `dtype` to add to the mean of the towers' losses, None if that mean is complete."""
    missing = [tf.cast(_missing_part(term), dtype) for term in terms if tf.is_tensor(term.missing) or term.missing]
    return tf.add_n(missing, name="regularization") if missing else None


def _missing_part(term: RegularizationTerm) -> Tensor:
    if tf.is_tensor(term.missing):
        return weighted(term.loss, term.missing)
    return term.loss if term.missing == 1.0 else term.loss * term.missing
