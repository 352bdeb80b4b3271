"""Options of the commands that run a job, and the checks of them that need neither the job nor TensorFlow."""
import os
from typing import Any, Dict, Iterable, NamedTuple, Optional, Sequence

from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.specs.batch_sizes import resolve_sizes
from legacy_towers.specs.grammar import checked
from legacy_towers.specs.keywords import AUTO
from legacy_towers.specs.pipelines import check_pipeline
from legacy_towers.specs.reductions import check_reduction
from legacy_towers.specs.schedules import parse_schedule
from legacy_towers.specs.strategies import check_strategy
from legacy_towers.text.files import check_directory, check_file
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.evaluation.options import EvaluationOptions
from legacy_towers.training.metrics.options import MetricsOptions
from legacy_towers.training.nan_policy import NAN_LIMIT, check_on_nan
from legacy_towers.training.stall_policy import STALL_SECONDS, check_stall
from legacy_towers.training.warm_start import WarmStart, check_exists, parse_rename

DEVICE_TYPES = ("cpu", "gpu")
ORDERS = ("any", "fixed")


class TrainSettings(NamedTuple):
    """How to train a job: the options of `legacy-towers train`. None stands for the value of the job."""

    towers: int = 1
    device: str = "cpu"
    input: Optional[str] = None
    variables: Optional[str] = None
    reduction: Optional[str] = None
    schedule: Optional[str] = None
    auto_seconds: Optional[float] = None
    order: str = "any"
    steps: Optional[int] = None
    epochs: Optional[int] = None
    per_tower_batch_size: Optional[int] = None
    global_batch_size: Optional[int] = None
    checkpoint_dir: Optional[str] = None
    save_steps: Optional[int] = None
    save_seconds: Optional[float] = None
    keep: Optional[int] = None
    keep_best: Optional[str] = None
    on_full_disk: Optional[str] = None
    overfit_batches: Optional[int] = None
    evaluate_steps: Optional[int] = None
    evaluate_seconds: Optional[float] = None
    stop_early: Optional[str] = None
    patience: Optional[int] = None
    min_delta: Optional[float] = None
    stall_seconds: float = STALL_SECONDS
    on_stall: str = "wait"
    soft_placement: bool = False
    allow_growth: bool = False
    memory_fraction: Optional[float] = None
    log_device_placement: bool = False
    summary_every: Optional[int] = None
    metrics_every: Optional[int] = None
    prometheus_port: Optional[int] = None
    trace: Optional[str] = None
    trace_steps: Optional[str] = None
    plan_json: Optional[str] = None
    log_every: int = 50
    on_nan: str = "stop"
    nan_limit: int = NAN_LIMIT
    skip_bad_records: Optional[int] = None
    warm_start: Optional[str] = None
    warm_start_rename: Sequence[str] = ()
    warm_start_include: Optional[Sequence[str]] = None
    warm_start_exclude: Sequence[str] = ()
    warm_start_strict: bool = False
    backup_workers: int = 0
    evaluator: bool = False
    elastic: Optional[str] = None

    def warm_start_value(self) -> Optional[WarmStart]:
        """Returns the warm start that is given; None for the job's.

        Raises:
          ArgumentError: an option is not valid, or has no effect.
        """
        if self.warm_start is not None:
            names = [parse_rename(text) for text in self.warm_start_rename]
            return WarmStart(
                self.warm_start, names, self.warm_start_include or None, self.warm_start_exclude,
                strict=self.warm_start_strict,
            ).checked()
        for option in ("rename", "include", "exclude", "strict"):
            if getattr(self, "warm_start_" + option):
                raise ArgumentError("--warm-start-{} has no effect without --warm-start".format(option))
        return None

    def checkpoint_changes(self) -> Dict[str, Any]:
        """Returns the values that are given of the fields of `CheckpointOptions`."""
        return self._given(CheckpointOptions._fields)

    def evaluation_changes(self) -> Dict[str, Any]:
        """Returns the values that are given of the fields of `EvaluationOptions`."""
        return self._given(EvaluationOptions._fields)

    def metrics_changes(self) -> Dict[str, Any]:
        """Returns the values that are given of the fields of `MetricsOptions`."""
        return self._given(MetricsOptions._fields)

    def _given(self, names: Iterable[str]) -> Dict[str, Any]:
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


