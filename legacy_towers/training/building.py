"""A job's train step, built alike by whatever runs a job."""
from typing import Any, Callable, Optional, Sequence

from legacy_towers import inputs
from legacy_towers.jobs import Job
from legacy_towers.step import TrainStep, build_train_step


def build_job_step(
    job: Job, source: inputs.Input, devices: Sequence[str], model_fn: Optional[Callable[[Any, str], Any]] = None
) -> TrainStep:
    """Builds the train step of a job into the default graph, with everything that the job says of it.

    Args:
      job: the job.
      source: the way in.
      devices: one device string per tower.
      model_fn: in place of the job's own, for example one that looks at the batch and hands it on.
    """
    return build_train_step(
        model_fn or job.model_fn,
        source,
        job.optimizer,
        devices,
        update_ops=job.update_ops,
        on_missing=job.on_missing,
        moving_average_decay=job.moving_average_decay,
    )
