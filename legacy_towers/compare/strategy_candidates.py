"""Which strategies for variables and which reductions of gradients are compared, and why others are not."""
import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers import inputs
from legacy_towers.compare.candidates import SYNTHETIC, Candidate, Candidates
from legacy_towers.compare.input_candidates import full_name, why_not
from legacy_towers.compare.settings import CompareSettings, check_distinct
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients import mean
from legacy_towers.gradients import named as reductions_by_name
from legacy_towers.inputs.ways import check_way
from legacy_towers.jobs import Job
from legacy_towers.report.document import PAIRS, REDUCTIONS, VARIABLES
from legacy_towers.step import build_train_step
from legacy_towers.towers.output import TowerOutput
from legacy_towers.training.choices import (
    apply_apart,
    check_for_parts,
    notes_on,
    own_reductions,
    reduction_of,
    strategy_of,
    with_choices,
)
from legacy_towers.training.places import tower_devices
from legacy_towers.variables import ParameterServer
from legacy_towers.variables import named as strategies_by_name

ALL = "all"
NO_SUM = "each tower applies its own gradients, so there is no sum to lay out"


class _Side(NamedTuple):
    """The names on one side of a comparison.

    Attributes:
      names: as asked for; [None]: this side is held as the job has it.
      own: what the job has, by a name where there is one, else as it prints.
      are_all: whether all names were asked for: what can't be is left out then, without an error.
    """

    names: Sequence[Optional[str]]
    own: str
    are_all: bool


class _Chosen(NamedTuple):
    """What was found, in the order in which it was asked for."""

    candidates: List[Candidate]
    left_out: List[Tuple[str, str]]
    notes: List[str]


