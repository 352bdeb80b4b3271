"""The objectives of a step: several losses, each with its own variables and optimizer, as a GAN has them."""
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.compat.versions import variable_store
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import ReductionLike
from legacy_towers.gradients.named import reduction_from
from legacy_towers.step.objective_checks import (
    check_objectives,
    check_optimizer,
    check_own_optimizers,
    ready_optimizer,
)
from legacy_towers.tensor_types import Optimizer, Tensor, Variable
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import quoted
from legacy_towers.towers.output import WHOLE


@documented_fields
class Objective(NamedTuple):
    """One of several losses of a step: the variables that it trains, and their optimizer.

        optimizer=[
            lt.Objective("discriminator", tf.train.AdamOptimizer(1e-4), variables="discriminator", steps=5),
            lt.Objective("generator", tf.train.AdamOptimizer(1e-4), variables="generator", steps=1),
        ]

    Attributes:
      name: the key of its loss in `TowerOutput(loss={...})`.
      optimizer: a `tf.train.Optimizer`, or a function that takes the global step and returns one. Objectives can't
        share an optimizer.
      variables: what it trains: a variable scope ("generator"), a list of scopes, or a list of variables; None, for a
        single objective: all trainable variables.
      steps: where objectives alternate, in the order in which they are given: how many steps in a row train this one.
        None, for all of them: each step trains all objectives jointly.
      reduction: its gradient reduction, or the name of one; None: the one of `build_train_step(reduction=...)`.
    """

    name: str
    optimizer: Union[Optimizer, Callable[[Variable], Optimizer]]
    variables: Union[None, str, Sequence[Any]] = None
    steps: Optional[int] = None
    reduction: Union[None, str, ReductionLike] = None

    def owns(self, name: str) -> bool:
        """Returns whether a variable of this name is in one of the objective's scopes."""
        return any(name == scope or name.startswith(scope + "/") for scope in self._scopes())

    def _scopes(self) -> List[str]:
        given = [self.variables] if isinstance(self.variables, str) else self.variables or []
        return [each.rstrip("/") for each in given if isinstance(each, str)]


def objectives_of(optimizer: Any, global_step: Variable) -> List[Objective]:
    """Returns the objectives of a step, with optimizers in place of the functions that make them.

    Args:
      optimizer: a `tf.train.Optimizer`, a list of `Objective`, or a function that takes the global step and returns
        either. A single optimizer becomes an objective named WHOLE, which trains everything.

    Raises:
      ArgumentError: it is none of these; or the objectives' names, variables, optimizers or steps don't fit together.
    """
    found = optimizer
    if callable(optimizer) and not isinstance(optimizer, type):
        found = optimizer(global_step)
    if isinstance(found, Objective):
        raise ArgumentError(
            "optimizer is the single objective {!r}: give a list, [lt.Objective(...)]".format(found.name)
        )
    if not isinstance(found, (list, tuple)):
        if found is optimizer:
            return [Objective(WHOLE, ready_optimizer(optimizer, global_step, "optimizer"))]
        return [Objective(WHOLE, check_optimizer(found, "the optimizer function returned"))]
    objectives = list(found)
    if not objectives or not all(isinstance(each, Objective) for each in objectives):
        raise ArgumentError(
            "optimizer is a list, so its members must be lt.Objective(name, optimizer, variables=...); got {!r}".format(
                objectives
            )
        )
    check_objectives(objectives)
    objectives = [
        objective._replace(
            optimizer=ready_optimizer(
                objective.optimizer, global_step, "the optimizer of objective {!r}".format(objective.name)
            ),
            variables=_with_slices(objective),
            reduction=None
            if objective.reduction is None
            else reduction_from(objective.reduction, "the reduction of objective {!r}".format(objective.name)),
        )
        for objective in objectives
    ]
    check_own_optimizers(objectives)
    return objectives


def _with_slices(objective: Objective) -> Union[None, str, List[Any]]:
    """Returns what an objective trains, with the slices of a partitioned variable, which are trained, in its place.

    Raises:
      ArgumentError: these are neither scopes nor variables, or there are none.
    """
    if objective.variables is None or isinstance(objective.variables, str) and objective.variables:
        return objective.variables
    # TensorFlow would iterate over the rows of a single variable.
    if hasattr(objective.variables, "op") or not isinstance(objective.variables, Iterable):
        raise ArgumentError(
            "the objective {!r} has variables={!r}: give a variable scope, such as variables={!r}, or a list of scopes "
            "or variables".format(objective.name, objective.variables, objective.name)
        )
    given = list(objective.variables)
    if not given:
        raise ArgumentError(
            "the objective {!r} has variables={!r}, and would train nothing: name what it trains, such as "
            "variables={!r} for a variable scope; a single objective trains everything with variables=None".format(
                objective.name, objective.variables, objective.name
            )
        )
    found = [part for each in given for part in variable_store.parts_of(each)]
    for each in found:
        if not (each if isinstance(each, str) else hasattr(each, "op")):
            raise ArgumentError(
                "the objective {!r} has {!r} among its variables: give variable scopes, such as {!r}, or "
                "variables".format(objective.name, each, objective.name)
            )
    return found