def check_settings(settings: TrainSettings) -> None:
    """Raises ArgumentError, which names the option of the command line, for settings that are wrong with any job."""
    check_towers(settings.device, settings.towers)
    if settings.input is not None:
        check_pipeline(settings.input, "--input")
    check_names(settings.variables, settings.reduction)
    if settings.schedule is not None:
        checked(parse_schedule, settings.schedule, "--schedule")
    if settings.auto_seconds is not None and not settings.auto_seconds > 0:
        raise ArgumentError("--auto-seconds is {:g}: a time above 0 is needed".format(settings.auto_seconds))
    if settings.order not in ORDERS:
        raise ArgumentError("--order is {!r}: allowed are 'any' and 'fixed'".format(settings.order))
    if settings.steps is not None and settings.epochs is not None:
        raise ArgumentError("give --steps or --epochs, not both ({} and {})".format(settings.steps, settings.epochs))
    if settings.per_tower_batch_size is not None and settings.global_batch_size is not None:
        raise ArgumentError("give --per-tower-batch-size or --global-batch-size, not both ({} and {})".format(
            settings.per_tower_batch_size, settings.global_batch_size
        ))
    for option, number in (
        ("--steps", settings.steps),
        ("--epochs", settings.epochs),
        ("--per-tower-batch-size", settings.per_tower_batch_size),
        ("--global-batch-size", settings.global_batch_size),
        ("--overfit-batches", settings.overfit_batches),
        ("--log-every", settings.log_every),
        ("--skip-bad-records", settings.skip_bad_records),
    ):
        check_at_least_one(option, number)
    if settings.global_batch_size is not None:
        resolve_sizes(None, settings.global_batch_size, settings.towers)
    if settings.memory_fraction is not None and not 0 < settings.memory_fraction <= 1:
        raise ArgumentError(
            "--memory-fraction is {:g}: a number above 0 and up to 1 is needed".format(settings.memory_fraction)
        )
    check_on_nan(settings.on_nan, settings.nan_limit, "--on-nan", "--nan-limit")
    if settings.on_nan == "restore" and settings.checkpoint_dir is None:
        raise ArgumentError("--on-nan restore needs --checkpoint-dir, the directory of the checkpoints to restore")
    CheckpointOptions(**settings.checkpoint_changes()).checked()
    EvaluationOptions(**settings.evaluation_changes()).in_range()
    if settings.checkpoint_dir is None and settings.checkpoint_changes():
        raise ArgumentError("--{} has no effect without --checkpoint-dir".format(
            sorted(settings.checkpoint_changes())[0].replace("_", "-")
        ))
    # The job can name the file of a trace.
    MetricsOptions(**settings.metrics_changes()).checked(trace_is_known=False)
    if settings.checkpoint_dir is None:
        for name in ("summary_every", "metrics_every"):
            if getattr(settings, name) is not None:
                raise ArgumentError("--{} has no effect without --checkpoint-dir".format(name.replace("_", "-")))
    check_stall(settings.stall_seconds, settings.on_stall, "--stall-seconds, --on-stall")
    warm_start = settings.warm_start_value()
    if warm_start is not None:
        check_exists(warm_start)
    check_file("--trace", settings.trace)
    check_file("--plan-json", settings.plan_json)
    directory = settings.checkpoint_dir
    if directory is not None and "://" not in directory and os.path.exists(directory):
        if not os.path.isdir(directory):
            raise ArgumentError("--checkpoint-dir: {!r} is not a directory".format(directory))
        check_directory("--checkpoint-dir", directory)


def check_at_least_one(option: str, number: Optional[int]) -> None:
    """Raises ArgumentError, which names `option`, unless `number` is None or at least 1."""
    if number is not None and number < 1:
        raise ArgumentError("{} is {}: at least 1 is needed".format(option, number))


def check_towers(device_type: str, towers: int) -> None:
    """Raises ArgumentError unless there is at least 1 tower, and `device_type` is "cpu" or "gpu"."""
    check_at_least_one("--towers", towers)
    if device_type not in DEVICE_TYPES:
        raise ArgumentError("--device is {!r}: allowed are 'cpu' and 'gpu'".format(device_type))


def check_names(variables: Optional[str], reduction: Optional[str]) -> None:
    """Raises ArgumentError, which names the option, unless each is "auto", None, or names a strategy or a reduction."""
    if variables is not None and variables != AUTO:
        check_strategy(variables, "--variables")
    if reduction is not None and reduction != AUTO:
        check_reduction(reduction, "--reduction")


def no_checkpoint(directory: str) -> JobError:
    """Returns the error for a directory without a checkpoint."""
    return JobError("there is no checkpoint in {0!r}: train first, with --checkpoint-dir {0}".format(directory))


def check_has_checkpoint(directory: str) -> None:
    """Raises JobError if a local directory has neither a checkpoint nor the file "checkpoint"."""
    if "://" in directory:
        return
    names = os.listdir(directory) if os.path.isdir(directory) else []
    if not any(name == "checkpoint" or name.endswith(".index") for name in names):
        raise no_checkpoint(directory)


def check_output(path: Optional[str]) -> None:
    """Raises ArgumentError unless predictions can be written to `path`; None is standard output."""
    if path is None:
        return
    if os.path.splitext(path)[1] not in (".jsonl", ".npz"):
        raise ArgumentError("--output is {!r}: the name must end in .jsonl or .npz".format(path))
    check_file("--output", path)


def check_new_directory(option: str, path: str) -> None:
    """Raises ArgumentError, which names `option`, if a local path exists, or can't be created."""
    if "://" in path:
        return
    if os.path.lexists(path):
        versions = [int(name) for name in (os.listdir(path) if os.path.isdir(path) else []) if name.isdigit()]
        raise ArgumentError(
            "{} is {!r}, which exists: name a new directory, such as the next version, {!r}".format(
                option, path, os.path.join(path, str(max(versions, default=0) + 1))
            )
        )
    above = os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise ArgumentError("{} is {!r}, but {!r} is not a directory".format(option, path, above))
    check_directory(option, above)