def find_strategies(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the strategies, reductions, or pairs of both, to compare; the job's own among them, unless another one is
    named as current.

    Raises:
      ArgumentError: an unknown name, one named twice, `current` is none of them, or one that was asked for by name
        can't be; or reductions are asked for, and each part of the job's step has its own.
    """
    subject = PAIRS if settings.variables is not None and settings.reductions is not None else (
        VARIABLES if settings.reductions is None else REDUCTIONS
    )
    devices = tower_devices(settings.device, max(settings.towers))
    strategies, reductions = _strategies(job, settings, devices), _reductions(job, settings)
    way, why_this_way = _input(job, settings)
    if subject == REDUCTIONS and apply_apart(job, devices):
        raise ArgumentError("--reductions: the job's variables are {}: {}; name strategies too, by --variables".format(
            strategies.own, NO_SUM
        ))
    if subject != VARIABLES:
        check_for_parts(job, "--reductions")
    chosen = _choose(job, settings, subject, strategies, reductions, devices)
    own = Candidate(_name(subject, strategies.own, reductions.own), "")
    if subject == PAIRS and apply_apart(job, devices):
        own = own._replace(name=strategies.own)
    if settings.current in (None, own.name) and own.name not in [each.name for each in chosen.candidates]:
        chosen.notes.append("{} is compared too: it is what the job has".format(own.name))
        chosen.candidates.insert(0, own)
    all_of_them = [candidate._replace(input=way) for candidate in chosen.candidates]
    shared = {"input": way}
    if subject == VARIABLES:
        shared["reduction"] = reductions.own
    if subject == REDUCTIONS:
        shared["variables"] = strategies.own
    of_parts = _of_parts(job)
    words: Dict[str, Tuple[Optional[str], Optional[str]]] = {
        candidate.name: (candidate.variables or strategies.own, (candidate.reduction or reductions.own) + of_parts)
        for candidate in all_of_them
    }
    current = _current(settings, all_of_them, own.name)
    return Candidates(subject, all_of_them, current, chosen.left_out, shared, words, [why_this_way] + chosen.notes)


def _choose(
    job: Job, settings: CompareSettings, subject: str, strategies: _Side, reductions: _Side, devices: Sequence[str]
) -> _Chosen:
    """Returns all pairs of names that can be; a strategy without a sum stands once, by its name alone."""
    found: Dict[str, Candidate] = {}
    left_out, notes = [], []
    for variables, reduction in itertools.product(strategies.names, reductions.names):
        asked = with_choices(job, variables, reduction, devices)
        name = _name(subject, variables, reduction)
        if subject == PAIRS and apply_apart(asked, devices):
            left_out.append((name, NO_SUM))
            reduction, name = None, str(variables)
            asked = with_choices(job, variables, None, devices)
        if name in found:
            continue
        why = _why_not(asked, settings)
        if why is None:
            found[name] = Candidate(name, "", variables, reduction)
            notes += [note for note in notes_on(job, asked, devices) if note not in notes]
        elif subject == PAIRS or (strategies if subject == VARIABLES else reductions).are_all:
            left_out.append((name, why))
        else:
            raise ArgumentError("--{}: {} can't be had: {}".format(subject, name, why))
    if not found:
        raise ArgumentError("there is nothing to compare: " + "; ".join("{}: {}".format(*each) for each in left_out))
    return _Chosen(list(found.values()), list(dict.fromkeys(left_out)), notes)


def _strategies(job: Job, settings: CompareSettings, devices: Sequence[str]) -> _Side:
    def make(name: str) -> Any:
        return strategies_by_name.make_strategy(name, list(devices))

    known = strategies_by_name.STRATEGIES
    own = job.variables if isinstance(job.variables, str) else _known_name(
        strategy_of(job, devices) or ParameterServer("/cpu:0"), known, make
    )
    return _side("--variables", settings.variables, known, own, make)


def _reductions(job: Job, settings: CompareSettings) -> _Side:
    make, known = reductions_by_name.make_reduction, reductions_by_name.REDUCTIONS
    own = job.reduction if isinstance(job.reduction, str) else _known_name(reduction_of(job) or mean(), known, make)
    return _side("--reductions", settings.reductions, known, own, make)


def _side(
    option: str, asked: Optional[Sequence[str]], known: Sequence[str], own: str, make: Callable[[str], Any]
) -> _Side:
    if asked is None:
        return _Side([None], own, False)
    if not asked:
        raise ArgumentError("{} names nothing".format(option))
    if list(asked) == [ALL]:
        return _Side(list(known), own, True)
    for name in asked:
        try:
            make(name)
        except UserError as error:
            raise ArgumentError("{}: {}".format(option, error)) from None
    check_distinct(option, asked)
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


def _of_parts(job: Job) -> str:
    """Returns what follows the name of a reduction where parts of the job keep others of their own: "" if none does."""
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
    """Returns the way in that all candidates take, and a sentence that says why."""
    if settings.input is not None:
        check_way(settings.input, "--input")
        way = full_name(settings.input)
        why = why_not(way, job, settings)
        if why is not None:
            raise ArgumentError("--input: {} can't serve this job: {}".format(way, why))
        return way, "every candidate takes its batches by {}".format(way)
    why = why_not(SYNTHETIC, job, settings)
    if why is None:
        return SYNTHETIC, (
            "every candidate computes on synthetic batches: the question is the gradients, which a slow input would "
            "hide; --input WAY takes another way in"
        )
    way = full_name(job.input)
    return way, "every candidate takes its batches by {}, the job's own: synthetic can't serve it ({})".format(way, why)


def _why_not(job: Job, settings: CompareSettings) -> Optional[str]:
    """Returns why a strategy and a reduction can't be had together here, found by building a small step of them."""
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


def _small_model(batch: Any, mode: str) -> TowerOutput:
    hidden = tf.matmul(batch, tf.get_variable("w", [4, 4], initializer=tf.ones_initializer()))
    bias = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
    return TowerOutput(loss=tf.reduce_mean(tf.square(hidden + bias - 1.0)))
