"""Regularization losses count exactly once in the global loss, whoever made them.

`get_variable(regularizer=)` and `tf.layers` make one loss per variable, when the variable is made: in tower 0 only,
and outside every tower's scope or inside tower 0's. Filtered by a tower's scope they are lost; added to one tower's
loss and averaged over N towers they count 1/N. What each tower computes by itself (the tutorial's weight decay in the
collection 'losses') is part of every tower's loss, and the mean over towers counts it once already.
"""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set

from legacy_towers import graph_walk
from legacy_towers.compat import tf
from legacy_towers.gradients.shares import scaled
from legacy_towers.variables.base import VARIABLE_OPS


class RegularizationTerm(NamedTuple):
    """One regularization loss, and the share of it that the mean of the towers' losses does not hold yet.

    Attributes:
      loss: scalar tensor.
      towers: the towers whose loss contains it (with weight 1, as `tf.losses.get_total_loss` adds it).
      missing: what is to be added to the mean of the N towers' losses: 1 - len(towers) / N; where towers have shares,
        1 minus theirs, a float64 scalar tensor unless it is 1 or 0 anyway.
      of_tower: the tower whose examples it depends on, such as an activity regularizer's; it weighs as that tower's
        loss does. None for a loss of variables alone.
    """

    loss: Any
    towers: List[int]
    missing: Any
    of_tower: Optional[int] = None


def regularization_terms(
    losses: Sequence[Any],
    regularization_losses: Sequence[Any],
    made_by_towers: Optional[Sequence[Sequence[Any]]] = None,
    shares: Optional[Sequence[Any]] = None,
    batches: Sequence[Any] = (),
    other_batches: Sequence[Any] = (),
) -> List[RegularizationTerm]:
    """Returns a term per regularization loss that concerns the towers.

    Args:
      losses: scalar tensors, one per tower that trains.
      regularization_losses: scalar tensors, all of the graph.
      made_by_towers: those of them that each tower's model function made; None: all are the towers'. One that was there
        before counts too if it is of a variable that the towers use: an evaluation model, or another step, made that
        variable.
      shares: what each tower counts; None: all the same.
      batches: the towers' batches: a loss that depends on one is that tower's own.
      other_batches: batches of towers that don't train: a loss that depends on one doesn't count.
    """
    if not regularization_losses:
        return []
    reached = [_by_type(graph_walk.ancestors([loss])) for loss in losses]
    variables = {operation for ancestors in reached for operation in _variables(ancestors)}
    everything = [regularization_losses] if made_by_towers is None else made_by_towers
    made = {id(loss) for of_tower in everything for loss in of_tower}
    terms = []
    for regularization in regularization_losses:
        needs = graph_walk.ancestors([regularization.op])
        if id(regularization) not in made and variables.isdisjoint(_variables(_by_type(needs))):
            continue
        readers = [index for index, batch in enumerate(batches) if _reads(needs, batch)]
        if not readers and any(_reads(needs, batch) for batch in other_batches):
            continue
        # What several towers' batches hold in common, such as a fed strength of decay, is nobody's example.
        own = readers[0] if len(readers) == 1 else None
        towers = [index for index, ancestors in enumerate(reached) if _holds(ancestors, regularization.op)]
        terms.append(RegularizationTerm(regularization, towers, _missing(towers, own, len(losses), shares), own))
    return terms


def _missing(towers: Sequence[int], own: Optional[int], count: int, shares: Optional[Sequence[Any]]) -> Any:
    if own is not None:
        if own in towers:
            return 0.0
        return 1.0 / count if shares is None else shares[own]
    if not towers:
        return 1.0
    if len(towers) == count:
        return 0.0
    if shares is None:
        return 1.0 - len(towers) / float(count)
    return 1.0 - tf.add_n([shares[index] for index in towers])


def _reads(needs: Set[Any], batch: Any) -> bool:
    return not needs.isdisjoint(graph_walk.operations_of(batch))


def _by_type(operations: Iterable[Any]) -> Dict[str, List[Any]]:
    grouped: Dict[str, List[Any]] = {}
    for operation in operations:
        grouped.setdefault(operation.type, []).append(operation)
    return grouped


def _variables(by_type: Dict[str, List[Any]]) -> List[Any]:
    return [operation for kind in VARIABLE_OPS for operation in by_type.get(kind, [])]


def _holds(ancestors: Dict[str, List[Any]], regularization: Any) -> bool:
    """Returns whether a loss with these ancestors contains the regularization loss.

    From TF 2 on the collection holds tensors that are computed anew, by new operations, wherever they are used: such a
    copy counts as well.
    """
    candidates = ancestors.get(regularization.type, [])
    return any(graph_walk.same_computation(candidate, regularization) for candidate in candidates)


def missing_regularization(terms: Sequence[RegularizationTerm], dtype: Any = tf.float32) -> Optional[Any]:
    """Returns the scalar of `dtype` to add to the mean of the towers' losses, None if that mean is complete."""
    parts = [tf.cast(_part(term), dtype) for term in terms if tf.is_tensor(term.missing) or term.missing]
    return tf.add_n(parts, name="regularization") if parts else None


def _part(term: RegularizationTerm) -> Any:
    if tf.is_tensor(term.missing):
        return scaled(term.loss, term.missing)
    return term.loss if term.missing == 1.0 else term.loss * term.missing
