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
    foreign = []
    for operation in _data_behind(graph_walk.operations_of(used)):
        group = variables.group_of(operation) if operation.type in VARIABLE_OPS else None
        if group is not None and (tower not in group.copies or group.copies[tower].op is not operation):
            foreign.append(str(operation.name))
    if foreign:
        raise TowerError(
            "tower {} uses the variables {}, which are no copies of its own: make layers, and other objects that hold "
            "variables, inside the model function; or take a strategy with shared variables, such as "
            "lt.variables.ParameterServer(...)".format(tower, quoted(sorted(foreign)))
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
