"""Checks of objectives that need no graph: names, steps, optimizers."""
import re
from typing import Any, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Optimizer, Variable
from legacy_towers.text.names import quoted

_NAME = re.compile(r"^[A-Za-z0-9_./-]+$")


def check_objectives(objectives: Sequence[Any]) -> None:
    """Raises ArgumentError where names, variables or steps of objectives don't fit together."""
    names = [objective.name for objective in objectives]
    for objective in objectives:
        if not isinstance(objective.name, str) or not objective.name or names.count(objective.name) > 1:
            raise ArgumentError("the objectives are named {}: each needs a name of its own".format(quoted(names)))
        if not _NAME.match(objective.name):
            raise ArgumentError(
                "the objective {!r}: its name is used in the names of operations, which have letters, digits, '_', "
                "'.', '-' and '/' only".format(objective.name)
            )
        if objective.variables is None and len(objectives) > 1:
            raise ArgumentError(
                "the objective {!r} has no variables: name those that it trains, such as variables={!r} for a variable "
                "scope".format(objective.name, objective.name)
            )
        is_number = isinstance(objective.steps, int) and not isinstance(objective.steps, bool)
        if objective.steps is not None and not (is_number and objective.steps >= 1):
            raise ArgumentError(
                "the objective {!r} has steps={!r}: give a whole number of at least 1".format(
                    objective.name, objective.steps
                )
            )
    with_steps = [objective.name for objective in objectives if objective.steps is not None]
    if with_steps and len(with_steps) < len(objectives):
        raise ArgumentError(
            "only {} of the objectives {} {} steps: give steps to all of them to alternate, or to none to train them "
            "jointly".format(quoted(with_steps), quoted(names), "has" if len(with_steps) == 1 else "have")
        )


def check_own_optimizers(objectives: Sequence[Any]) -> None:
    """Raises ArgumentError where two objectives have the same optimizer object."""
    for number, objective in enumerate(objectives):
        sharing = [other.name for other in objectives[number:] if other.optimizer is objective.optimizer]
        if len(sharing) > 1:
            raise ArgumentError(
                "the objectives {} share one {}: its state for all variables, such as the powers of Adam's betas, "
                "would be updated once for each of them. Make an optimizer for each objective".format(
                    quoted(sharing), type(objective.optimizer).__name__
                )
            )


def ready_optimizer(optimizer: Any, global_step: Variable, name: str) -> Optimizer:
    """Returns an optimizer: the given one, or what a given function of the global step returns.

    Args:
      optimizer: a `tf.train.Optimizer`, or a function that takes the global step and returns one.

    Raises:
      ArgumentError: it is something else, such as an optimizer's class.
    """
    if isinstance(optimizer, type):
        raise ArgumentError(
            "{} is the class {}: give an instance, such as {}(0.1), or a function that takes the global step and "
            "returns one".format(name, optimizer.__name__, optimizer.__name__)
        )
    if callable(optimizer):
        return check_optimizer(optimizer(global_step), "the optimizer function returned")
    return check_optimizer(optimizer, name + " is")


def check_optimizer(optimizer: Any, subject: str) -> Optimizer:
    """Returns an optimizer; raises ArgumentError, which begins with `subject`, unless it has an optimizer's methods."""
    if not (hasattr(optimizer, "compute_gradients") and hasattr(optimizer, "apply_gradients")):
        raise ArgumentError(
            "{} {!r}: give a tf.train.Optimizer, such as tf.train.MomentumOptimizer(0.1, 0.9), or a function that "
            "takes the global step and returns one".format(subject, optimizer)
        )
    return optimizer
