"""Batch sizes, last step, session config and input pipeline of a run, from its job and its settings."""
from typing import NamedTuple, Optional

from legacy_towers import inputs
from legacy_towers.cluster.value import Cluster
from legacy_towers.cluster.worker_config import session_config as worker_config
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.inputs.position import Resumed
from legacy_towers.specs.batch_sizes import Sizes, resolve_sizes
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.evaluation.options import EvaluationOptions
from legacy_towers.training.job import Job
from legacy_towers.training.metrics.options import MetricsOptions
from legacy_towers.training.settings import TrainSettings


def batch_sizes(job: Job, settings: TrainSettings, workers: int = 1) -> Sizes:
    """Returns the examples per tower and per step, of all workers.

    Raises:
      ArgumentError: both sizes are given, or the global one is not divisible by the number of towers.
    """
    per_tower = settings.per_tower_batch_size
    if per_tower is None and settings.global_batch_size is None:
        per_tower = job.per_tower_batch_size
    return resolve_sizes(per_tower, settings.global_batch_size, settings.towers * workers)


class End(NamedTuple):
    """Where training ends.

    Attributes:
      step: the global step.
      reason: where the step results from epochs, such as "30 epochs of 1,437 examples"; else "".
    """

    step: int
    reason: str


def find_end(job: Job, settings: TrainSettings, global_batch_size: int) -> End:
    """Returns where training ends.

    Raises:
      ArgumentError: the epochs are shorter than one step.
    """
    if settings.steps is not None:
        return End(settings.steps, "")
    epochs = job.epochs if settings.epochs is None else settings.epochs
    count = job.train.count()
    passes = "{} epoch{} of {:,} examples".format(epochs, "" if epochs == 1 else "s", count)
    steps = epochs * count // global_batch_size
    if steps < 1:
        raise ArgumentError(
            "{} are less than one step of {:,} examples over all towers: use smaller batches, fewer towers or more "
            "epochs".format(passes, global_batch_size)
        )
    return End(steps, passes)


def remaining_end(
    job: Job, settings: TrainSettings, global_batch_size: int, end: End, step: int, resumed: Optional[Resumed]
) -> End:
    """Returns where a run that resumes ends: after the examples of its epochs that have not been used.

    With the batch size of the run before it is where `find_end` says.
    """
    if settings.steps is not None or resumed is None or not resumed.examples:
        return end
    epochs = job.epochs if settings.epochs is None else settings.epochs
    left = epochs * job.train.count() - resumed.examples
    return end._replace(step=step + max(0, left) // global_batch_size)


def make_config(settings: TrainSettings, cluster: Optional[Cluster] = None) -> ConfigProto:
    """Returns the tf.ConfigProto of the training session, and of the server of a worker.

    Raises:
      ArgumentError: a value is out of range.
    """
    config = session_config(
        soft_placement=settings.soft_placement,
        allow_growth=settings.allow_growth,
        log_device_placement=settings.log_device_placement,
        logical_cpus=settings.towers if settings.device == "cpu" else 1,
        memory_fraction=settings.memory_fraction,
    )
    return config if cluster is None else worker_config(cluster, base=config)


def make_input(job: Job, settings: TrainSettings, workers: int = 1) -> inputs.Input:
    """Returns the input pipeline over the training examples of the job, for endless epochs.

    Raises:
      ArgumentError: there is no such pipeline.
    """
    per_tower = batch_sizes(job, settings, workers).per_tower
    return make_pipeline(
        settings.input or job.input, job.train, per_tower_batch_size=per_tower, order=settings.order
    )


def checkpoint_options(job: Job, settings: TrainSettings) -> CheckpointOptions:
    """Returns when checkpoints are saved and which are kept: the job's options with those of the settings.

    Raises:
      ArgumentError: a value is out of range.
    """
    if settings.checkpoint_dir is None:  # one for the evaluation at the end
        return CheckpointOptions(keep=1).checked()
    options = job.checkpoints._replace(**settings.checkpoint_changes()).checked()
    # A run that stops early has trained longer than was good.
    return options._replace(keep_best=options.keep_best or evaluation_options(job, settings).stop_early)


def evaluation_options(job: Job, settings: TrainSettings) -> EvaluationOptions:
    """Returns when training is evaluated and stops early: the job's options with those of the settings.

    Raises:
      ArgumentError: a value is out of range, or has no effect.
      JobError: there is to be an evaluation, and the job has no test examples.
    """
    options = job.evaluation._replace(**settings.evaluation_changes()).checked()
    if options.is_given and job.test is None:
        raise JobError("{} needs test examples, and the job has none: give lt.Job(test=...)".format(
            "--evaluate-seconds" if options.evaluate_steps is None else "--evaluate-steps"
        ))
    return options


def metrics_options(job: Job, settings: TrainSettings) -> MetricsOptions:
    """Returns what the run records: the job's options with those of the settings.

    Raises:
      ArgumentError: a value is out of range.
      EnvironmentProblem: a package that an option needs is not installed.
    """
    return job.metrics._replace(**settings.metrics_changes()).checked()
