"""Where a job's variables live and how its gradients meet: by name or by value, from the job or from who runs it."""
from typing import Any, Optional, Sequence

from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.gradients.base import Reduction, as_reduction
from legacy_towers.jobs import Job
from legacy_towers.variables import Strategy


def with_choices(job: Job, variables: Optional[str], reduction: Optional[str]) -> Job:
    """Returns the job with another strategy and another reduction, by their names; None leaves the job's own."""
    if variables is not None:
        job = job._replace(variables=variables)
    return job if reduction is None else job._replace(reduction=reduction)


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
    from legacy_towers.variables.named import make_strategy

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
        from legacy_towers.gradients.named import make_reduction

        return make_reduction(job.reduction)
    try:
        return as_reduction(job.reduction)
    except ArgumentError as error:
        raise JobError("the job's reduction: {}".format(error)) from None


def in_words(value: Any) -> Optional[str]:
    """Returns a strategy or reduction as the job has it: its name, or what a value prints as; None for None."""
    return value if value is None or isinstance(value, str) else repr(value)
