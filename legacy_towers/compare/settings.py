"""What a comparison was asked for, and whether it can be done: said before anything runs."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.jobs import Job
from legacy_towers.measure.rounds import LEAST_ROUNDS
from legacy_towers.training.places import tower_devices


class CompareSettings(NamedTuple):
    """How to compare: the options of `legacy-towers compare`.

    Attributes:
      inputs: names of ways in; None: every one that can serve the job's examples.
      variables: names of strategies for variables, or ["all"]; with them, or `reductions`, these are what is compared.
      reductions: names of reductions of gradients, or ["all"]; with `variables` too, all pairs.
      input: where strategies or reductions are compared, the way in that all take; None: synthetic, or the job's own
        where that can't be.
      towers: the numbers of towers, each compared on its own.
      steps: steps of a turn; None: as many as fill `turn_seconds`.
      rounds: rounds that count, at least 5.
      current: the candidate that the others are compared with; None: what the job has.
      per_tower_batch_size: None: the job's.
      device: "cpu" or "gpu".
      parity: whether it is also checked that ways in give the same examples, and strategies the same numbers.
      timeout: seconds that a process may be silent before it is ended.
      turn_seconds: see `steps`.
      seed: of the order of turns.
    """

    inputs: Optional[Sequence[str]] = None
    variables: Optional[Sequence[str]] = None
    reductions: Optional[Sequence[str]] = None
    input: Optional[str] = None
    towers: Sequence[int] = (4,)
    steps: Optional[int] = None
    rounds: int = 11
    current: Optional[str] = None
    per_tower_batch_size: Optional[int] = None
    device: str = "cpu"
    parity: bool = True
    timeout: float = 300.0
    turn_seconds: float = 0.4
    seed: int = 0


class JobCall(NamedTuple):
    """A job as another process can make it again."""

    job: str  # path/to/file.py or path/to/file.py:name
    name: str
    options: Dict[str, Any]


def check_settings(settings: CompareSettings, job: Job) -> None:
    """Raises UserError if a number is out of range, options contradict each other, or the machine lacks the devices."""
    of_strategies = settings.variables is not None or settings.reductions is not None
    if of_strategies and settings.inputs is not None:
        raise ArgumentError(
            "--inputs with --variables or --reductions asks two questions at once: name one way in for all by --input"
        )
    if settings.input is not None and not of_strategies:
        raise ArgumentError(
            "--input {0} is the way in for all candidates where --variables or --reductions are compared: is "
            "--inputs {0} meant?".format(settings.input)
        )
    if settings.steps is not None and settings.steps < 1:
        raise ArgumentError("--steps is {}: at least 1 is needed".format(settings.steps))
    if settings.rounds < LEAST_ROUNDS:
        raise ArgumentError(
            "--rounds is {}: at least {} are needed, or noise can't be told from a gain".format(
                settings.rounds, LEAST_ROUNDS
            )
        )
    if not settings.towers:
        raise ArgumentError("--towers names no number of towers")
    if settings.timeout <= 0:
        raise ArgumentError("--timeout is {:g}: a number of seconds above 0 is needed".format(settings.timeout))
    size = batch_size(settings, job)
    if size < 1:
        raise ArgumentError("--per-tower-batch-size is {}: at least 1 is needed".format(size))
    check_distinct("--towers", settings.towers)
    for towers in settings.towers:
        tower_devices(settings.device, towers)


def check_distinct(option: str, values: Sequence[Any]) -> None:
    """Raises ArgumentError if a value is named twice."""
    seen: List[Any] = []
    for value in values:
        if value in seen:
            raise ArgumentError("{} names {} twice".format(option, value))
        seen.append(value)


def batch_size(settings: CompareSettings, job: Job) -> int:
    """Returns the examples per tower."""
    return job.per_tower_batch_size if settings.per_tower_batch_size is None else settings.per_tower_batch_size
