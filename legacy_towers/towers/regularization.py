"""Regularization losses count exactly once in the global loss, whoever made them.

`get_variable(regularizer=)` and `tf.layers` make one loss per variable, when the variable is made: in tower 0 only,
and outside every tower's scope or inside tower 0's. Filtered by a tower's scope they are lost; added to one tower's
loss and averaged over N towers they count 1/N. What each tower computes by itself (the tutorial's weight decay in the
collection 'losses') is part of every tower's loss, and the mean over towers counts it once already.
"""
from typing import Any, List, NamedTuple, Optional, Sequence, Set

from legacy_towers import graph_walk
from legacy_towers.compat import tf


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


def regularization_terms(losses: Sequence[Any], regularization_losses: Sequence[Any]) -> List[RegularizationTerm]:
    """Returns a term per regularization loss, for towers with these scalar losses."""
    if not regularization_losses:
        return []
    reached = [graph_walk.ancestors([loss]) for loss in losses]
    terms = []
    for regularization in regularization_losses:
        towers = [index for index, ancestors in enumerate(reached) if _holds(ancestors, regularization.op)]
        terms.append(RegularizationTerm(regularization, towers, 1.0 - len(towers) / float(len(losses))))
    return terms


def _holds(ancestors: Set[Any], regularization: Any) -> bool:
    """Returns whether a loss with these ancestors contains the regularization loss.

    From TF 2 on the collection holds tensors that are computed anew, by new operations, wherever they are used: such a
    copy counts as well.
    """
    if regularization in ancestors:
        return True
    return any(graph_walk.same_computation(operation, regularization) for operation in ancestors)


def missing_regularization(terms: Sequence[RegularizationTerm]) -> Optional[Any]:
    """Returns the scalar to add to the mean of the towers' losses, None if that mean is complete."""
    parts = [term.loss if term.missing == 1.0 else term.loss * term.missing for term in terms if term.missing]
    return tf.add_n(parts, name="regularization") if parts else None
