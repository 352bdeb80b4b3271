"""`--variables auto` and `--reduction auto`: measure before training, and train with what was the fastest."""
from typing import Any, Callable, List, Optional, Sequence, Tuple

from legacy_towers import inputs
from legacy_towers.choose import Candidate, Choice, choose_strategy, default_candidates
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import mean
from legacy_towers.jobs import Job
from legacy_towers.step import TrainStep
from legacy_towers.training.building import build_job_step
from legacy_towers.training.choices import AUTO, reduction_of, strategy_of
from legacy_towers.variables import ParameterServer

# How long "auto" measures unless told otherwise.
SECONDS = 20.0


def check_seconds(job: Job, seconds: Optional[float]) -> None:
    """Raises ArgumentError unless `seconds` is a time to measure for, or None."""
    if seconds is None:
        return
    if not seconds > 0:
        raise ArgumentError("--auto-seconds is {:g}: a time above 0 is needed".format(seconds))
    if not _is_auto(job):
        raise ArgumentError(
            "--auto-seconds is {:g}, but nothing is measured: it is for --variables auto and --reduction auto".format(
                seconds
            )
        )


def settled(
    job: Job,
    devices: Sequence[str],
    per_tower_batch_size: int,
    seconds: Optional[float],
    config: Any,
    say: Optional[Callable[[str], None]] = None,
) -> Tuple[Job, Optional[Choice]]:
    """Returns the job with "auto" replaced by the fastest choice, and what was measured; None where nothing is auto.

    The job's own step is measured, on one synthetic batch of its examples: what is compared is variables and gradients.

    Args:
      job: the job.
      devices: one device string per tower.
      per_tower_batch_size: examples per tower.
      seconds: how long to measure, building left out; None: 20.
      config: the sessions' tf.ConfigProto.
      say: told what is measured, one line at a time.
    """
    if not _is_auto(job):
        return job, None

    def build(variables: Any, reduction: Any) -> TrainStep:
        source = inputs.synthetic(job.train, per_tower_batch_size=per_tower_batch_size)
        return build_job_step(_chosen(job, variables, reduction), source, devices)

    choice = choose_strategy(
        build, candidates_of(job, devices), SECONDS if seconds is None else seconds, config, say
    )
    return _chosen(job, choice.variables, choice.reduction), choice


def _chosen(job: Job, variables: Any, reduction: Any) -> Job:
    """Returns the job with these in place of "auto"; what it says itself stands."""
    return job._replace(
        variables=variables if job.variables == AUTO else job.variables,
        reduction=reduction if job.reduction == AUTO else job.reduction,
    )


def _is_auto(job: Job) -> bool:
    return AUTO in (job.variables, job.reduction)


def candidates_of(job: Job, devices: Sequence[str]) -> List[Candidate]:
    """Returns what is measured for a job: what it says itself stands, and "auto" goes over the usual choices."""
    candidates = default_candidates(devices)
    if job.variables != AUTO:
        strategy = strategy_of(job, devices) or ParameterServer("/cpu:0")
        candidates = [Candidate(strategy, each.reduction) for each in candidates]
    if job.reduction != AUTO:
        reduction = reduction_of(job) or mean()
        candidates = [Candidate(each.variables, reduction) for each in candidates]
    # Each once, where it stands first: the simplest stays in front.
    names = [str(each) for each in candidates]
    return [each for number, each in enumerate(candidates) if names.index(names[number]) == number]
