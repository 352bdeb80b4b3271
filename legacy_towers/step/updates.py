"""The operations that write the variables: of each objective, and of all objectives together."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients, pairs_of
from legacy_towers.gradients.named import reduction_from
from legacy_towers.step.objective_gradients import ObjectiveGradients, after_all
from legacy_towers.step.objectives import Objective
from legacy_towers.step.setup import Setup
from legacy_towers.step.skipping import Guarded
from legacy_towers.step.train_step import ObjectiveStep, TrainOpSchedule
from legacy_towers.tensor_types import GradientPairs, Operation, SessionRunHook
from legacy_towers.towers.output import WHOLE
from legacy_towers.update import apply_own, apply_reduced, combine_update_ops
from legacy_towers.update.apply import average
from legacy_towers.update.asynchronous import TowerUpdate, asynchronous_updates
from legacy_towers.update.copies import all_apply
from legacy_towers.update.update_ops import written_variable
from legacy_towers.variables.tower_variables import TowerVariables


class Updates(NamedTuple):
    """What writes the variables of a step.

    Attributes:
      schedule: the train op of each step.
      objectives: name -> objective; {} where the model has one loss.
      gradients: (gradient, variable) pairs of all objectives.
      hooks: `tf.train.SessionRunHook`s to run with the train ops.
    """

    schedule: TrainOpSchedule
    objectives: Dict[str, ObjectiveStep]
    gradients: GradientPairs
    hooks: List[SessionRunHook]


def build_updates(setup: Setup, checked: Guarded) -> Updates:
    """Returns the operations that apply the objectives' gradients as the strategy says."""
    gradients = checked.gradients
    if setup.strategy.updates == "asynchronous":
        updates = _asynchronous(setup, gradients)
    else:
        updates = _synchronous(setup, checked)
    hooks = []
    for each in gradients:
        reduction = reduction_from(each.objective.reduction or setup.options.reduction)
        hooks += reduction.hooks(each.reduced[0].context)
    return updates._replace(hooks=updates.hooks + setup.strategy.attach(setup.variables) + hooks)


def _synchronous(setup: Setup, checked: Guarded) -> Updates:
    """All towers write in one session run: each objective at its own steps, or all objectives in each step."""
    gradients = checked.gradients
    alternate = gradients[0].objective.steps is not None
    ready = [each.reduced for each in gradients]
    if not alternate:
        ready = after_all(ready)
    objectives = [each.objective for each in gradients]
    update_ops = [_update_ops(setup, objectives, number, checked) for number in range(len(gradients))]
    with tf.control_dependencies(setup.before_writes):
        counts_step = alternate or len(gradients) == 1
        ops = [_apply(setup, *each, counts_step=counts_step) for each in zip(gradients, ready, update_ops)]
        if not counts_step:
            with tf.control_dependencies(ops):
                ops = [tf.group(tf.assign_add(setup.global_step, 1).op, *ops)]
        # After all objectives have created their optimizers' slots, which the strategy may have to synchronize.
        applied = list(zip(gradients, ready))
        ops = [
            _with_after_step(setup, op, [applied[number]] if alternate else applied) for number, op in enumerate(ops)
        ]
    if not alternate:
        return _collect(gradients, TrainOpSchedule({}, [], ops[0]), [])
    order = [objective.name for objective in objectives for _ in range(objective.steps or 0)]
    objective_ops = {objective.name: op for objective, op in zip(objectives, ops)}
    return _collect(gradients, TrainOpSchedule(objective_ops, order, None), [])


def _with_after_step(
    setup: Setup, op: Operation, applied: Sequence[Tuple[ObjectiveGradients, Sequence[TowerGradients]]]
) -> Operation:
    """Returns the operation together with what the strategy runs after each step, and what must come after that.

    Args:
      applied: the objectives that it trains, and the gradients that it applies.
    """
    with tf.control_dependencies([op]):
        after = setup.strategy.after_step(setup.variables, setup.global_step)
    ops = [op] if after is None else [op, after]
    if setup.strategy.updates == "own" and setup.moving_averages is not None:
        # Of the variables as they are after the towers' copies have been averaged.
        with tf.control_dependencies(ops):
            ops += [average(setup.moving_averages, each.variables, all_apply(ready)) for each, ready in applied]
    return op if len(ops) == 1 else tf.group(*ops, name="train_op")


