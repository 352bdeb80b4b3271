"""`--variables auto` and `--reduction auto`: measures candidates before training and trains with the fastest."""
from typing import Any, Callable, List, Optional, Sequence, Tuple

from legacy_towers import inputs
from legacy_towers.autotune.choose import Candidate, Choice, choose_strategy, default_candidates
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import mean
from legacy_towers.specs.keywords import AUTO
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.building import build_job_step
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.training.job import Job
from legacy_towers.variables import ParameterServer

# How long "auto" measures by default.
SECONDS = 20.0


def check_seconds(job: Job, seconds: Optional[float]) -> None:
    """Raises ArgumentError if `seconds` is given, but neither the variables nor the reduction of the job are "auto"."""
    if seconds is None:
        return
    if not _is_auto(job):
        raise ArgumentError(
            "--auto-seconds is {:g}, but nothing is measured: it needs --variables auto or --reduction auto".format(
                seconds
            )
        )


def resolve_auto(
    job: Job,
    devices: Sequence[str],
    per_tower_batch_size: int,
    seconds: Optional[float],
    config: ConfigProto,
    print_fn: Optional[Callable[[str], None]] = None,
) -> Tuple[Job, Optional[Choice]]:
    """Replaces "auto" in a job by the fastest candidate, which it measures.

    The candidates are steps of the job on synthetic batches of its examples, so that they differ in variables and
    gradient reduction alone.

    Args:
      seconds: how long to measure, without the time for building the graphs; None: 20.

    Returns:
      the job, and what was measured; None where nothing is "auto".
    """
    if not _is_auto(job):
        return job, None

    def build(variables: Any, reduction: Any) -> TrainStep:
        source = inputs.synthetic(job.train, per_tower_batch_size=per_tower_batch_size)
        return build_job_step(_chosen(job, variables, reduction), source, devices)

    choice = choose_strategy(
        build, candidates_of(job, devices), SECONDS if seconds is None else seconds, config, print_fn
    )
    return _chosen(job, choice.variables, choice.reduction), choice


def _chosen(job: Job, variables: Any, reduction: Any) -> Job:
    """Returns the job with these in place of "auto"; other values of the job are kept."""
    return job.replace(
        variables=variables if job.variables == AUTO else job.variables,
        reduction=reduction if job.reduction == AUTO else job.reduction,
    )


def _is_auto(job: Job) -> bool:
    return AUTO in (job.variables, job.reduction)


def candidates_of(job: Job, devices: Sequence[str]) -> List[Candidate]:
    """Returns the candidates for a job: those of `default_candidates`, restricted to what the job chooses itself."""
    candidates = default_candidates(devices)
    if job.variables != AUTO:
        strategy = strategy_of(job, devices) or ParameterServer("/cpu:0")
        candidates = [Candidate(strategy, each.reduction) for each in candidates]
    if job.reduction != AUTO:
        reduction = reduction_of(job) or mean()
        candidates = [Candidate(each.variables, reduction) for each in candidates]
    # Without repetitions. The order is kept, since the simplest candidates are first.
    names = [str(each) for each in candidates]
    return [each for number, each in enumerate(candidates) if names.index(names[number]) == number]
