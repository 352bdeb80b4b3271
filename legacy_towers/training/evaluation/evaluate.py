"""Evaluates a checkpoint of a job over its test examples, each counted once, on one tower or several."""
from typing import Optional, Sequence, TextIO

from legacy_towers.errors import JobError
from legacy_towers.training.checkpoints.best import chosen_checkpoint
from legacy_towers.training.evaluation.evaluator import Evaluation, Evaluator
from legacy_towers.training.job import Job


def evaluate(
    job: Job,
    checkpoint_dir: str,
    batch_size: int = 100,
    devices: Sequence[str] = ("/cpu:0",),
    soft_placement: bool = False,
    stream: Optional[TextIO] = None,
    best: bool = False,
) -> Evaluation:
    """Evaluates the newest checkpoint of a job over its test examples, or the best one.

    Args:
      job: the job; with its `moving_average_decay`, the moving averages of the variables are evaluated.
      checkpoint_dir: the checkpoint directory of the training run.
      batch_size, devices, soft_placement, stream: as for `Evaluator`.
      best: whether to evaluate the best checkpoint, by the metric of --keep-best in training.

    Raises:
      ArgumentError: no devices, or a batch size below 1.
      DeviceError: a device does not exist, and there is no soft placement.
      JobError: there are no test examples, no checkpoint that fits, or neither metrics nor a loss.
    """
    checkpoint = chosen_checkpoint(checkpoint_dir, best)
    return job_evaluator(job, batch_size, devices, soft_placement, stream).evaluate(checkpoint)


def job_evaluator(
    job: Job,
    batch_size: int = 100,
    devices: Sequence[str] = ("/cpu:0",),
    soft_placement: bool = False,
    stream: Optional[TextIO] = None,
) -> Evaluator:
    """Returns the evaluator of a job over its test examples; the arguments are those of `Evaluator`.

    Raises:
      JobError: the job has no test examples, or neither metrics nor a loss.
    """
    if job.test is None:
        raise JobError("the job has no test examples: give lt.Job(test=...)")
    return Evaluator(
        job.model_fn, job.test, batch_size, devices, job.moving_average_decay, soft_placement, stream
    )
