"""Gradients where each tower has a copy of the variables: applied to all copies in one call of the optimizer."""
import contextlib
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, TowerGradients
from legacy_towers.gradients.over_workers import over_workers
from legacy_towers.gradients.reduce import reduce_gradients
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.tensor_types import Gradient, GradientPairs, Optimizer, Tensor, Variable
from legacy_towers.variables.collections import move_to_local
from legacy_towers.variables.tower_variables import CopiedVariable, TowerVariables


def to_every_copy(reduced: TowerGradients, variables: TowerVariables) -> TowerGradients:
    """Returns reduced gradients with a row for each tower's copy in place of the plain-named variable's row.

        rows:  w: [g]         ->  w: [g], w/replica_1: [g], w/replica_2: [g]
        rows:  w: [g0 g1 g2]  ->  w: [g0], w/replica_1: [g1], w/replica_2: [g2]

    A shared variable keeps its one row. A tower that validates gets the first tower's result.
    """
    rows = []
    for row in reduced.rows:
        group = variables.group_of(row.variable)
        if group is None:
            rows.append(row._replace(gradients=row.gradients[:1]))
            continue
        for tower in sorted(group.copies):
            trains = len(row.gradients) > 1 and tower in reduced.context.towers
            gradient = row.gradients[reduced.context.towers.index(tower) if trains else 0]
            rows.append(_row(row, group.copies[tower], gradient))
    return reduced._replace(rows=rows)


def own_rows(
    of_towers: Sequence[TowerGradients], variables: TowerVariables, workers: Optional[Workers] = None
) -> TowerGradients:
    """Returns the towers' own gradients as one set of rows, each tower's for its own copies.

    A shared variable gets the mean of the towers' gradients, of those of all workers. Where one tower's reduction
    applies nothing in a step, as a loss scale does for an infinite gradient, the step applies nothing in any tower.

    Args:
      of_towers: one per training tower, each of a reduction over this tower alone; the rows' variables are the
        plain-named ones, or the tower's own.
      workers: the workers of a cluster, of which one has these towers; None for one process.

    Raises:
      ArgumentError: there is no tower.
      TowerError: only some towers have a gradient for a shared variable.
    """
    if not of_towers:
        raise ArgumentError("no towers: give each tower's gradients")
    rows: List[GradientRow] = []
    shared: List[GradientPairs] = []
    devices = [device for gradients in of_towers for device in gradients.context.devices]
    for gradients in of_towers:
        shared.append([])
        for row in gradients.rows:
            if variables.group_of(row.variable) is None:
                shared[-1].append((row.gradients[0], row.variable))
            else:
                own = variables.own(gradients.context.towers[0], row.variable)
                rows.append(_row(row, own, row.gradients[0]))
    if any(shared):
        of_shared = reduce_gradients(shared, mean(on="variable"), devices, scope="shared_variables").rows
        rows += of_shared if workers is None else over_workers(of_shared, workers, False, "shared_variables")
    unconditional_ops = tuple(each for gradients in of_towers for each in gradients.unconditional_ops)
    context = of_towers[0].context
    context = context._replace(
        devices=devices,
        towers=[tower for gradients in of_towers for tower in gradients.context.towers],
    )
    return TowerGradients(rows, context, True, all_apply(of_towers), unconditional_ops)


def all_apply(of_towers: Sequence[TowerGradients]) -> Optional[Tensor]:
    """Returns a boolean scalar tensor, whether a step applies all gradients; None: every step does."""
    conditions = [gradients.apply_if for gradients in of_towers if gradients.apply_if is not None]
    return tf.reduce_all(tf.stack(conditions)) if conditions else None


def create_center_slots(optimizer: Optimizer, plain: Sequence[Variable]) -> None:
    """Creates the optimizer's slots for variables that no tower uses, so that checkpoints have slots by plain names."""
    if not plain:
        return
    # The operation that is created with them is never run.
    optimizer.apply_gradients([(tf.zeros_like(variable), variable) for variable in plain])


@contextlib.contextmanager
def registering_slots(variables: TowerVariables) -> Iterator[None]:
    """Registers the slots that an optimizer creates inside of this context as copies, like their variables.

    The slots of copies become local variables; slots with plain names stay in checkpoints.

    Raises:
      TowerError: a copy has a slot, but the plain-named variable has none.
    """
    before = {id(variable) for variable in tf.global_variables()}
    yield
    created = [variable for variable in tf.global_variables() if id(variable) not in before]
    by_name = {str(variable.op.name): variable for variable in tf.global_variables()}
    groups: Dict[str, Dict[int, Variable]] = {}
    for slot in created:
        found = _owner_of_slot(str(slot.op.name), variables)
        if found is None:
            continue
        group, tower, plain_name = found
        if plain_name not in by_name:
            raise TowerError(
                "the optimizer creates {!r} for tower {}'s copy of {!r}, but not {!r}: its state for each variable "
                "could not be saved in checkpoints".format(slot.op.name, tower, group.plain.op.name, plain_name)
            )
        groups.setdefault(plain_name, {})[tower] = slot
    move_to_local([copy for copies in groups.values() for copy in copies.values()])
    for plain_name, copies in groups.items():
        plain = by_name[plain_name]
        if not variables.center:
            copies[0] = plain
        variables.register(plain, copies)


def _owner_of_slot(name: str, variables: TowerVariables) -> Optional[Tuple[CopiedVariable, int, str]]:
    """Returns (w's copies, tower 1, "w/Momentum") for the slot "w/replica_1/Momentum"; None for other variables."""
    scopes = name.split("/")
    for end in range(len(scopes) - 1, 0, -1):
        for start in range(end):
            owner = "/".join(scopes[start:end])
            group = variables.group_of_name(owner)
            if group is None or group.plain.op.name == owner:
                continue
            (tower,) = [each for each, copy in group.copies.items() if copy.op.name == owner]
            return group, tower, "/".join(scopes[:start] + [str(group.plain.op.name)] + scopes[end:])
    return None


def _row(row: GradientRow, variable: Variable, gradient: Optional[Gradient]) -> GradientRow:
    return row._replace(
        name=str(variable.op.name), variable=variable, gradients=[gradient], device=variable.device or ""
    )
