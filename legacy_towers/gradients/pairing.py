"""Whose gradient is whose: the towers' lists of (gradient, variable), one row per variable."""
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.names import quoted

GradientsAndVariables = Iterable[Tuple[Optional[Any], Any]]


class VariableGradients(NamedTuple):
    """One variable and its gradient (tensor, IndexedSlices or None) in each tower."""

    variable: Any
    gradients: List[Optional[Any]]


def as_lists(
    tower_gradients: Iterable[GradientsAndVariables], towers: Optional[Sequence[int]] = None
) -> List[List[Tuple[Optional[Any], Any]]]:
    """Returns N towers' (gradient, variable) pairs as lists; what can be read once, such as a zip, is read here.

    Args:
      tower_gradients: one list of pairs per tower.
      towers: the index of each tower, for messages; None: 0, 1, ...

    Raises:
      ArgumentError: there is no tower, or it is no list of lists of such pairs.
    """
    of_towers = _listed(tower_gradients)
    if of_towers is None:
        raise ArgumentError(
            "the towers' gradients are of type {}: give a list with one list of (gradient, variable) per tower".format(
                type(tower_gradients).__name__
            )
        )
    if not of_towers:
        raise ArgumentError("the list of towers' gradients is empty: give one list of (gradient, variable) per tower")
    indices = range(len(of_towers)) if towers is None else towers
    return [_pairs(pairs, index) for index, pairs in zip(indices, of_towers)]


def _pairs(pairs: GradientsAndVariables, index: int) -> List[Tuple[Optional[Any], Any]]:
    listed = _listed(pairs)
    if listed is None or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in listed):
        raise ArgumentError(
            "the gradients of tower {} are no list of (gradient, variable) pairs: give one such list per tower, "
            "also for a single tower".format(index)
        )
    for number, (gradient, variable) in enumerate(listed):
        if hasattr(gradient, "assign"):
            raise ArgumentError(
                "pair {} of tower {} has the variable {!r} where its gradient belongs: pairs are (gradient, "
                "variable)".format(number, index, gradient.name)
            )
        if not all(hasattr(variable, part) for part in ("op", "shape", "dtype")):
            raise ArgumentError(
                "pair {} of tower {} has {!r} where a variable belongs: give (gradient, variable) pairs, as "
                "optimizer.compute_gradients returns them".format(number, index, variable)
            )
    return listed


def _listed(given: Any) -> Optional[List[Any]]:
    """Returns a list of what can be iterated; None for what can't, and for a tensor."""
    return list(given) if isinstance(given, Iterable) and not tf.is_tensor(given) else None


def by_variable(
    tower_gradients: Sequence[Sequence[Tuple[Optional[Any], Any]]], towers: Optional[Sequence[int]] = None
) -> List[VariableGradients]:
    """Transposes N towers' lists of (gradient, variable) into a row per variable, in the first tower's order.

    Args:
      tower_gradients: of `as_lists`.
      towers: the index of each tower, for messages; None: 0, 1, ...

    Raises:
      TowerError: the towers' lists are not over the same variables, or one has a variable twice; names those.
    """
    indices = range(len(tower_gradients)) if towers is None else towers
    columns = []
    for index, pairs in zip(indices, tower_gradients):
        names = [_name(variable) for _, variable in pairs]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if twice:
            raise TowerError(
                "tower {} has more than one gradient for {}: add them up before, or give each variable once".format(
                    index, quoted(twice)
                )
            )
        columns.append({_name(variable): gradient for gradient, variable in pairs})
    for index, column in zip(indices, columns):
        if set(column) != set(columns[0]):
            raise TowerError(_difference(index, column, indices[0], columns[0]))
    return [
        VariableGradients(variable, [column[_name(variable)] for column in columns])
        for _, variable in tower_gradients[0]
    ]


def check_fit(row: VariableGradients, towers: Sequence[int]) -> None:
    """Raises TowerError if a gradient is no tensor, or is not of its variable's dtype and shape; names the tower."""
    shape, dtype = row.variable.shape, row.variable.dtype.base_dtype
    for index, gradient in zip(towers, row.gradients):
        if gradient is None:
            continue
        if not isinstance(gradient, (tf.Tensor, tf.IndexedSlices)):
            raise TowerError(
                "the gradient of tower {} for {!r} is a {}, not a tensor: apply tf.convert_to_tensor".format(
                    index, _name(row.variable), type(gradient).__name__
                )
            )
        # The shape of slices is a tensor, so it is known in the running graph only.
        found = shape if isinstance(gradient, tf.IndexedSlices) else gradient.shape
        if gradient.dtype != dtype or not shape.is_compatible_with(found):
            raise TowerError(
                "the gradient of tower {} for {!r} is {} of shape {}, the variable {} of shape {}".format(
                    index, _name(row.variable), gradient.dtype.name, found, dtype.name, shape
                )
            )


def _name(variable: Any) -> str:
    return str(variable.op.name)


def _difference(index: int, column: Iterable[str], first: int, of_first: Iterable[str]) -> str:
    extra = sorted(set(column) - set(of_first))
    lacking = sorted(set(of_first) - set(column))
    parts = []
    if extra:
        parts.append("tower {} has gradients for {}, tower {} has not".format(index, quoted(extra), first))
    if lacking:
        parts.append("tower {} has none for {}, tower {} has".format(index, quoted(lacking), first))
    return "the towers' gradients are not for the same variables: {}. Share variables by variable_scope reuse".format(
        "; ".join(parts)
    )
