"""The strategy for variables and the gradient reduction of a job: the job's own, or those of the command line."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.gradients.base import Reduction
from legacy_towers.gradients.named import make_reduction, reduction_from
from legacy_towers.specs.keywords import AUTO
from legacy_towers.step.objectives import objectives_of
from legacy_towers.training.job import Job
from legacy_towers.training.job_optimizer import optimizer_of
from legacy_towers.update.update_ops import check_policy, chosen_policy
from legacy_towers.variables import ParameterServer, Strategy
from legacy_towers.variables.named import make_strategy


def with_choices(job: Job, variables: Optional[str], reduction: Optional[str], devices: Sequence[str]) -> Job:
    """Returns the job with another strategy and another reduction.

    If the strategy does not support the `update_ops` of the job (towers that apply their own gradients keep their own
    batch-norm statistics), the default of the strategy replaces them; `notes_on` reports it.

    Args:
      variables: the name of a strategy; None keeps the job's.
      reduction: the name of a reduction; None keeps the job's.
    """
    if reduction is not None:
        job = job.replace(reduction=reduction)
    if variables is None:
        return job
    job = job.replace(variables=variables)
    if variables == AUTO or job.update_ops is None:
        return job
    check_policy(job.update_ops)
    strategy = strategy_of(job, devices) or ParameterServer()
    try:
        chosen_policy(job.update_ops, strategy)
    except ArgumentError:
        job = job.replace(update_ops=None)
    return job


def notes_on(job: Job, chosen: Job, devices: Sequence[str]) -> List[str]:
    """Returns a sentence for each other value that `with_choices` changed, and for each that it could not change."""
    notes = []
    if job.update_ops != chosen.update_ops:
        usual = chosen_policy(None, strategy_of(chosen, devices) or ParameterServer())
        notes.append(
            "with {} batch-norm statistics are kept by update_ops={!r}: it does not support the job's {!r}".format(
                choice_name(chosen.variables), usual, job.update_ops
            )
        )
    if choice_name(job.reduction) != choice_name(chosen.reduction):
        own = own_reductions(job)
        notes += [
            "the objective {!r} keeps its own reduction, {}, whatever is chosen for the job".format(name, own[name])
            for name in own if own[name] is not None
        ]
    return notes


def own_reductions(job: Job) -> Dict[str, Optional[str]]:
    """Returns name of each objective of the job -> its own reduction as it is printed; None where it has none.

    Raises:
      ArgumentError: the objectives don't fit together; see `lt.Objective`.
    """
    with tf.Graph().as_default():
        objectives = objectives_of(optimizer_of(job, 1), tf.train.get_or_create_global_step())
    return {each.name: None if each.reduction is None else repr(reduction_from(each.reduction)) for each in objectives}


def check_reduction_is_used(job: Job, option: str) -> None:
    """Raises ArgumentError, which names `option`, where every objective of the job has its own reduction."""
    own = own_reductions(job)
    if None not in own.values():
        each = ", ".join("{}: {}".format(name, own[name]) for name in own)
        raise ArgumentError(
            "{}: every objective of the job has its own reduction ({}), so there is none to choose".format(option, each)
        )


def applies_per_tower(job: Job, devices: Sequence[str]) -> bool:
    """Returns whether each tower applies its own gradients, by the strategy of the job; see `strategy_of`."""
    strategy = strategy_of(job, devices)
    return strategy is not None and strategy.updates != "reduced"


def is_asynchronous(job: Job, devices: Sequence[str]) -> bool:
    """Returns whether towers train asynchronously, so that each update of a tower increments the global step."""
    strategy = strategy_of(job, devices)
    return strategy is not None and strategy.updates == "asynchronous"


def strategy_of(job: Job, devices: Sequence[str]) -> Optional[Strategy]:
    """Returns the strategy of the job for variables; None where it has none.

    Raises:
      ArgumentError: there is no strategy of that name.
      JobError: the value is neither a name nor a strategy, or it is "auto".
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
    """Returns the gradient reduction of the job; None where it has none.

    Raises:
      ArgumentError: there is no reduction of that name.
      JobError: the value is neither a name nor a reduction, or it is "auto".
    """
    if job.reduction is None:
        return None
    if isinstance(job.reduction, str):
        _check_not_auto(job.reduction)
        return make_reduction(job.reduction)
    try:
        return reduction_from(job.reduction)
    except ArgumentError as error:
        raise JobError("the job's reduction: {}".format(error)) from None


def _check_not_auto(name: str) -> None:
    if name == AUTO:
        raise JobError(
            "'auto' is supported by legacy-towers train only, which measures before it trains: name a strategy and a "
            "reduction here"
        )


def choice_name(value: Any) -> Optional[str]:
    """Returns the name of a strategy or a reduction, or the value as it is printed; None for None."""
    return value if value is None or isinstance(value, str) else repr(value)
