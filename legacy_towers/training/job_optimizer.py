"""The optimizer of a job, with the learning-rate schedule that the job or the command line names."""
import functools
import inspect
from typing import Any, Callable

from legacy_towers.errors import JobError
from legacy_towers.schedules import make_schedule
from legacy_towers.tensor_types import Variable
from legacy_towers.training.job import Job

_PARAMETER = "learning_rate"


def optimizer_of(job: Job, towers: int) -> Callable[[Variable], Any]:
    """Returns the optimizer function of a job, which takes the global step alone.

    Args:
      towers: the number of towers, for a schedule with scale=towers.

    Raises:
      ArgumentError: the schedule is not the spec of one.
      JobError: there is a schedule, but the function has no parameter `learning_rate`; or the other way round.
    """
    parameter = _parameter_of(job.optimizer)
    if job.schedule is None:
        if parameter is not None and parameter.default is inspect.Parameter.empty:
            raise JobError(
                "the job's optimizer function has the parameter 'learning_rate', and there is no schedule: give "
                "--schedule or lt.Job(schedule=...), such as 'cosine:0.1,steps=1000,warmup=100'"
            )
        return job.optimizer
    if parameter is None:
        raise JobError(
            "the schedule {!r} has no effect: the job's optimizer function must take it, as in "
            "def optimizer(global_step, learning_rate)".format(job.schedule)
        )
    return functools.partial(_scheduled, job.optimizer, job.schedule, towers)


def _scheduled(optimizer: Callable[..., Any], schedule: str, towers: int, global_step: Variable) -> Any:
    return optimizer(global_step, learning_rate=make_schedule(schedule, global_step, towers))


def _parameter_of(optimizer: Callable[..., Any]) -> Any:
    """Returns the parameter `learning_rate` of an optimizer function; None if it has none."""
    try:
        return inspect.signature(optimizer).parameters.get(_PARAMETER)
    except (TypeError, ValueError):  # not a function; the step's own check names what it is
        return None
