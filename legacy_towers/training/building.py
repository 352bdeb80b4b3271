"""A job's train step, built alike by whatever runs a job."""
from typing import Any, Callable, Optional, Sequence

from legacy_towers import inputs
from legacy_towers.jobs import Job
from legacy_towers.step import TrainStep, build_train_step
from legacy_towers.training.choices import reduction_of, strategy_of


def build_job_step(
    job: Job, source: inputs.Input, devices: Sequence[str], model_fn: Optional[Callable[[Any, str], Any]] = None
) -> TrainStep:
    """Builds the train step of a job into the default graph, with everything that the job says of it.

    Args:
      job: the job.
      source: the way in.
      devices: one device string per tower.
      model_fn: in place of the job's own, for example one that looks at the batch and hands it on.

    Raises:
      UserError: the job's strategy or reduction is unknown, or what it says can't be built.
    """
    return build_train_step(
        model_fn or job.model_fn,
        source,
        job.optimizer,
        devices,
        variables=strategy_of(job, devices),
        reduction=reduction_of(job),
        update_ops=job.update_ops,
        on_missing=job.on_missing,
        moving_average_decay=job.moving_average_decay,
    )
