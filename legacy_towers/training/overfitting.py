"""Trains on the first few global batches again and again: a model that can learn at all learns them by heart."""
from typing import Optional, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.pipelines import SYNTHETIC, parse_pipeline
from legacy_towers.training.job import Job
from legacy_towers.training.settings import TrainSettings


def on_few_batches(
    job: Job, settings: TrainSettings, global_batch_size: Optional[int]
) -> Tuple[Job, TrainSettings, str]:
    """Returns the job and the settings of a run with --overfit-batches, and a sentence that says so; "" without it.

    The job's training examples are those of the first global batches. In fixed order, each pass over them has the same
    batches:

        --overfit-batches 2, global batches of 4      step 1: 0 1 2 3    step 2: 4 5 6 7    step 3: 0 1 2 3 ...

    Args:
      global_batch_size: examples per step of all towers; None: towers train asynchronously.

    Raises:
      ArgumentError: there are too few examples, or none; or towers train asynchronously.
    """
    batches = settings.overfit_batches
    if batches is None:
        return job, settings, ""
    pipeline = settings.input or job.input
    if any(call.name == SYNTHETIC for call in parse_pipeline(pipeline)):
        raise ArgumentError("--overfit-batches {}: synthetic batches are always the same".format(batches))
    if global_batch_size is None:
        raise ArgumentError(
            "--overfit-batches {}: towers that train asynchronously have no global batches: give another "
            "--variables".format(batches)
        )
    count = batches * global_batch_size
    train = job.train.take(count)
    if train.count() < count:
        raise ArgumentError("--overfit-batches {} needs {:,} examples ({:,} per step), and the job has {:,}".format(
            batches, count, global_batch_size, train.count()
        ))
    note = "overfitting: the same {} again and again: {:,} examples, in fixed order".format(
        "global batch" if batches == 1 else "{} global batches".format(batches), count
    )
    return job.replace(train=train), settings._replace(order="fixed"), note
