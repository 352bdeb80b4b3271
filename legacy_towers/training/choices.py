"""Where a job's variables live and how its gradients meet: by name or by value, from the job or from who runs it."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.gradients.base import Reduction, as_reduction
from legacy_towers.gradients.named import check_reduction, make_reduction
from legacy_towers.jobs import Job
from legacy_towers.step.parts import parts_of
from legacy_towers.update.update_ops import check_policy, chosen_policy
from legacy_towers.variables import ParameterServer, Strategy
from legacy_towers.variables.named import check_strategy_name, make_strategy

# In place of a name: measure, and take the fastest.
AUTO = "auto"


def with_choices(job: Job, variables: Optional[str], reduction: Optional[str], devices: Sequence[str]) -> Job:
    """Returns the job with another strategy and another reduction, by their names; None leaves the job's own.

    Where a strategy that is chosen can't be had with the job's `update_ops` (towers that apply their own gradients keep
    their own batch-norm statistics), these give way to the strategy's usual ones; `notes_on` says so.

    Args:
      devices: one device string per tower.
    """
    if reduction is not None:
        job = job._replace(reduction=reduction)
    if variables is None:
        return job
    job = job._replace(variables=variables)
    if variables == AUTO or job.update_ops is None:
        return job
    check_policy(job.update_ops)
    strategy = strategy_of(job, devices) or ParameterServer()
    try:
        chosen_policy(job.update_ops, strategy)
    except ArgumentError:
        job = job._replace(update_ops=None)
    return job


def check_names(variables: Optional[str], reduction: Optional[str], devices: Sequence[str]) -> None:
    """Raises ArgumentError, which names the option, unless these are names of a strategy and of a reduction, or None.

    Args:
      devices: one device string per tower.
    """
    if variables is not None and variables != AUTO:
        check_strategy_name(variables, "--variables", devices)
    if reduction is not None and reduction != AUTO:
        check_reduction(reduction, "--reduction")


def notes_on(job: Job, chosen: Job, devices: Sequence[str]) -> List[str]:
    """Returns sentences on what else `with_choices` had to change, and on what it could not."""
    notes = []
    if job.update_ops != chosen.update_ops:
        usual = chosen_policy(None, strategy_of(chosen, devices) or ParameterServer())
        notes.append(
            "with {} batch-norm statistics are kept by update_ops={!r}: the job's {!r} can't be had with it".format(
                in_words(chosen.variables), usual, job.update_ops
            )
        )
    if in_words(job.reduction) != in_words(chosen.reduction):
        own = own_reductions(job)
        notes += [
            "the part {!r} keeps its own reduction, {}, whatever is chosen for the job".format(name, own[name])
            for name in own if own[name] is not None
        ]
    return notes


def own_reductions(job: Job) -> Dict[str, Optional[str]]:
    """Returns name of a part of the job's step -> what its own reduction prints as; None where it has none.

    Raises:
      ArgumentError: the parts don't fit together; see `lt.Part`.
    """
    with tf.Graph().as_default():
        parts = parts_of(job.optimizer, tf.train.get_or_create_global_step())
    return {part.name: None if part.reduction is None else repr(as_reduction(part.reduction)) for part in parts}


def check_for_parts(job: Job, option: str) -> None:
    """Raises ArgumentError, which names `option`, where no part of the job is left for it to choose a reduction for."""
    own = own_reductions(job)
    if None not in own.values():
        each = ", ".join("{}: {}".format(name, own[name]) for name in own)
        raise ArgumentError(
            "{}: every part of the job has a reduction of its own ({}), so there is none to choose".format(option, each)
        )


def apply_apart(job: Job, devices: Sequence[str]) -> bool:
    """Returns whether each tower applies its own gradients by the job's strategy; see `strategy_of`."""
    strategy = strategy_of(job, devices)
    return strategy is not None and strategy.updates != "reduced"


def is_asynchronous(job: Job, devices: Sequence[str]) -> bool:
    """Returns whether towers apply their gradients on their own, so that each of them moves the global step."""
    strategy = strategy_of(job, devices)
    return strategy is not None and strategy.updates == "asynchronous"


def strategy_of(job: Job, devices: Sequence[str]) -> Optional[Strategy]:
    """Returns the job's strategy for variables; None where it names none.

    Args:
      devices: one device string per tower.

    Raises:
      ArgumentError: there is no strategy of that name.
      JobError: it is neither a name nor a strategy.
    """
    if job.variables is None or isinstance(job.variables, Strategy):
        return job.variables
    if not isinstance(job.variables, str):
        raise JobError(
            "the job's variables are {!r}: give the name of a strategy, such as 'replicated', or a strategy, such as "
            "lt.variables.ParameterServer()".format(job.variables)
        )
    _check_not_auto(job.variables)
    return make_strategy(job.variables, list(devices))


def reduction_of(job: Job) -> Optional[Reduction]:
    """Returns the job's reduction; None where it names none.

    Raises:
      ArgumentError: there is no reduction of that name.
      JobError: it is neither a name nor a reduction.
    """
    if job.reduction is None:
        return None
    if isinstance(job.reduction, str):
        _check_not_auto(job.reduction)
        return make_reduction(job.reduction)
    try:
        return as_reduction(job.reduction)
    except ArgumentError as error:
        raise JobError("the job's reduction: {}".format(error)) from None


def _check_not_auto(name: str) -> None:
    if name == AUTO:
        raise JobError(
            "'auto' is settled by measuring, before training alone: name a strategy and a reduction here, or run "
            "legacy-towers train"
        )


def in_words(value: Any) -> Optional[str]:
    """Returns a strategy or reduction as the job has it: its name, or what a value prints as; None for None."""
    return value if value is None or isinstance(value, str) else repr(value)
