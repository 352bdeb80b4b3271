"""Settings of a training run in a cluster: checks, defaults, and what all workers must have in common."""
import io
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, TextIO, Tuple

from legacy_towers.cluster.launching.elastic import parse_range
from legacy_towers.cluster.parameter_servers import check_backup_workers
from legacy_towers.cluster.records import CHECKPOINT
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ArgumentError, ClusterError, JobError
from legacy_towers.inputs.position import REFUSED, Position
from legacy_towers.specs.keywords import AUTO
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.text.names import counted
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.evaluation.options import EarlyStopping, EvaluationOptions
from legacy_towers.training.job import Job
from legacy_towers.training.runs.setup import batch_sizes
from legacy_towers.training.settings import TrainSettings

# Settings that each worker can have for itself.
_OWN = (
    "checkpoint_dir", "log_every", "plan_json", "prometheus_port", "trace", "trace_steps", "memory_fraction",
    "allow_growth", "log_device_placement", "stall_seconds", "on_stall",
)


class ClusterOfRun(NamedTuple):
    """The cluster that trains a job.

    Attributes:
      cluster: its tasks, and which of them this process is.
      start: starts this task: takes the configuration of its server and the flags that all tasks must have in common,
        and returns the tf.train.Server when all tasks are there.
      wait_for_chief: for an evaluator: takes a function that returns whether the training has ended, and returns what
        watches the chief; see `cluster.chief.wait_for_chief`.
    """

    cluster: Cluster
    start: Callable[[ConfigProto, Mapping[str, Any]], Any]
    wait_for_chief: Optional[Callable[[Callable[[], bool]], Any]] = None


def check_worker_settings(job: Job, settings: TrainSettings, cluster: Cluster) -> None:
    """Raises ClusterError or ArgumentError, which names the option, for what workers can't do together."""
    for option, value in (
        ("--variables", settings.variables or job.variables), ("--reduction", settings.reduction or job.reduction)
    ):
        if isinstance(value, str) and value == AUTO:
            raise ClusterError(
                "{} auto measures in one process: choose by `legacy-towers compare`, and name the choice".format(option)
            )
    check_backup_workers(cluster, settings.backup_workers, "--backup-workers")
    if settings.evaluator:
        check_evaluator(job, settings)
    if settings.elastic is not None:
        _check_elastic_settings(job, settings, cluster)
    if settings.on_nan == "restore":
        raise ClusterError(
            "--on-nan restore works in one process only, not yet in a cluster: give stop, skip or off"
        )


def check_evaluator(job: Job, settings: TrainSettings) -> None:
    """Raises ClusterError, which names the option, for what an evaluator can't do.

    Raises:
      JobError: the job has no test examples.
    """
    if job.test is None:
        raise JobError("--evaluator needs test examples, and the job has none: give lt.Job(test=...)")
    if settings.checkpoint_dir is None:
        raise ClusterError("--evaluator needs --checkpoint-dir, the directory of the checkpoints that it evaluates")
    by_checkpoint = "--evaluator evaluates each checkpoint: leave out {}, and choose when to save by {}"
    for option in ("evaluate_steps", "evaluate_seconds"):
        if getattr(settings, option) is not None:
            name = option.replace("_", "-")
            raise ClusterError(by_checkpoint.format("--" + name, "--" + name.replace("evaluate", "save")))
    options_of_evaluator(job, settings)


def options_of_evaluator(job: Job, settings: TrainSettings) -> Tuple[CheckpointOptions, Optional[EarlyStopping]]:
    """Returns which checkpoints the chief keeps, and when training stops early, where an evaluator evaluates.

    Raises:
      ArgumentError: a value is out of range, or has no effect; the message names the option of the command line.
    """
    evaluation = job.evaluation._replace(**settings.evaluation_changes())
    # Each checkpoint is evaluated, whatever the job says.
    early = evaluation._replace(evaluate_steps=1, evaluate_seconds=None).checked().early_stopping()
    checkpoints = job.checkpoints._replace(**settings.checkpoint_changes()).checked()
    return checkpoints._replace(keep_best=checkpoints.keep_best or evaluation.stop_early), early


def _check_elastic_settings(job: Job, settings: TrainSettings, cluster: Cluster) -> None:
    assert settings.elastic is not None
    numbers = parse_range(settings.elastic)
    if not numbers.least <= cluster.workers <= numbers.most:
        raise ClusterError("--elastic {}: the cluster has {}".format(numbers, counted(cluster.workers, "worker")))
    if settings.backup_workers >= numbers.least:
        raise ClusterError("--elastic {} with --backup-workers {}: the updates of {} would wait for none".format(
            numbers, settings.backup_workers, counted(numbers.least, "worker")
        ))
    for workers in range(numbers.least, numbers.most + 1):
        try:
            batch_sizes(job, settings, workers)
        except ArgumentError as error:
            raise ClusterError("--elastic {}, with {}: {}".format(numbers, counted(workers, "worker"), error)) from None


def check_elastic_input(elastic: str, position: Optional[Position], is_asynchronous: bool) -> None:
    """Raises ClusterError unless the input continues at the same example with another number of workers.

    Args:
      elastic: the setting.
      position: that of the built input; None if it has none.
    """
    if is_asynchronous:
        reason = "asynchronous towers of several workers read their data from its beginning again: train synchronously"
    elif position is None or position.promise.name == REFUSED:
        reason = "the input of a run that resumes begins again" + (position and ", " + position.promise.reason or "")
    elif position.depends_on_towers:
        reason = "the order of sharded data depends on the number of towers: give --input dataset:split"
    else:
        return
    raise ClusterError("--elastic {}: each example can't be used once per epoch, since {}".format(elastic, reason))


def with_worker_defaults(job: Job, settings: TrainSettings, cluster: Cluster) -> Tuple[Job, TrainSettings]:
    """Returns job and settings with a strategy that suits the cluster where neither says where variables live.

    It is "replicated"; with parameter servers "parameter_server", or "balanced" over several. With an evaluator, the
    chief does not evaluate, whatever the job says, but keeps the best checkpoint by the evaluator's evaluations.
    """
    if settings.evaluator:
        checkpoints, _ = options_of_evaluator(job, settings)
        job = job.replace(evaluation=EvaluationOptions(), checkpoints=checkpoints)
        settings = settings._replace(stop_early=None, patience=None, min_delta=None)
    if settings.variables is None and job.variables is None:
        default = {0: "replicated", 1: "parameter_server"}.get(cluster.parameter_servers, "balanced")
        settings = settings._replace(variables=default)
    return job, settings


def common_flags(settings: TrainSettings, resumed_step: Optional[int]) -> Dict[str, Any]:
    """Returns what all workers must have in common: the settings, and the step that they resume from."""
    flags = {
        "--" + name.replace("_", "-"): value for name, value in settings._asdict().items() if name not in _OWN
    }
    flags[CHECKPOINT] = "none" if resumed_step is None else resumed_step
    return flags


def stream_of(is_chief: bool, stream: TextIO) -> TextIO:
    """Returns the stream for progress: `stream` on the chief, one that drops its text on the other workers."""
    return stream if is_chief else _Nowhere()


class _Nowhere(io.StringIO):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)
