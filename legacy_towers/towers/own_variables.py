"""Where each tower has variables of its own: that it uses these, and all of them."""
from typing import Any, Iterable, Sequence, Set

from legacy_towers import graph_walk
from legacy_towers.errors import TowerError
from legacy_towers.names import quoted
from legacy_towers.variables.base import VARIABLE_OPS
from legacy_towers.variables.copies import TowerVariables


def check_own_variables(variables: TowerVariables, tower: int, used: Any, missing: Sequence[str]) -> None:
    """Raises TowerError where a tower uses another one's variables, or lacks some.

    Args:
      variables: of the towers.
      tower: the tower's index.
      used: what the tower computes: anything that `session.run` could fetch, and None.
      missing: the names of variables that tower 0 made and this tower did not ask for.
    """
    for operation in _data_behind(graph_walk.operations_of(used)):
        if operation.type not in VARIABLE_OPS:
            continue
        group = variables.group_of(operation)
        if group is None or tower in group.copies and group.copies[tower].op is operation:
            continue
        owners = [other for other, copy in group.copies.items() if copy.op is operation]
        raise TowerError(
            "tower {} uses the variable {!r} {}, not a copy of its own: make layers, and other objects that hold "
            "variables, inside the model function; with variables that towers share, such as by "
            "lt.variables.ParameterServer(...), they may be made outside".format(
                tower, operation.name, "of tower {}".format(owners[0]) if owners else "of no tower"
            )
        )
    if missing:
        raise TowerError(
            "tower {} does not make the variables {}, which tower 0 makes: with a copy of the variables per tower each "
            "must make the same ones, by tf.get_variable or tf.layers inside the model function".format(
                tower, quoted(missing)
            )
        )


def _data_behind(operations: Iterable[Any]) -> Set[Any]:
    """Returns the operations whose values `operations` are computed of, themselves included.

    Control inputs are left out: a tower may wait for another one's update ops without using its variables.
    """
    waiting = list(operations)
    seen = set(waiting)
    while waiting:
        for tensor in waiting.pop().inputs:
            if tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    return seen
