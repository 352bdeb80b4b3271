"""Variables for which some tower has no gradient."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.pairing import GradientsAndVariables, by_variable
from legacy_towers.names import quoted

ON_MISSING = ("error", "zeros", "drop")


def check_on_missing(on_missing: str) -> None:
    """Raises ArgumentError if `on_missing` is not one of the known policies."""
    if on_missing not in ON_MISSING:
        raise ArgumentError(
            "on_missing is {!r}: allowed are {}".format(on_missing, quoted(ON_MISSING))
        )


def dropped_variables(tower_gradients: Sequence[GradientsAndVariables], on_missing: str) -> List[str]:
    """Returns the names of the variables that "drop" leaves as they are: only some towers have a gradient for them."""
    if on_missing != "drop":
        return []
    return [
        str(row.variable.op.name)
        for row in by_variable(tower_gradients)
        if 0 < sum(gradient is None for gradient in row.gradients) < len(row.gradients)
    ]


def settle_missing(gradients: Sequence[Optional[Any]], variable: Any, on_missing: str) -> List[Any]:
    """Returns one variable's gradients, of all towers or of those that count, without any None.

    Args:
      gradients: one tensor, IndexedSlices or None per tower.
      variable: the variable.
      on_missing: what a None means. "error"; "zeros": the tower's gradient is zero, and the mean still divides by all
        towers; "drop": the variable is dropped (an empty list is returned) as soon as one tower lacks its gradient.

    Raises:
      TowerError: names the variable and the towers, if `on_missing` is "error".
    """
    missing = [index for index, gradient in enumerate(gradients) if gradient is None]
    if not missing:
        return list(gradients)
    if on_missing == "drop":
        return []
    if on_missing == "zeros":
        return [_zeros_like(variable, gradients) if gradient is None else gradient for gradient in gradients]
    have = [index for index in range(len(gradients)) if index not in missing]
    if have:
        raise TowerError(
            '{} no gradient for {!r} ({} one): is a branch skipped there? Pass on_missing="zeros" if meant'.format(
                _towers(missing, "has", "have"), variable.op.name, _towers(have, "has", "have")
            )
        )
    raise TowerError(
        "no tower has a gradient for {!r}: the loss does not depend on it. Make it with trainable=False, or leave it "
        'as it is by var_list=[...] without it or on_missing="drop"'.format(variable.op.name)
    )


def _zeros_like(variable: Any, gradients: Sequence[Optional[Any]]) -> Any:
    if any(isinstance(gradient, tf.IndexedSlices) for gradient in gradients):
        row = variable.shape.as_list()[1:]
        return tf.IndexedSlices(
            tf.zeros([0] + row, variable.dtype.base_dtype), tf.zeros([0], tf.int64), variable.shape.as_list()
        )
    return tf.zeros(variable.shape, variable.dtype.base_dtype)


def _towers(indices: Sequence[int], singular: str, plural: str) -> str:
    if len(indices) == 1:
        return "tower {} {}".format(indices[0], singular)
    listed = ", ".join(map(str, indices[:-1])) + " and {}".format(indices[-1])
    return "towers {} {}".format(listed, plural)
