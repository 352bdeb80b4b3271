"""Groups the towers' lists of (gradient, variable) by variable."""
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Variable
from legacy_towers.text.names import quoted

GradientsAndVariables = Iterable[Tuple[Optional[Any], Any]]


class VariableGradients(NamedTuple):
    """One variable and its gradient (tensor, IndexedSlices or None) in each tower."""

    variable: Any
    gradients: List[Optional[Any]]


def as_lists(
    tower_gradients: Iterable[GradientsAndVariables], towers: Optional[Sequence[int]] = None
) -> List[List[Tuple[Optional[Any], Any]]]:
    """Returns the towers' (gradient, variable) pairs as lists; iterators, such as a zip, are read here.

    Raises:
      ArgumentError: there is no tower, or a tower's entry is not a list of (gradient, variable) pairs.
    """
    of_towers = _listed(tower_gradients)
    if of_towers is None:
        raise ArgumentError(
            "the towers' gradients are of type {}: pass a list with one list of (gradient, variable) per tower".format(
                type(tower_gradients).__name__
            )
        )
    if not of_towers:
        raise ArgumentError("the list of towers' gradients is empty: pass one list of (gradient, variable) per tower")
    indices = range(len(of_towers)) if towers is None else towers
    return [_pairs(pairs, index) for index, pairs in zip(indices, of_towers)]


def _pairs(pairs: GradientsAndVariables, index: int) -> List[Tuple[Optional[Any], Any]]:
    pair_list = _listed(pairs)
    if pair_list is None or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pair_list):
        raise ArgumentError(
            "the gradients of tower {} must be a list of (gradient, variable) pairs: pass one such list per tower, "
            "also for a single tower".format(index)
        )
    for number, (gradient, variable) in enumerate(pair_list):
        if hasattr(gradient, "assign"):
            raise ArgumentError(
                "pair {} of tower {} has the variable {!r} in place of its gradient: the order is (gradient, "
                "variable)".format(number, index, gradient.name)
            )
        if not all(hasattr(variable, part) for part in ("op", "shape", "dtype")):
            raise ArgumentError(
                "pair {} of tower {} has {!r} in place of a variable: pass (gradient, variable) pairs, as "
                "optimizer.compute_gradients returns them".format(number, index, variable)
            )
    return pair_list


def _listed(given: Any) -> Optional[List[Any]]:
    """Returns an iterable as a list; None for a tensor, and for what is not iterable."""
    return list(given) if isinstance(given, Iterable) and not tf.is_tensor(given) else None


def by_variable(
    tower_gradients: Sequence[Sequence[Tuple[Optional[Any], Any]]], towers: Optional[Sequence[int]] = None
) -> List[VariableGradients]:
    """Returns one row per variable, in the first tower's order.

    Raises:
      TowerError: the towers' lists are not over the same variables, or one has a variable twice; names the variables
        and the towers.
    """
    indices = range(len(tower_gradients)) if towers is None else towers
    columns = []
    for index, pairs in zip(indices, tower_gradients):
        names = [_name(variable) for _, variable in pairs]
        repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if repeated:
            raise TowerError(
                "tower {} has more than one gradient for {}: sum them first, or pass each variable once".format(
                    index, quoted(repeated)
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


def check_dtype_and_shape(row: VariableGradients, towers: Sequence[int]) -> None:
    """Raises TowerError if a gradient is not a tensor or IndexedSlices of its variable's dtype and shape.

    The message names the tower and the variable. The dense shape of IndexedSlices is not checked: it is a tensor.
    """
    shape, dtype = row.variable.shape, row.variable.dtype.base_dtype
    for index, gradient in zip(towers, row.gradients):
        if gradient is None:
            continue
        if not isinstance(gradient, (tf.Tensor, tf.IndexedSlices)):
            raise TowerError(
                "the gradient of tower {} for {!r} is a {}, not a tensor: convert it by tf.convert_to_tensor".format(
                    index, _name(row.variable), type(gradient).__name__
                )
            )
        found = shape if isinstance(gradient, tf.IndexedSlices) else gradient.shape
        if gradient.dtype != dtype or not shape.is_compatible_with(found):
            raise TowerError(
                "the gradient of tower {} for {!r} is {} of shape {}, but the variable is {} of shape {}".format(
                    index, _name(row.variable), gradient.dtype.name, found, dtype.name, shape
                )
            )


def _name(variable: Variable) -> str:
    return str(variable.op.name)


def _difference(index: int, column: Iterable[str], first: int, of_first: Iterable[str]) -> str:
    extra = sorted(set(column) - set(of_first))
    missing = sorted(set(of_first) - set(column))
    parts = []
    if extra:
        parts.append("tower {} has gradients for {}, tower {} does not".format(index, quoted(extra), first))
    if missing:
        parts.append("tower {} has none for {}, tower {} does".format(index, quoted(missing), first))
    return (
        "the towers' gradients are for different variables: {}. Share the variables by "
        "tf.variable_scope(..., reuse=True)".format("; ".join(parts))
    )
