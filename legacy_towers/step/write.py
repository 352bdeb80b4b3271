"""The operations that write the variables, of each part and of all together."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients, as_reduction, pairs_of
from legacy_towers.step.part_gradients import PartGradients, after_all
from legacy_towers.step.setup import Setup
from legacy_towers.step.train_step import GradientPairs, PartStep
from legacy_towers.step.turns import Turns
from legacy_towers.towers.output import WHOLE
from legacy_towers.update import apply_own, apply_reduced, combine_update_ops
from legacy_towers.update.apply import average
from legacy_towers.update.asynchronous import TowerUpdate, asynchronous_updates
from legacy_towers.update.copies import all_apply
from legacy_towers.update.update_ops import written_variable
from legacy_towers.variables.copies import TowerVariables


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
    """Returns the operations that apply the parts' gradients, as the strategy wants them applied."""
    kinds = {"reduced": _in_step, "own": _in_step, "asynchronous": _asynchronous}
    written = kinds[setup.strategy.updates](setup, gradients)
    hooks = [
        hook
        for of_part in gradients
        for hook in as_reduction(of_part.part.reduction or setup.reduction).hooks(of_part.reduced[0].site)
    ]
    return written._replace(hooks=written.hooks + setup.strategy.attach(setup.variables) + hooks)


def _in_step(setup: Setup, gradients: Sequence[PartGradients]) -> Written:
    """All towers write in one run: each part in its own turn, or together with the others."""
    takes_turns = gradients[0].part.steps is not None
    ready = [of_part.reduced for of_part in gradients]
    if not takes_turns:
        ready = after_all(ready)
    update_ops = [_update_ops(setup, [each.part for each in gradients], number) for number in range(len(gradients))]
    with tf.control_dependencies(list(setup.after)):
        counted = takes_turns or len(gradients) == 1
        ops = [_applied(setup, *each, counts=counted) for each in zip(gradients, ready, update_ops)]
        if not counted:
            with tf.control_dependencies(ops):
                ops = [tf.group(tf.assign_add(setup.global_step, 1).op, *ops)]
        # When all parts have made their optimizers' slots.
        written = list(zip(gradients, ready))
        ops = [_finished(setup, op, [written[number]] if takes_turns else written) for number, op in enumerate(ops)]
    schedule = [of_part.part.name for of_part in gradients for _ in range(of_part.part.steps or 0)]
    in_turns = {of_part.part.name: op for of_part, op in zip(gradients, ops)} if takes_turns else {}
    return _written(gradients, Turns(in_turns, schedule, None if takes_turns else ops[0]), [])


def _finished(setup: Setup, op: Any, written: Sequence[Tuple[PartGradients, Sequence[TowerGradients]]]) -> Any:
    """Returns the operation with what the strategy does after each step, and what comes behind that.

    Args:
      setup: of the step.
      op: writes the variables.
      written: the parts that it is of, and what it applies.
    """
    with tf.control_dependencies([op]):
        after = setup.strategy.after_step(setup.variables, setup.global_step)
    ops = [op] if after is None else [op, after]
    if setup.strategy.updates == "own" and setup.moving_averages is not None:
        # Of the variables as they are when the towers have met.
        with tf.control_dependencies(ops):
            ops += [average(setup.moving_averages, part.variables, all_apply(ready)) for part, ready in written]
    return op if len(ops) == 1 else tf.group(*ops, name="train_op")


def _asynchronous(setup: Setup, gradients: Sequence[PartGradients]) -> Written:
    """Each tower applies its own, whenever it has them: tower 0 in the caller's loop, the others in threads."""
    if gradients[0].part.steps is not None:
        raise ArgumentError(
            "{!r} with parts that take turns: the towers would be at different turns. Leave out the steps of each "
            "lt.Part, to run the parts together, or take another strategy".format(setup.strategy)
        )
    updates = [
        TowerUpdate(
            tower.index,
            [(of_part.part.optimizer, of_part.reduced[number]) for of_part in gradients],
            tower.collected.update_ops,
        )
        for number, tower in enumerate(setup.training)
    ]
    averaged = [variable for of_part in gradients for variable in of_part.variables]
    made = asynchronous_updates(updates, setup.global_step, setup.host, setup.moving_averages, averaged)
    return _written(gradients, Turns({}, [], made.hook.needing_towers(made.train_ops[0])), [made.hook])


def _written(gradients: Sequence[PartGradients], turns: Turns, hooks: List[Any]) -> Written:
    parts = {
        name: PartStep(name, turns.ops.get(name), of_part.loss, pairs_of(of_part.reduced[0]), of_part.variables)
        for name, of_part in ((each.part.name, each) for each in gradients)
    }
    pairs = [pair for part in parts.values() for pair in part.gradients]
    return Written(turns, {} if list(parts) == [WHOLE] else parts, pairs, hooks)


def _applied(
    setup: Setup,
    of_part: PartGradients,
    ready: Sequence[TowerGradients],
    update_ops: Sequence[Any],
    counts: bool,
) -> Any:
    optimizer = of_part.part.optimizer
    options: Dict[str, Any] = {
        "global_step": setup.global_step if counts else None,
        "update_ops": update_ops,
    }
    if setup.strategy.updates == "own":
        return apply_own(optimizer, ready, setup.variables, **options)
    options.update(moving_averages=setup.moving_averages, averaged_variables=of_part.variables)
    return apply_reduced(optimizer, ready[0], variables=_copies(setup), **options)


def _copies(setup: Setup) -> Optional[TowerVariables]:
    return setup.variables if setup.strategy.copies else None


def _update_ops(setup: Setup, parts: Sequence[Any], number: int) -> List[Any]:
    """Returns the update ops of one part: those that write what lies in its scopes, and those of no part's scopes."""
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
    return combine_update_ops(of_towers, setup.update_ops, setup.shares, setup.after, _copies(setup))
