"""Can each tower take its batch alone, in a run of its own? What towers that train asynchronously need of a way in."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.graph_walk import ancestors
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.names import quoted
from legacy_towers.same_batch.pulls import is_pull, is_source_of_python

_INSTEAD = (
    'take lt.inputs.queue, or lt.inputs.dataset by the route "next_per_tower" or "sharded", without order="fixed" and '
    "without staging; or lt.inputs.from_tensors(per_tower=[...]) with a pull for each tower"
)


def check_batches_apart(batches: TowerBatches) -> None:
    """Raises InputError unless each tower can take its batch in a run of its own; says why not, and what to take.

    Call it before the model is built; `check_fetches_apart` when it is.

    Args:
      batches: what `Input.build_apart` gave. For one tower everything goes.
    """
    towers = len(batches.per_tower)
    if towers == 1:
        return
    if batches.modes is not None and len(set(batches.modes)) > 1:
        validating = [tower for tower, mode in enumerate(batches.modes) if mode != batches.modes[0]]
        _refuse("tower {} validates in the steps of the others".format(validating[0]), (
            "train on all towers, and evaluate between two runs, inside of the hook's paused()"
        ))
    if batches.plan.order == "fixed":
        _refuse('order="fixed" says which examples each step of all towers has', 'leave order="fixed" out')
    for hook in batches.hooks:
        what = _in_each_run(hook)
        if what:
            _refuse("the way in {!r} has a hook that {} in each run ({})".format(
                batches.plan.way, what, type(hook).__name__
            ))
    _check_pulls([ancestors([leaf.op for leaf in _tensors(batch)]) for batch in batches.per_tower], batches.pulls)


def check_fetches_apart(fetches: Sequence[Any], towers: Optional[Sequence[int]] = None) -> None:
    """Raises InputError unless each tower can run alone: none takes another's batch, or needs what only a caller feeds.

    Args:
      fetches: per tower, what it runs; the first one is run by the caller, who can feed it.
      towers: their indices; None: 0, 1, ...
    """
    if len(fetches) == 1:
        return
    numbers = list(range(len(fetches))) if towers is None else list(towers)
    needed = [ancestors(each) for each in fetches]
    _check_pulls(needed, (), numbers)
    for number, operations in list(zip(numbers, needed))[1:]:
        fed = sorted(str(operation.name) for operation in operations if operation.type == "Placeholder")
        if fed:
            _refuse(
                "tower {} needs the placeholder {}, which nobody feeds in its runs".format(number, quoted(fed)),
                "make it a variable, or a tf.placeholder_with_default whose default is what the towers take",
            )


def _check_pulls(needed: Sequence[Any], pulls: Sequence[Any], towers: Optional[Sequence[int]] = None) -> None:
    numbers = list(range(len(needed))) if towers is None else list(towers)
    known = set(pulls)
    seen: List[Any] = []
    for number, operations in zip(numbers, needed):
        own = {
            operation for operation in operations
            if operation in known or _takes_data(operation)
        }
        for before, others in seen:
            both = sorted(own & others, key=lambda operation: str(operation.name))
            if both:
                _refuse("the operation {!r} ({}) takes data for tower {} and for tower {}".format(
                    both[0].name, both[0].type, before, number
                ))
        seen.append((number, own))


def _takes_data(operation: Any) -> bool:
    """Says whether each run of the operation takes other data: a placeholder gives what is fed, to all who read it."""
    if operation.type.startswith("Placeholder"):
        return False
    return is_pull(operation) or (is_source_of_python(operation) and not operation.inputs)


def _in_each_run(hook: Any) -> str:
    what = getattr(hook, "in_each_run", None)
    if what is None:  # a hook that doesn't know the question
        plain = tf.train.SessionRunHook
        acts = type(hook).before_run is not plain.before_run or type(hook).after_run is not plain.after_run
        what = "acts" if acts else ""
    return str(what)


def _tensors(batch: Any) -> List[Any]:
    return [leaf for leaf in tf.nest.flatten(batch, expand_composites=True) if hasattr(leaf, "op")]


def _refuse(why: str, instead: str = _INSTEAD) -> None:
    raise InputError(
        "towers that train asynchronously take their batches each by itself, but {}: {}".format(why, instead)
    )
