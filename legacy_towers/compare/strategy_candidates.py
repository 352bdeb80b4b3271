"""Which strategies for variables and which reductions of gradients are compared, and why others are not."""
import itertools
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers import inputs
from legacy_towers.compare.candidates import SYNTHETIC, Candidate, Candidates
from legacy_towers.compare.input_candidates import full_name, why_not
from legacy_towers.compare.settings import CompareSettings, check_distinct
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients import mean
from legacy_towers.gradients.named import REDUCTIONS, make_reduction
from legacy_towers.inputs.ways import check_way
from legacy_towers.jobs import Job
from legacy_towers.report.document import PAIRS, VARIABLES
from legacy_towers.report.document import REDUCTIONS as OF_REDUCTIONS
from legacy_towers.step import build_train_step
from legacy_towers.towers.output import TowerOutput
from legacy_towers.training.choices import in_words, reduction_of, strategy_of, with_choices
from legacy_towers.training.places import tower_devices
from legacy_towers.variables import ParameterServer
from legacy_towers.variables.named import STRATEGIES, make_strategy

ALL = "all"
NO_SUM = "each tower applies its own gradients, so there is no sum to lay out"


class _Choices(NamedTuple):
    """The names on one side of a comparison.

    Attributes:
      names: as asked for; None: this side is held as the job has it.
      own: what the job has, by a name where there is one, else as it prints.
      are_all: whether all names were asked for, so that what can't be is left out without an error.
    """

    names: Optional[List[str]]
    own: str
    are_all: bool


def find_strategies(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the strategies, reductions, or pairs of both, to compare; the job's own among them unless another is
    named as current.

    Raises:
      ArgumentError: an unknown name, one named twice, `current` is none of them, or one that was asked for by name
        can't be.
    """
    devices = tower_devices(settings.device, max(settings.towers))
    strategies = _strategies(job, settings, devices)
    reductions = _reductions(job, settings)
    subject = VARIABLES if reductions.names is None else OF_REDUCTIONS if strategies.names is None else PAIRS
    candidates, left_out, notes = [], [], []
    way, note = _input(job, settings)
    own = _candidate(subject, way, strategies.own, reductions.own)._replace(variables=None, reduction=None)
    if subject == OF_REDUCTIONS and not _sums(job, devices):
        raise ArgumentError("--reductions: the job's variables are {}: {}; name strategies too, by --variables".format(
            strategies.own, NO_SUM
        ))
    for variables, reduction in itertools.product(strategies.names or [None], reductions.names or [None]):
        asked = with_choices(job, variables, reduction)
        if reduction is not None and not _sums(asked, devices):
            left_out.append((_name(subject, variables, reduction), NO_SUM))
            alone = Candidate(str(variables), way, variables)
            if alone not in candidates:
                candidates.append(alone)
            continue
        candidate = _candidate(subject, way, variables, reduction)
        why = _why_not(asked, settings)
        if why is None:
            candidates.append(candidate)
        elif subject == PAIRS or (strategies if subject == VARIABLES else reductions).are_all:
            left_out.append((candidate.name, why))
        else:
            raise ArgumentError("--{}: {} can't be: {}".format(subject, candidate.name, why))
    if settings.current is None and own.name not in [candidate.name for candidate in candidates]:
        notes.append("{} is compared too: it is what the job has".format(own.name))
        candidates.insert(0, own)
    current = _current(settings, candidates, own.name, subject)
    shared = {"input": way}
    if subject == VARIABLES:
        shared["reduction"] = reductions.own
    if subject == OF_REDUCTIONS:
        shared["variables"] = strategies.own
    words = {
        candidate.name: (candidate.variables or strategies.own, candidate.reduction or reductions.own)
        for candidate in candidates
    }
    return Candidates(subject, candidates, current, left_out, shared, words, [note] + notes)


def _strategies(job: Job, settings: CompareSettings, devices: Sequence[str]) -> _Choices:
    own = in_words(job.variables)
    if not isinstance(job.variables, str):
        own = _known_name(
            strategy_of(job, devices) or ParameterServer("/cpu:0"), STRATEGIES,
            lambda name: make_strategy(name, list(devices)),
        )
    return _choices("--variables", settings.variables, STRATEGIES, own, lambda name: make_strategy(name, list(devices)))


def _reductions(job: Job, settings: CompareSettings) -> _Choices:
    own = in_words(job.reduction)
    if not isinstance(job.reduction, str):
        own = _known_name(reduction_of(job) or mean(), REDUCTIONS, make_reduction)
    return _choices("--reductions", settings.reductions, REDUCTIONS, own, make_reduction)


def _choices(
    option: str, asked: Optional[Sequence[str]], known: Sequence[str], own: str, make: Callable[[str], Any]
) -> _Choices:
    if asked is None:
        return _Choices(None, own, False)
    if not asked:
        raise ArgumentError("{} names nothing".format(option))
    if list(asked) == [ALL]:
        return _Choices(list(known), own, True)
    for name in asked:
        try:
            make(name)
        except UserError as error:
            raise ArgumentError("{}: {}".format(option, error)) from None
    check_distinct(option, asked)
    return _Choices(list(asked), own, False)


def _known_name(value: Any, names: Sequence[str], make: Callable[[str], Any]) -> str:
    """Returns the name that makes an equal value, else what the value prints as."""
    for name in names:
        try:
            if repr(make(name)) == repr(value):
                return name
        except UserError:  # this one can't be made here
            continue
    return repr(value)


def _name(subject: str, variables: Optional[str], reduction: Optional[str]) -> str:
    if subject == PAIRS:
        return "{} with {}".format(variables, reduction)
    return str(variables if subject == VARIABLES else reduction)


def _candidate(subject: str, way: str, variables: Optional[str], reduction: Optional[str]) -> Candidate:
    return Candidate(_name(subject, variables, reduction), way, variables, reduction)


def _current(settings: CompareSettings, candidates: Sequence[Candidate], own: str, subject: str) -> str:
    names = [candidate.name for candidate in candidates]
    if settings.current is None:
        return own
    if settings.current not in names:
        raise ArgumentError("--current is {!r}, which is not compared: name one of {}".format(
            settings.current, ", ".join(names)
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


def _sums(job: Job, devices: Sequence[str]) -> bool:
    strategy = strategy_of(job, devices)
    return strategy is None or strategy.updates == "reduced"


def _why_not(job: Job, settings: CompareSettings) -> Optional[str]:
    """Returns why a strategy and a reduction can't be had together here, found by building a small step of them."""
    for towers in settings.towers:
        devices = tower_devices(settings.device, towers)
        try:
            with tf.Graph().as_default():
                build_train_step(
                    _small_model, inputs.from_tensors(per_tower=[tf.fill([2, 4], float(k)) for k in range(towers)]),
                    tf.train.GradientDescentOptimizer(0.1), devices, variables=strategy_of(job, devices),
                    reduction=reduction_of(job), on_missing=job.on_missing,
                )
        except UserError as error:
            return str(error)
    return None


def _small_model(batch: Any, mode: str) -> TowerOutput:
    hidden = tf.matmul(batch, tf.get_variable("w", [4, 4], initializer=tf.ones_initializer()))
    bias = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
    return TowerOutput(loss=tf.reduce_mean(tf.square(hidden + bias - 1.0)))
