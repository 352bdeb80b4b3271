"""The settings of a comparison, and their checks, which run before anything is measured."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.measure.rounds import LEAST_ROUNDS
from legacy_towers.specs.keywords import ALL
from legacy_towers.specs.pipelines import check_pipeline, full_name
from legacy_towers.specs.reductions import check_reduction
from legacy_towers.specs.strategies import check_strategy
from legacy_towers.training.job import Job
from legacy_towers.training.settings import check_at_least_one, check_towers


class CompareSettings(NamedTuple):
    """How to compare: the options of `legacy-towers compare`; None where an option is not given.

    Besides: `parity`, whether to check that candidates compute the same; `turn_seconds`, the length of a turn where
    `steps` is None; and `seed`, that of the order of turns.
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
    """What another process needs to create the same job."""

    job: str  # path/to/file.py or path/to/file.py:name
    name: str  # the job function's name
    options: Dict[str, Any]  # the job function's arguments


def check_settings(settings: CompareSettings) -> None:
    """Checks settings without the job and without TensorFlow.

    Raises:
      ArgumentError: a setting is wrong; the message names the option.
    """
    of_strategies = settings.variables is not None or settings.reductions is not None
    if of_strategies and settings.inputs is not None:
        raise ArgumentError(
            "--inputs can't be combined with --variables or --reductions: name one input pipeline for all candidates "
            "with --input"
        )
    if settings.input is not None and not of_strategies:
        raise ArgumentError(
            "--input {0} is only for --variables or --reductions, as the input pipeline of all candidates, did you "
            "mean --inputs {0}?".format(settings.input)
        )
    _check_names(settings, of_strategies)
    check_at_least_one("--steps", settings.steps)
    if settings.rounds < LEAST_ROUNDS:
        raise ArgumentError(
            "--rounds is {}: at least {} are needed to distinguish a gain from noise".format(
                settings.rounds, LEAST_ROUNDS
            )
        )
    if not settings.towers:
        raise ArgumentError("--towers names no number of towers")
    if settings.timeout <= 0:
        raise ArgumentError("--timeout is {:g}: a number of seconds above 0 is needed".format(settings.timeout))
    check_at_least_one("--per-tower-batch-size", settings.per_tower_batch_size)
    check_distinct("--towers", settings.towers)
    for towers in settings.towers:
        check_towers(settings.device, towers)


def _check_names(settings: CompareSettings, of_strategies: bool) -> None:
    for option, names, check in (
        ("--inputs", settings.inputs, check_pipeline),
        ("--variables", settings.variables, check_strategy),
        ("--reductions", settings.reductions, check_reduction),
    ):
        if names is None or option != "--inputs" and list(names) == [ALL]:
            continue
        if not names:
            raise ArgumentError("{} names nothing".format(option))
        for name in names:
            check(name, option)
        check_distinct(option, names if option != "--inputs" else [full_name(name) for name in names])
    if settings.input is not None:
        check_pipeline(settings.input, "--input")
    if settings.current is not None and not of_strategies:
        check_pipeline(settings.current, "--current")


def check_distinct(option: str, values: Sequence[Any]) -> None:
    """Raises ArgumentError if a value is named twice."""
    seen: List[Any] = []
    for value in values:
        if value in seen:
            raise ArgumentError("{} names {} twice".format(option, value))
        seen.append(value)


def batch_size(settings: CompareSettings, job: Job) -> int:
    """Returns the number of examples per tower and step."""
    return job.per_tower_batch_size if settings.per_tower_batch_size is None else settings.per_tower_batch_size
