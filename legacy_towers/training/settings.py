"""What a training run was asked for, apart from the job itself; and the arithmetic of steps and epochs."""
from typing import Any, NamedTuple, Optional

from legacy_towers import inputs
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.sizes import Sizes, resolve_sizes
from legacy_towers.inputs.ways import check_way, make_way
from legacy_towers.jobs import Job


class TrainSettings(NamedTuple):
    """How to train a job: the options of `legacy-towers train`. None means: as the job says.

    Attributes:
      towers: number of towers.
      device: "cpu" or "gpu".
      input: "feed", "queue", "dataset" or "dataset:ROUTE".
      variables, reduction: where variables live and how gradients meet, by the names that `lt.Job` takes; or "auto".
      auto_seconds: how long "auto" measures; None: 20 s. Without "auto" it is refused.
      order: "any" (shuffled as the examples say) or "fixed" (the same batches for every way in).
      steps, epochs: where to stop, counted from the first step ever (a resumed run goes on to the same end); at most
        one of them.
      per_tower_batch_size, global_batch_size: at most one.
      checkpoint_dir: where checkpoints and summaries go, and where a run is resumed from; None keeps nothing.
      soft_placement, allow_growth, memory_fraction, log_device_placement: as in `lt.session_config`.
      trace: a file for a Chrome trace of one step; None traces nothing.
      plan_json: a file for the whole plan as JSON; None writes none.
      log_every: steps between two lines of progress.
    """

    towers: int = 1
    device: str = "cpu"
    input: Optional[str] = None
    variables: Optional[str] = None
    reduction: Optional[str] = None
    auto_seconds: Optional[float] = None
    order: str = "any"
    steps: Optional[int] = None
    epochs: Optional[int] = None
    per_tower_batch_size: Optional[int] = None
    global_batch_size: Optional[int] = None
    checkpoint_dir: Optional[str] = None
    soft_placement: bool = False
    allow_growth: bool = False
    memory_fraction: Optional[float] = None
    log_device_placement: bool = False
    trace: Optional[str] = None
    plan_json: Optional[str] = None
    log_every: int = 50


def batch_sizes(job: Job, settings: TrainSettings) -> Sizes:
    """Returns the examples per tower and per step.

    Raises:
      ArgumentError: both sizes are given, or the global one can't be divided among the towers.
    """
    per_tower = settings.per_tower_batch_size
    if per_tower is None and settings.global_batch_size is None:
        per_tower = job.per_tower_batch_size
    return resolve_sizes(per_tower, settings.global_batch_size, settings.towers)


class End(NamedTuple):
    """Where training ends."""

    step: int  # the global step
    reason: str  # "30 epochs of 1,437 examples"; empty if the step itself was asked for


def find_end(job: Job, settings: TrainSettings, global_batch_size: int) -> End:
    """Returns where training ends.

    Raises:
      ArgumentError: both steps and epochs are given, one is less than 1, or an epoch has less than one full batch.
    """
    if settings.steps is not None and settings.epochs is not None:
        raise ArgumentError("give --steps or --epochs, not both ({} and {})".format(settings.steps, settings.epochs))
    for option, number in (("--steps", settings.steps), ("--epochs", settings.epochs)):
        if number is not None and number < 1:
            raise ArgumentError("{} is {}: at least 1 is needed".format(option, number))
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


def make_config(settings: TrainSettings) -> Any:
    """Returns the tf.ConfigProto of the training session.

    Raises:
      ArgumentError: a value is out of range.
    """
    return session_config(
        soft_placement=settings.soft_placement,
        allow_growth=settings.allow_growth,
        log_device_placement=settings.log_device_placement,
        logical_cpus=settings.towers if settings.device == "cpu" else 1,
        memory_fraction=settings.memory_fraction,
    )


def make_input(job: Job, settings: TrainSettings) -> inputs.Input:
    """Returns the way in that was asked for, over the job's training examples, without end.

    Raises:
      ArgumentError: there is no way in of that name.
    """
    asked = settings.input or job.input
    check_way(asked, "--input")
    return make_way(
        asked, job.train, per_tower_batch_size=batch_sizes(job, settings).per_tower, order=settings.order
    )
