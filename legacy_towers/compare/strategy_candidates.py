"""Finds the strategies for variables and gradient reductions to compare, and the reasons why others are left out."""
import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers import inputs
from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.input_candidates import find_pipelines, why_not
from legacy_towers.compare.settings import CompareSettings
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients import mean
from legacy_towers.gradients.named import make_reduction
from legacy_towers.measure.candidate import Candidate
from legacy_towers.report.document import PAIRS, REDUCTIONS, VARIABLES
from legacy_towers.specs import reductions, strategies
from legacy_towers.specs.keywords import ALL
from legacy_towers.specs.pipelines import SYNTHETIC, full_name
from legacy_towers.step import build_train_step
from legacy_towers.tensor_types import NestedTensors
from legacy_towers.towers.output import TowerOutput
from legacy_towers.training.choices import (
    applies_per_tower,
    check_reduction_is_used,
    notes_on,
    own_reductions,
    reduction_of,
    strategy_of,
    with_choices,
)
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.job import Job
from legacy_towers.variables import ParameterServer
from legacy_towers.variables.named import make_strategy

NO_REDUCTION = "each tower applies its own gradients, so there is no gradient reduction"


class _Side(NamedTuple):
    """The names on one side of a comparison.

    Attributes:
      names: as asked for; [None]: this side is not compared, and all candidates use the job's.
      own: what the job uses, by its name where it has one, else as it prints.
      are_all: whether all names were asked for; a name that can't be used is then left out without an error.
    """

    names: Sequence[Optional[str]]
    own: str
    are_all: bool


class _Chosen(NamedTuple):
    """The candidates that were found, in the order in which they were asked for."""

    candidates: List[Candidate]
    left_out: List[Tuple[str, str]]
    notes: List[str]