def _asynchronous(setup: Setup, gradients: Sequence[ObjectiveGradients]) -> Updates:
    """Each tower applies its own gradients in its own runs: tower 0 in the caller's loop, the others in threads."""
    if gradients[0].objective.steps is not None:
        raise ArgumentError(
            "{!r} with objectives that alternate: the towers would train different objectives at the same time. Leave "
            "out the steps of each lt.Objective to train them jointly, or use another strategy".format(setup.strategy)
        )
    updates = [
        TowerUpdate(
            tower.index,
            [(each.objective.optimizer, each.reduced[number]) for each in gradients],
            tower.collected.update_ops,
        )
        for number, tower in enumerate(setup.training)
    ]
    averaged = [variable for each in gradients for variable in each.variables]
    workers = setup.options.workers
    # The lock is one for the towers of all workers.
    host = workers.host if isinstance(workers, ParameterServerWorkers) else setup.host
    built = asynchronous_updates(updates, setup.global_step, host, setup.moving_averages, averaged)
    position = setup.batches.position
    if position is not None:
        built.hook.count_examples(position.advance, setup.batches.ids)
        position.is_settled = built.hook.is_paused
    train_op = built.hook.needing_towers(built.train_ops[0])
    return _collect(gradients, TrainOpSchedule({}, [], train_op), [built.hook])


def _collect(
    gradients: Sequence[ObjectiveGradients], schedule: TrainOpSchedule, hooks: List[SessionRunHook]
) -> Updates:
    objectives = {}
    for each in gradients:
        name = each.objective.name
        objectives[name] = ObjectiveStep(
            name, schedule.objective_ops.get(name), each.loss, pairs_of(each.reduced[0]), each.variables
        )
    pairs = [pair for objective in objectives.values() for pair in objective.gradients]
    return Updates(schedule, {} if list(objectives) == [WHOLE] else objectives, pairs, hooks)


def _apply(
    setup: Setup,
    gradients: ObjectiveGradients,
    ready: Sequence[TowerGradients],
    update_ops: Sequence[Operation],
    counts_step: bool,
) -> Operation:
    optimizer = gradients.objective.optimizer
    options: Dict[str, Any] = {
        "global_step": setup.global_step if counts_step else None,
        "update_ops": update_ops,
    }
    if setup.strategy.updates == "own":
        return apply_own(optimizer, ready, setup.variables, workers=setup.options.workers, **options)
    options.update(moving_averages=setup.moving_averages, averaged_variables=gradients.variables)
    return apply_reduced(optimizer, ready[0], variables=_copies(setup), **options)


def _copies(setup: Setup) -> Optional[TowerVariables]:
    return setup.variables if setup.strategy.copies else None


def _update_ops(
    setup: Setup, objectives: Sequence[Objective], number: int, checked: Guarded
) -> List[Operation]:
    """Returns the update ops to run with objective `number`.

    These are the ones that write into its scopes. Those that write into no objective's scopes run once in each step:
    with every objective where objectives alternate, else with the first.
    """
    of_towers = []
    for tower in setup.training:
        kept = []
        for update in tower.collected.update_ops:
            name = written_variable(update)
            owners = [objective for objective in objectives if name is not None and objective.owns(name)]
            runs_with_all = not owners and (number == 0 or objectives[number].steps is not None)
            if objectives[number] in owners or runs_with_all:
                kept.append(update)
        of_towers.append(kept)
    return combine_update_ops(
        of_towers, setup.options.update_ops, setup.tower_weights, setup.before_writes, _copies(setup),
        checked.is_finite.get(objectives[number].name), setup.options.workers,
    )