def trained_variables(var_list: Optional[Sequence[Variable]]) -> List[Variable]:
    """Returns the variables that a step trains, with the slices of a partitioned variable in its place.

    Args:
      var_list: as for `build_train_step`; None: all trainable variables of the graph.

    Raises:
      ArgumentError: `var_list` is not a list of variables, or it is empty.
      TowerError: the graph has no trainable variable.
    """
    if var_list is None:
        if not tf.trainable_variables():
            raise TowerError(
                "there is nothing to train: no variable of the graph is trainable. Create the model's variables inside "
                "the model function, by tf.get_variable or tf.layers, without trainable=False"
            )
        return list(tf.trainable_variables())
    is_list = isinstance(var_list, Iterable) and not isinstance(var_list, str) and not hasattr(var_list, "op")
    found = [part for each in var_list for part in variable_store.parts_of(each)] if is_list else []
    if not found or not all(hasattr(each, "op") for each in found):
        raise ArgumentError("var_list is {!r}: give a list of variables, of at least one".format(var_list))
    return found


def variables_of_objectives(objectives: Sequence[Objective], trained: Sequence[Variable]) -> Dict[str, List[Variable]]:
    """Returns name of an objective -> the variables that it trains, in the order of `trained`.

    Raises:
      TowerError: a variable belongs to no objective or to several, or an objective has none; the message names both.
    """
    if len(objectives) == 1 and objectives[0].variables is None:
        return {objectives[0].name: list(trained)}
    chosen = {objective.name: _variables_of(objective, trained) for objective in objectives}
    for variable in trained:
        owners = [name for name, variables in chosen.items() if any(variable is each for each in variables)]
        if len(owners) > 1:
            raise TowerError(
                "the variable {!r} belongs to the objectives {}: each variable is trained by one".format(
                    variable.op.name, quoted(owners)
                )
            )
    owned = {id(variable) for variables in chosen.values() for variable in variables}
    forgotten = [variable.op.name for variable in trained if id(variable) not in owned]
    if forgotten:
        raise TowerError(
            "no objective trains {}: the objectives have {}. Add their scope to an objective's variables, or, if they "
            "are to stay as they are, pass var_list=[...] without them".format(
                quoted(forgotten), "; ".join("{}: {}".format(each.name, _selector(each)) for each in objectives)
            )
        )
    return chosen


def _variables_of(objective: Objective, trained: Sequence[Variable]) -> List[Variable]:
    given = {id(each) for each in objective.variables or [] if not isinstance(each, str)}
    found = [variable for variable in trained if id(variable) in given or objective.owns(str(variable.op.name))]
    missing = given - {id(variable) for variable in trained}
    if missing:
        names = [
            each.op.name for each in objective.variables or [] if not isinstance(each, str) and id(each) in missing
        ]
        raise TowerError(
            "the objective {!r} has {} among its variables, which {} not among those that the step trains".format(
                objective.name, quoted(names), "is" if len(names) == 1 else "are"
            )
        )
    if not found:
        raise TowerError(
            "the objective {!r} has no variables: none of {} lies in {}".format(
                objective.name,
                quoted(variable.op.name for variable in trained) or "the graph's trainable variables",
                _selector(objective),
            )
        )
    return found


def _selector(objective: Objective) -> str:
    if isinstance(objective.variables, str):
        return repr(objective.variables)
    return quoted(each if isinstance(each, str) else each.op.name for each in objective.variables or [])


def check_losses(objectives: Sequence[Objective], losses: Dict[str, Tensor], tower: int) -> None:
    """Raises TowerError unless a tower has one loss for each objective and no other."""
    names = [objective.name for objective in objectives]
    if set(names) == set(losses):
        return
    if names == [WHOLE]:
        raise TowerError(
            "tower {} returned the losses {}: give the optimizer of each as a list of lt.Objective(name, optimizer, "
            "variables=...)".format(tower, quoted(losses))
        )
    raise TowerError(
        "the objectives are {}, but tower {} returned {}: return TowerOutput(loss={{...}}) with one loss per "
        "objective".format(
            quoted(names), tower, "a single loss" if list(losses) == [WHOLE] else "the losses " + quoted(losses)
        )
    )