def find_strategies(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the strategies, reductions, or pairs of both, to compare.

    The job's own is among them unless another one is named as current.

    Raises:
      ArgumentError: a name is unknown or given twice, `current` is not a candidate, or a candidate that was asked for
        by name can't be used with the job; or reductions are asked for and every objective of the job has its own.
    """
    subject = PAIRS if settings.variables is not None and settings.reductions is not None else (
        VARIABLES if settings.reductions is None else REDUCTIONS
    )
    devices = tower_devices(settings.device, max(settings.towers))
    strategies, reductions = _strategies(job, settings, devices), _reductions(job, settings)
    pipeline, pipeline_note = _input(job, settings)
    if subject == REDUCTIONS and applies_per_tower(job, devices):
        raise ArgumentError("--reductions: the job's variables are {}: {}; name strategies too, by --variables".format(
            strategies.own, NO_REDUCTION
        ))
    if subject != VARIABLES:
        check_reduction_is_used(job, "--reductions")
    chosen = _choose(job, settings, subject, strategies, reductions, devices)
    own = Candidate(label=_name(subject, strategies.own, reductions.own))
    if subject == PAIRS and applies_per_tower(job, devices):
        own = own._replace(label=strategies.own)
    if settings.current in (None, own.name) and own.name not in [each.name for each in chosen.candidates]:
        chosen.notes.append("{} is compared too, since it is the job's own".format(own.name))
        chosen.candidates.insert(0, own)
    all_of_them = [candidate._replace(input=pipeline) for candidate in chosen.candidates]
    shared = {"input": pipeline}
    if subject == VARIABLES:
        shared["reduction"] = reductions.own
    if subject == REDUCTIONS:
        shared["variables"] = strategies.own
    suffix = _own_reductions_suffix(job)
    choices: Dict[str, Tuple[Optional[str], Optional[str]]] = {
        candidate.name: (candidate.variables or strategies.own, (candidate.reduction or reductions.own) + suffix)
        for candidate in all_of_them
    }
    current = _current(settings, all_of_them, own.name)
    return Candidates(subject, all_of_them, current, chosen.left_out, shared, choices, [pipeline_note] + chosen.notes)


def _choose(
    job: Job, settings: CompareSettings, subject: str, strategies: _Side, reductions: _Side, devices: Sequence[str]
) -> _Chosen:
    """Returns all pairs of names that the job can use; a strategy without a sum comes once, by its name alone."""
    found: Dict[str, Candidate] = {}
    left_out, notes = [], []
    for variables, reduction in itertools.product(strategies.names, reductions.names):
        asked = with_choices(job, variables, reduction, devices)
        name = _name(subject, variables, reduction)
        if subject == PAIRS and applies_per_tower(asked, devices):
            left_out.append((name, NO_REDUCTION))
            reduction, name = None, str(variables)
            asked = with_choices(job, variables, None, devices)
        if name in found:
            continue
        why = _why_not(asked, settings)
        if why is None:
            found[name] = Candidate(variables, reduction, label=name)
            notes += [note for note in notes_on(job, asked, devices) if note not in notes]
        elif subject == PAIRS or (strategies if subject == VARIABLES else reductions).are_all:
            left_out.append((name, why))
        else:
            raise ArgumentError("--{}: {} can't be used with this job: {}".format(subject, name, why))
    if not found:
        raise ArgumentError("there is nothing to compare: " + "; ".join("{}: {}".format(*each) for each in left_out))
    return _Chosen(list(found.values()), list(dict.fromkeys(left_out)), notes)


def _strategies(job: Job, settings: CompareSettings, devices: Sequence[str]) -> _Side:
    def make(name: str) -> Any:
        return make_strategy(name, list(devices))

    known = strategies.STRATEGIES
    own = job.variables if isinstance(job.variables, str) else _known_name(
        strategy_of(job, devices) or ParameterServer("/cpu:0"), known, make
    )
    return _side("--variables", settings.variables, known, own, make)


def _reductions(job: Job, settings: CompareSettings) -> _Side:
    make, known = make_reduction, reductions.REDUCTIONS
    own = job.reduction if isinstance(job.reduction, str) else _known_name(reduction_of(job) or mean(), known, make)
    return _side("--reductions", settings.reductions, known, own, make)


def _side(
    option: str, asked: Optional[Sequence[str]], known: Sequence[str], own: str, make: Callable[[str], Any]
) -> _Side:
    if asked is None:
        return _Side([None], own, False)
    if list(asked) == [ALL]:
        return _Side(list(known), own, True)
    for name in asked:
        try:
            make(name)
        except UserError as error:  # such as a dtype that a collective can't sum here
            raise ArgumentError("{}: {}".format(option, error)) from None
    return _Side(list(asked), own, False)


def _known_name(value: Any, names: Sequence[str], make: Callable[[str], Any]) -> str:
    """Returns the name that makes an equal value, else what the value prints as."""
    for name in names:
        try:
            if repr(make(name)) == repr(value):
                return name
        except UserError:  # this one can't be made here
            continue
    return repr(value)


def _own_reductions_suffix(job: Job) -> str:
    """Returns a suffix for a reduction's name listing objectives with a reduction of their own; "" if none has."""
    own = own_reductions(job)
    return "".join(", but {}: {}".format(name, own[name]) for name in own if own[name] is not None)


def _name(subject: str, variables: Optional[str], reduction: Optional[str]) -> str:
    if subject == PAIRS:
        return "{} with {}".format(variables, reduction)
    return str(variables if subject == VARIABLES else reduction)


def _current(settings: CompareSettings, candidates: Sequence[Candidate], own: str) -> str:
    names = [candidate.name for candidate in candidates]
    if settings.current is None:
        return own
    if settings.current not in names:
        raise ArgumentError("--current is {!r}, which is not compared: name one of {}".format(
            settings.current, ", ".join(repr(name) for name in names)
        ))
    return settings.current


def _input(job: Job, settings: CompareSettings) -> Tuple[str, str]:
    """Returns the input pipeline of all candidates, and a sentence with the reason for it."""
    if settings.input is not None:
        pipeline = full_name(settings.input)
        why = why_not(pipeline, job, settings)
        if why is not None:
            raise ArgumentError("--input: {} can't be used with this job: {}".format(pipeline, why))
        return pipeline, "all candidates read their batches with {}".format(pipeline)
    why = why_not(SYNTHETIC, job, settings)
    if why is None:
        return SYNTHETIC, (
            "all candidates compute on synthetic batches, since waiting for input would hide their differences; "
            "--input PIPELINE selects another pipeline"
        )
    pipeline = full_name(job.input)
    return pipeline, "all candidates read their batches with {}, the job's own: synthetic can't be used ({})".format(
        pipeline, why
    )


def _why_not(job: Job, settings: CompareSettings) -> Optional[str]:
    """Returns why a strategy and a reduction can't be used together here, found by building a small step with both."""
    for towers in settings.towers:
        devices = tower_devices(settings.device, towers)
        try:
            with tf.Graph().as_default():
                build_train_step(
                    _small_model, inputs.from_tensors(per_tower=[tf.fill([2, 4], float(k)) for k in range(towers)]),
                    tf.train.GradientDescentOptimizer(0.1), devices, variables=strategy_of(job, devices),
                    reduction=reduction_of(job), update_ops=job.update_ops, on_missing=job.on_missing,
                )
        except UserError as error:
            return str(error)
    return None


def _small_model(batch: NestedTensors, mode: str) -> TowerOutput:
    hidden = tf.matmul(batch, tf.get_variable("w", [4, 4], initializer=tf.ones_initializer()))
    bias = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
    return TowerOutput(loss=tf.reduce_mean(tf.square(hidden + bias - 1.0)))


def find_candidates(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the candidates: the strategies or reductions (or both) that the settings name, else input pipelines.

    Raises:
      ArgumentError: a name is unknown or given twice, or `current` is not a candidate.
      DeviceError: the machine has too few devices.
      UserError: a candidate that was asked for by name can't be used with the job.
    """
    for towers in settings.towers:
        tower_devices(settings.device, towers)  # raises DeviceError before anything is built
    if settings.variables is None and settings.reductions is None:
        return find_pipelines(job, settings)
    return find_strategies(job, settings)
