"""The parts of a step: several losses, each with its own variables and optimizer, as a GAN has them."""
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.compat import tf, variable_store
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import ReductionLike
from legacy_towers.names import quoted
from legacy_towers.towers.output import WHOLE

_NAME = re.compile(r"^[A-Za-z0-9_./-]+$")


class Part(NamedTuple):
    """One part of a step: a loss, the variables that it trains, and their optimizer.

    Attributes:
      name: the key of its loss in `TowerOutput(loss={...})`.
      optimizer: a `tf.train.Optimizer`, or a function that takes the global step and returns one; each part has one of
        its own.
      variables: what it trains: a variable scope ("generator"), a list of scopes, or a list of variables; None, for a
        part that is alone, all trainable ones.
      steps: how many steps in a row belong to it, where parts take turns in the order in which they are given; None
        where all parts are run together in each step.
      reduction: how its gradients meet, whatever is chosen for the step; None: as `build_train_step(reduction=...)`
        says.
    """

    name: str
    optimizer: Any
    variables: Union[None, str, Sequence[Any]] = None
    steps: Optional[int] = None
    reduction: Optional[ReductionLike] = None

    def owns(self, name: str) -> bool:
        """Returns whether a variable of this name lies in one of the part's scopes."""
        return any(name == scope or name.startswith(scope + "/") for scope in self._scopes())

    def _scopes(self) -> List[str]:
        given = [self.variables] if isinstance(self.variables, str) else self.variables or []
        return [each.rstrip("/") for each in given if isinstance(each, str)]


def parts_of(optimizer: Any, global_step: Any) -> List[Part]:
    """Returns the parts with ready optimizers; a single optimizer is a part named WHOLE that trains everything.

    Args:
      optimizer: a `tf.train.Optimizer`, a list of parts, or a function that takes the global step and returns either.
      global_step: the global step variable.

    Raises:
      ArgumentError: it is none of these; or the parts' names, variables, optimizers or steps don't fit together.
    """
    made = optimizer
    if callable(optimizer) and not isinstance(optimizer, type):
        made = optimizer(global_step)
    if isinstance(made, Part):
        raise ArgumentError("optimizer is the part {!r} alone: give a list of parts, [lt.Part(...)]".format(made.name))
    if not isinstance(made, (list, tuple)):
        return [Part(WHOLE, _ready(optimizer, global_step, "optimizer") if made is optimizer else _checked(made))]
    parts = list(made)
    _check_parts(parts)
    parts = [
        part._replace(
            optimizer=_ready(part.optimizer, global_step, "the optimizer of part {!r}".format(part.name)),
            variables=_pieces(part),
        )
        for part in parts
    ]
    _check_own_optimizers(parts)
    return parts


def _pieces(part: Part) -> Union[None, str, List[Any]]:
    """Returns what a part is to train, with the pieces of a partitioned variable, which are trained, in its place.

    Raises:
      ArgumentError: that are no scopes and no variables, or none at all.
    """
    if part.variables is None or isinstance(part.variables, str) and part.variables:
        return part.variables
    # TensorFlow would iterate over the rows of a single variable.
    if hasattr(part.variables, "op") or not isinstance(part.variables, Iterable):
        raise ArgumentError(
            "the part {!r} has variables={!r}: give a variable scope, such as variables={!r}, or a list of scopes or "
            "variables".format(part.name, part.variables, part.name)
        )
    given = list(part.variables)
    if not given:
        raise ArgumentError(
            "the part {!r} has variables={!r}, and would train nothing: name what it trains, such as variables={!r} "
            "for a variable scope; a part that is alone trains everything with variables=None".format(
                part.name, part.variables, part.name
            )
        )
    found = [piece for each in given for piece in variable_store.parts_of(each)]
    for each in found:
        if not (each if isinstance(each, str) else hasattr(each, "op")):
            raise ArgumentError(
                "the part {!r} has {!r} among its variables: give variable scopes, such as {!r}, or "
                "variables".format(part.name, each, part.name)
            )
    return found


def trained_variables(var_list: Optional[Sequence[Any]]) -> List[Any]:
    """Returns the variables that a step is to train, with the pieces of a partitioned one in its place.

    Args:
      var_list: as for `build_train_step`; None: all trainable ones of the graph.

    Raises:
      ArgumentError: it is no list of variables, or an empty one.
      TowerError: there is none in the graph.
    """
    if var_list is None:
        if not tf.trainable_variables():
            raise TowerError(
                "there is nothing to train: no variable of the graph is trainable. Make the model's variables inside "
                "the model function, by tf.get_variable or tf.layers, without trainable=False"
            )
        return list(tf.trainable_variables())
    is_list = isinstance(var_list, Iterable) and not isinstance(var_list, str) and not hasattr(var_list, "op")
    found = [piece for each in var_list for piece in variable_store.parts_of(each)] if is_list else []
    if not found or not all(hasattr(each, "op") for each in found):
        raise ArgumentError("var_list is {!r}: give a list of variables, of at least one".format(var_list))
    return found


