"""Regularization losses count exactly once in the global loss, whoever made them.

`get_variable(regularizer=)` and `tf.layers` make one loss per variable, when the variable is made: in tower 0 only,
and outside every tower's scope or inside tower 0's. Filtered by a tower's scope they are lost; added to one tower's
loss and averaged over N towers they count 1/N. What each tower computes by itself (the tutorial's weight decay in the
collection 'losses') is part of every tower's loss, and the mean over towers counts it once already.
"""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from legacy_towers import graph_walk
from legacy_towers.compat import tf
from legacy_towers.variables.base import VARIABLE_OPS


class RegularizationTerm(NamedTuple):
    """One regularization loss, and the share of it that the mean of the towers' losses does not hold yet.

    Attributes:
      loss: scalar tensor.
      towers: the towers whose loss contains it (with weight 1, as `tf.losses.get_total_loss` adds it).
      missing: 1 - len(towers) / N; what is to be added to the mean of the N towers' losses.
    """

    loss: Any
    towers: List[int]
    missing: float


def regularization_terms(
    losses: Sequence[Any], regularization_losses: Sequence[Any], made_by_towers: Optional[Sequence[Any]] = None
) -> List[RegularizationTerm]:
    """Returns a term per regularization loss that concerns the towers.

    Args:
      losses: scalar tensors, one per tower.
      regularization_losses: scalar tensors, all of the graph.
      made_by_towers: those of them that the towers' model functions made; None: all. One that was there before counts
        too if it is of a variable that the towers use: an evaluation model, or another step, made that variable.
    """
    if not regularization_losses:
        return []
    reached = [_by_type(graph_walk.ancestors([loss])) for loss in losses]
    variables = {operation for ancestors in reached for operation in _variables(ancestors)}
    made = {id(loss) for loss in (regularization_losses if made_by_towers is None else made_by_towers)}
    terms = []
    for regularization in regularization_losses:
        own = _variables(_by_type(graph_walk.ancestors([regularization.op])))
        if id(regularization) in made or not variables.isdisjoint(own):
            towers = [index for index, ancestors in enumerate(reached) if _holds(ancestors, regularization.op)]
            terms.append(RegularizationTerm(regularization, towers, 1.0 - len(towers) / float(len(losses))))
    return terms


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
    parts = [
        tf.cast(term.loss if term.missing == 1.0 else term.loss * term.missing, dtype)
        for term in terms
        if term.missing
    ]
    return tf.add_n(parts, name="regularization") if parts else None
