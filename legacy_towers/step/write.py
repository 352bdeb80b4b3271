"""The operations that write the variables, of each part and of all together."""
from typing import Any, Dict, List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients, pairs_of
from legacy_towers.step.part_gradients import PartGradients, after_all
from legacy_towers.step.setup import Setup
from legacy_towers.step.train_step import GradientPairs, PartStep
from legacy_towers.step.turns import Turns
from legacy_towers.towers.output import WHOLE
from legacy_towers.update import apply_reduced, combine_update_ops
from legacy_towers.update.update_ops import check_policy, written_variable


class Written(NamedTuple):
    """What writes the variables.

    Attributes:
      turns: the train op of each step.
      parts: name -> part; {} where there is one.
      gradients: (gradient, variable) pairs of all parts.
      hooks: what must run beside.
    """

    turns: Turns
    parts: Dict[str, PartStep]
    gradients: GradientPairs
    hooks: List[Any]


def write(setup: Setup, gradients: Sequence[PartGradients]) -> Written:
    """Returns the operations that apply the parts' gradients, one by one or together."""
    if setup.strategy.updates != "reduced":
        raise ArgumentError("{!r} is not supported yet".format(setup.strategy))
    takes_turns = gradients[0].part.steps is not None
    ops = [of_part.reduced[0] for of_part in gradients]
    if not takes_turns:
        ops = after_all(ops)
    update_ops = [_update_ops(setup, [each.part for each in gradients], number) for number in range(len(gradients))]
    with tf.control_dependencies(list(setup.after)):
        if takes_turns:
            applied = [_applied(setup, *each, counts=True) for each in zip(gradients, ops, update_ops)]
            together = None
        elif len(gradients) == 1:
            together = _applied(setup, gradients[0], ops[0], update_ops[0], counts=True)
            applied = [None]
        else:
            each_one = [_applied(setup, *each, counts=False) for each in zip(gradients, ops, update_ops)]
            with tf.control_dependencies(each_one):
                together = tf.group(tf.assign_add(setup.global_step, 1).op, *each_one, name="train_op")
            applied = [None] * len(gradients)
    parts = {
        of_part.part.name: PartStep(of_part.part.name, op, of_part.loss, pairs_of(reduced), of_part.variables)
        for of_part, op, reduced in zip(gradients, applied, ops)
    }
    schedule = [of_part.part.name for of_part in gradients for _ in range(of_part.part.steps or 0)]
    turns = Turns({name: part.train_op for name, part in parts.items() if takes_turns}, schedule, together)
    pairs = [pair for reduced in ops for pair in pairs_of(reduced)]
    return Written(turns, {} if list(parts) == [WHOLE] else parts, pairs, [])


def _applied(
    setup: Setup, of_part: PartGradients, reduced: TowerGradients, update_ops: Sequence[Any], counts: bool
) -> Any:
    return apply_reduced(
        of_part.part.optimizer,
        reduced,
        setup.global_step if counts else None,
        update_ops=update_ops,
        moving_averages=setup.moving_averages,
        averaged_variables=of_part.variables,
    )


def _update_ops(setup: Setup, parts: Sequence[Any], number: int) -> List[Any]:
    """Returns the update ops of one part: those that write what lies in its scopes, and those of no part's scopes."""
    policy = setup.update_ops or "first"
    check_policy(policy)
    of_towers = []
    for tower in setup.training:
        kept = []
        for update in tower.collected.update_ops:
            name = written_variable(update)
            owners = [part for part in parts if name is not None and part.owns(name)]
            # What is of no part runs once in each step.
            if parts[number] in owners or not owners and (number == 0 or parts[number].steps is not None):
                kept.append(update)
        of_towers.append(kept)
    return combine_update_ops(of_towers, policy, setup.shares, setup.after)
