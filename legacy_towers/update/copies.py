"""Applying gradients where each tower has a copy of the variables: to all copies at once, in one call."""
import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.base import GradientRow, TowerGradients
from legacy_towers.gradients.reduce import reduce_gradients
from legacy_towers.variables.copies import Copied, TowerVariables
from legacy_towers.variables.shown import move_to_local


def to_every_copy(reduced: TowerGradients, variables: TowerVariables) -> TowerGradients:
    """Returns gradients that were made one with a row for each tower's copy, in place of the plain-named variable's.

        rows:  w: [g]         ->  w: [g], w/replica_1: [g], w/replica_2: [g]
        rows:  w: [g0 g1 g2]  ->  w: [g0], w/replica_1: [g1], w/replica_2: [g2]

    A shared variable keeps its one row. A tower that validates takes the first tower's result.
    """
    rows = []
    for row in reduced.rows:
        group = variables.group_of(row.variable)
        if group is None:
            rows.append(row._replace(gradients=row.gradients[:1]))
            continue
        for tower in sorted(group.copies):
            trains = len(row.gradients) > 1 and tower in reduced.site.towers
            gradient = row.gradients[reduced.site.towers.index(tower) if trains else 0]
            rows.append(_row(row, group.copies[tower], gradient))
    return reduced._replace(rows=rows)


def each_to_its_own(of_towers: Sequence[TowerGradients], variables: TowerVariables) -> TowerGradients:
    """Returns the towers' own gradients as one set of rows, each tower's over its copies.

    A shared variable gets the mean of the towers' gradients. Where some towers say that a step applies nothing, as a
    loss scale does for an infinite gradient, it applies nothing in any.

    Args:
      of_towers: one per training tower, each of a reduction over this tower alone; the rows' variables are the
        plain-named ones, or the tower's own.

    Raises:
      ArgumentError: there is no tower.
      TowerError: only some towers have a gradient for a shared variable.
    """
    if not of_towers:
        raise ArgumentError("no towers: give each tower's gradients")
    rows: List[GradientRow] = []
    shared: List[List[Tuple[Optional[Any], Any]]] = []
    devices = [device for gradients in of_towers for device in gradients.site.devices]
    for gradients in of_towers:
        shared.append([])
        for row in gradients.rows:
            if variables.group_of(row.variable) is None:
                shared[-1].append((row.gradients[0], row.variable))
            else:
                own = variables.own(gradients.site.towers[0], row.variable)
                rows.append(_row(row, own, row.gradients[0]))
    if any(shared):
        rows += reduce_gradients(shared, mean(on="variable"), devices, scope="shared_variables").rows
    beside = tuple(each for gradients in of_towers for each in gradients.beside)
    site = of_towers[0].site
    site = site._replace(
        devices=devices,
        towers=[tower for gradients in of_towers for tower in gradients.site.towers],
    )
    return TowerGradients(rows, site, True, all_apply(of_towers), beside)


def all_apply(of_towers: Sequence[TowerGradients]) -> Optional[Any]:
    """Returns the boolean scalar tensor that tells whether a step applies all gradients; None: each step does."""
    conditions = [gradients.apply_if for gradients in of_towers if gradients.apply_if is not None]
    return tf.reduce_all(tf.stack(conditions)) if conditions else None


def make_center_slots(optimizer: Any, plain: Sequence[Any]) -> None:
    """Makes the optimizer's slots of variables that no tower uses, so that checkpoints hold slots by plain names."""
    if not plain:
        return
    # The operation that comes with them is never run.
    optimizer.apply_gradients([(tf.zeros_like(variable), variable) for variable in plain])


@contextlib.contextmanager
def slots_registered(variables: TowerVariables) -> Iterator[None]:
    """Takes the slots that an optimizer makes inside as copies, like the variables that they belong to.

    The slots of copies become local variables; those by plain names stay in checkpoints.

    Raises:
      TowerError: there is a slot of a copy, but none by the plain name.
    """
    before = {id(variable) for variable in tf.global_variables()}
    yield
    made = [variable for variable in tf.global_variables() if id(variable) not in before]
    by_name = {str(variable.op.name): variable for variable in tf.global_variables()}
    groups: Dict[str, Dict[int, Any]] = {}
    for slot in made:
        found = _copy_beside(str(slot.op.name), variables)
        if found is None:
            continue
        group, tower, plain_name = found
        if plain_name not in by_name:
            raise TowerError(
                "the optimizer makes {!r} beside tower {}'s copy of {!r}, but no {!r}: what it keeps for each variable "
                "could be in no checkpoint".format(slot.op.name, tower, group.plain.op.name, plain_name)
            )
        groups.setdefault(plain_name, {})[tower] = slot
    move_to_local([copy for copies in groups.values() for copy in copies.values()])
    for plain_name, copies in groups.items():
        plain = by_name[plain_name]
        if not variables.center:
            copies[0] = plain
        variables.register(plain, copies)


def _copy_beside(name: str, variables: TowerVariables) -> Optional[Tuple[Copied, int, str]]:
    """Returns what "w/replica_1/Momentum" is: a slot of w's, of tower 1, by the plain name "w/Momentum"."""
    words = name.split("/")
    for end in range(len(words) - 1, 0, -1):
        for start in range(end):
            beside = "/".join(words[start:end])
            group = variables.group_of_name(beside)
            if group is None or group.plain.op.name == beside:
                continue
            (tower,) = [each for each, copy in group.copies.items() if copy.op.name == beside]
            return group, tower, "/".join(words[:start] + [str(group.plain.op.name)] + words[end:])
    return None


def _row(row: GradientRow, variable: Any, gradient: Optional[Any]) -> GradientRow:
    return row._replace(
        name=str(variable.op.name), variable=variable, gradients=[gradient], device=variable.device or ""
    )