def variables_of(parts: Sequence[Part], trained: Sequence[Any]) -> Dict[str, List[Any]]:
    """Returns name of a part -> the variables that it trains, in the order of `trained`.

    Args:
      parts: the parts.
      trained: all variables that are to be trained.

    Raises:
      TowerError: a variable belongs to two parts or to none, or a part has none; names them.
    """
    if len(parts) == 1 and parts[0].variables is None:
        return {parts[0].name: list(trained)}
    chosen = {part.name: _chosen(part, trained) for part in parts}
    for variable in trained:
        owners = [name for name in chosen if any(each is variable for each in chosen[name])]
        if len(owners) > 1:
            raise TowerError(
                "the variable {!r} belongs to the parts {}: each variable is trained by one part alone".format(
                    variable.op.name, quoted(owners)
                )
            )
    owned = {id(variable) for variables in chosen.values() for variable in variables}
    forgotten = [variable.op.name for variable in trained if id(variable) not in owned]
    if forgotten:
        raise TowerError(
            "no part trains {}: the parts have {}. Add their scope to a part's variables, or leave out on purpose what "
            "stays as it is, by var_list=[...] without it".format(
                quoted(forgotten), "; ".join("{}: {}".format(part.name, _selector(part)) for part in parts)
            )
        )
    return chosen


def _chosen(part: Part, trained: Sequence[Any]) -> List[Any]:
    given = {id(each) for each in part.variables or [] if not isinstance(each, str)}
    found = [variable for variable in trained if id(variable) in given or part.owns(str(variable.op.name))]
    missing = given - {id(variable) for variable in trained}
    if missing:
        names = [each.op.name for each in part.variables or [] if not isinstance(each, str) and id(each) in missing]
        raise TowerError(
            "the part {!r} is to train {}, which {} not among the variables that the step trains".format(
                part.name, quoted(names), "is" if len(names) == 1 else "are"
            )
        )
    if not found:
        raise TowerError(
            "the part {!r} has no variables: none of {} lies in {}".format(
                part.name, quoted(variable.op.name for variable in trained) or "the graph's trainable variables",
                _selector(part),
            )
        )
    return found


def _selector(part: Part) -> str:
    if isinstance(part.variables, str):
        return repr(part.variables)
    return quoted(each if isinstance(each, str) else each.op.name for each in part.variables or [])


def _check_parts(parts: Sequence[Any]) -> None:
    if not parts or not all(isinstance(part, Part) for part in parts):
        raise ArgumentError(
            "optimizer is a list, so it must be one of lt.Part(name, optimizer, variables=...), not {!r}".format(
                list(parts)
            )
        )
    names = [part.name for part in parts]
    for part in parts:
        if not isinstance(part.name, str) or not part.name or names.count(part.name) > 1:
            raise ArgumentError("the parts are named {}: each needs a name of its own".format(quoted(names)))
        if not _NAME.match(part.name):
            raise ArgumentError(
                "the part {!r}: its name becomes one of operations, which have letters, digits, '_', '.', '-' and '/' "
                "alone".format(part.name)
            )
        if part.variables is None and len(parts) > 1:
            raise ArgumentError(
                "the part {!r} has no variables: say which it trains, such as variables={!r} for a variable "
                "scope".format(part.name, part.name)
            )
        is_number = isinstance(part.steps, int) and not isinstance(part.steps, bool)
        if part.steps is not None and not (is_number and part.steps >= 1):
            raise ArgumentError(
                "the part {!r} has steps={!r}: a whole number of at least 1 is needed".format(part.name, part.steps)
            )
    with_steps = [part.name for part in parts if part.steps is not None]
    if with_steps and len(with_steps) < len(parts):
        raise ArgumentError(
            "only {} of the parts {} {} steps: give it to all of them, to take turns, or to none, to be run "
            "together".format(quoted(with_steps), quoted(names), "has" if len(with_steps) == 1 else "have")
        )


def _check_own_optimizers(parts: Sequence[Part]) -> None:
    for number, part in enumerate(parts):
        sharing = [other.name for other in parts[number:] if other.optimizer is part.optimizer]
        if len(sharing) > 1:
            raise ArgumentError(
                "the parts {} have one {} together: what it keeps for all its variables, such as the powers of Adam's "
                "betas, would move once for each of them. Make an optimizer for each part".format(
                    quoted(sharing), type(part.optimizer).__name__
                )
            )


def _ready(optimizer: Any, global_step: Any, what: str) -> Any:
    if isinstance(optimizer, type):
        raise ArgumentError(
            "{} is the class {}: make one, such as {}(0.1), or give a function that takes the global step and "
            "returns one".format(what, optimizer.__name__, optimizer.__name__)
        )
    if callable(optimizer):
        return _checked(optimizer(global_step))
    return _checked(optimizer, what + " is")


def _checked(made: Any, what: str = "the optimizer function returned") -> Any:
    if not (hasattr(made, "compute_gradients") and hasattr(made, "apply_gradients")):
        raise ArgumentError(
            "{} {!r}: give a tf.train.Optimizer, such as tf.train.MomentumOptimizer(0.1, 0.9), or a function that "
            "takes the global step and returns one".format(what, made)
        )
    return made


def check_losses(parts: Sequence[Part], losses: Dict[str, Any], tower: int) -> None:
    """Raises TowerError unless a tower has one loss for each part and no other."""
    names = [part.name for part in parts]
    if set(names) == set(losses):
        return
    if names == [WHOLE]:
        raise TowerError(
            "tower {} returned the losses {}: give the optimizer of each as a list of lt.Part(name, optimizer, "
            "variables=...)".format(tower, quoted(losses))
        )
    raise TowerError(
        "the parts are {}, but tower {} returned {}: return TowerOutput(loss={{...}}) with one loss per part".format(
            quoted(names), tower, "a single loss" if list(losses) == [WHOLE] else "the losses " + quoted(losses)
        )
    )
