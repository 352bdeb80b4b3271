"""What a training run is made of before its graph: job and settings combined and checked, strategies measured."""
from typing import Any, List, NamedTuple, Optional, TextIO

from legacy_towers import inputs
from legacy_towers.cluster.value import Cluster
from legacy_towers.specs.keywords import AUTO
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.text.terminal import layout_of
from legacy_towers.training.auto import check_seconds, resolve_auto
from legacy_towers.training.building import check_job_step
from legacy_towers.training.callbacks import CallbackGroup
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.choices import check_reduction_is_used, is_asynchronous, with_choices
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.evaluation.options import EvaluationOptions
from legacy_towers.training.job import Job
from legacy_towers.training.metrics.options import MetricsOptions
from legacy_towers.training.overfitting import on_few_batches
from legacy_towers.training.runs.setup import (
    End,
    batch_sizes,
    checkpoint_options,
    evaluation_options,
    find_end,
    make_config,
    make_input,
    metrics_options,
)
from legacy_towers.training.runs.workers import check_worker_settings, with_worker_defaults
from legacy_towers.training.settings import TrainSettings, check_settings


class PreparedRun(NamedTuple):
    """A training run before its graph is built.

    Attributes:
      job: the job with what the settings change, and with strategies in the place of "auto".
      settings: the settings, with those that follow from others.
      given: the job before its strategies were chosen.
      devices: one device string per tower.
      config: the tf.ConfigProto of the session.
      is_asynchronous: whether each tower updates the variables in session runs of its own.
      step_size: examples per global step.
      end: where training ends, for a run that starts from the beginning.
      source: the input pipeline.
      checkpoints, evaluation, records: when checkpoints are saved, when training is evaluated, what is recorded.
      callbacks: the job's callbacks.
      overfitting: a sentence for a run on few batches; "" otherwise.
      cluster: the cluster of which this process is a worker; None for one process.
    """

    job: Job
    settings: TrainSettings
    given: Job
    devices: List[str]
    config: ConfigProto
    is_asynchronous: bool
    step_size: int
    end: End
    source: inputs.Input
    checkpoints: CheckpointOptions
    evaluation: EvaluationOptions
    records: MetricsOptions
    callbacks: CallbackGroup
    overfitting: str
    cluster: Optional[Cluster] = None

    @property
    def is_chief(self) -> bool:
        """Whether this process saves, evaluates and records: the only one, or the chief of the workers."""
        return self.cluster is None or self.cluster.is_chief

    @property
    def towers(self) -> int:
        """The number of towers, over all workers."""
        return len(self.devices) * (1 if self.cluster is None else self.cluster.workers)


def prepare(
    job: Job, settings: TrainSettings, stream: TextIO, cluster: Optional[Cluster] = None
) -> PreparedRun:
    """Returns the run of a job; measures strategies for "auto", and prints which were chosen.

    Raises:
      UserError: the settings are wrong, or do not fit the job or this machine.
    """
    check_settings(settings)
    workers = 1
    if cluster is not None:
        workers = cluster.workers
        check_worker_settings(job, settings, cluster)
        job, settings = with_worker_defaults(job, settings, cluster)
    sizes = batch_sizes(job, settings, workers)
    devices = tower_devices(settings.device, settings.towers, settings.soft_placement)
    config = make_config(settings, cluster)
    given = _with_changes(job, settings)
    job = with_choices(given, settings.variables, settings.reduction, devices)
    check_seconds(job, settings.auto_seconds)
    checkpoints, evaluation = checkpoint_options(job, settings), evaluation_options(job, settings)
    if settings.reduction is not None:
        check_reduction_is_used(job, "--reduction")
    # "auto" never chooses asynchronous towers.
    asynchronous = job.variables != AUTO and is_asynchronous(job, devices)
    # With asynchronous towers, a step is the update of one tower.
    step_size = sizes.per_tower if asynchronous else sizes.global_
    job, settings, overfitting = on_few_batches(job, settings, None if asynchronous else sizes.global_)
    end = find_end(job, settings, step_size)
    if settings.on_nan == "skip":
        job = job.replace(skip_nonfinite=True)
    source = make_input(job, settings, workers)
    records = metrics_options(job, settings)
    callbacks = CallbackGroup(job.callbacks)

    def print_line(line: Any) -> None:
        print(line, file=stream)

    job, choice = resolve_auto(job, devices, sizes.per_tower, settings.auto_seconds, config, print_line)
    if choice is not None:
        stream.write(choice.as_text(layout_of(stream)) + "\n")
    if cluster is not None:
        check_job_step(job, source, devices, cluster, settings.backup_workers)
    run = PreparedRun(
        job, settings, given, devices, config, asynchronous, step_size, end, source, checkpoints, evaluation, records,
        callbacks, overfitting, cluster,
    )
    if run.is_chief:
        return run
    # The chief alone saves, evaluates, records and calls callbacks.
    return run._replace(
        checkpoints=CheckpointOptions(), evaluation=EvaluationOptions(), callbacks=CallbackGroup(()),
        records=MetricsOptions(summary_every=0, metrics_every=0),
    )


def _with_changes(job: Job, settings: TrainSettings) -> Job:
    """Returns the job with the schedule and the skipping of bad records that the settings give."""
    if settings.schedule is not None:
        job = job.replace(schedule=settings.schedule)
    if settings.skip_bad_records is not None:
        job = job.replace(train=job.train.skip_bad_records(settings.skip_bad_records))
    return job
