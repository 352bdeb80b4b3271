"""Proof beside speed: do strategies and reductions compute what the current one does?

All start from one set of values and take the same batches in the fixed order. Held against the current one are the loss
of the first step, each gradient of it, and the loss of the step after each one's own update: that tells whether every
tower has got the update. Variables aren't compared: an optimizer such as Adam makes differences of rounding in a tiny
gradient as large as the update itself.
"""
import os
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from legacy_towers.compare.candidates import SYNTHETIC, Candidates
from legacy_towers.compare.input_candidates import why_not
from legacy_towers.compare.meaning import Meaning, meaning_of
from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.compare.settings import CompareSettings
from legacy_towers.jobs import Job
from legacy_towers.parity import bounds
from legacy_towers.parity.arrays_file import read_arrays
from legacy_towers.parity.first_steps import FirstSteps
from legacy_towers.report.document import Proof
from legacy_towers.training.choices import with_choices
from legacy_towers.training.places import tower_devices

STEPS = 5  # in a row, of which the first two are compared
# An update from gradients within their bound moves the next loss by far less; one that is lost by far more.
NEXT_LOSS = {"float32": 1e-5, "float64": 1e-11}
_SPLIT = "dataset:split"
NO_ORDER = "asynchronous towers take their batches in no fixed order"


class Recorded(NamedTuple):
    """What one candidate computed."""

    steps: FirstSteps
    gradients: Dict[str, np.ndarray]  # of the first step, by variable


def same_numbers(
    pool: Pool, job: Job, settings: CompareSettings, candidates: Candidates, towers: int, at_most: int
) -> List[Proof]:
    """Lets running workers record their first steps, and holds them against the current candidate's.

    Args:
      pool: of the workers.
      job: as this process made it.
      settings: of the comparison.
      candidates: what is compared.
      towers: how many towers.
      at_most: workers at work at a time.
    """
    way = _way(job, settings, candidates)
    names = [candidates.current] + [name for name in candidates.names() if name != candidates.current]
    names = [name for name in names if name in pool]  # the others failed before this
    meanings = _meanings(job, candidates, towers, settings.device)
    recorded: Dict[str, Union[Recorded, str]] = {name: NO_ORDER for name in names}
    recorded.setdefault(candidates.current, "its process has ended")
    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder:
        paths = {name: os.path.join(folder, "gradients-{}.npz".format(number)) for number, name in enumerate(names)}
        commands = [
            (name, {
                "do": "first_steps", "input": way, "steps": STEPS, "gradients_path": paths[name],
                "values_path": os.path.join(folder, "values.npz"),
            })
            for name in names if meanings[name].updates != "asynchronous"
        ]

        def take(name: str, reply: Any) -> None:
            recorded[name] = _record(reply, paths[name])

        # The current one alone: its values are everyone's.
        pool.ask_all(commands[:1], 1, take)
        pool.ask_all(commands[1:], at_most, take)
    proofs = {
        name: compare_steps(name, towers, recorded, candidates.current, meanings) for name in names
    }
    return [proofs[name] for name in candidates.names() if name in proofs]


def _way(job: Job, settings: CompareSettings, candidates: Candidates) -> str:
    """Returns the way in for the proof: one whose batches change from step to step."""
    way = str(candidates.shared["input"])
    if way == SYNTHETIC and why_not(_SPLIT, job, settings) is None:
        return _SPLIT
    return way


def _record(reply: Any, gradients: str) -> Union[Recorded, str]:
    if isinstance(reply, WorkerFailed):
        return str(reply)
    if "not_compared" in reply:
        return str(reply["not_compared"])
    return Recorded(FirstSteps(**reply), read_arrays(gradients))


def _meanings(job: Job, candidates: Candidates, towers: int, device: str) -> Dict[str, Meaning]:
    devices = tower_devices(device, towers)
    return {
        each.name: meaning_of(with_choices(job, each.variables, each.reduction, devices), devices)
        for each in candidates.all
    }


def compare_steps(
    name: str, towers: int, recorded: Dict[str, Union[Recorded, str]], current: str, meanings: Dict[str, Meaning]
) -> Proof:
    """Returns what a candidate's record proves.

    Args:
      name: of the candidate.
      towers: how many towers.
      recorded: name -> what it computed, or why it wasn't recorded.
      current: the name of the one that the others are held against.
      meanings: name -> what it computes by design.
    """
    record, reference = recorded[name], recorded[current]
    losses = [] if isinstance(record, str) else [float.fromhex(text) for text in record.steps.losses]
    if name == current:
        sentence = record if isinstance(record, str) else "the others are held against it"
        return Proof(name, towers, "current", None, losses, None, None, None, None, sentence)
    expected, why = meanings[name].against(meanings[current])
    if expected == "other" and NO_ORDER in (record, reference):
        return Proof(name, towers, expected, None, losses, None, None, None, None, why)
    if isinstance(record, str) or isinstance(reference, str):
        sentence = record if isinstance(record, str) else "{} gave nothing to compare with: {}".format(
            current, reference
        )
        return Proof(name, towers, expected, None, losses, None, None, None, None, "not compared: " + sentence)
    if expected == "other":
        theirs = float.fromhex(reference.steps.losses[-1])
        sentence = "{}; the loss of step {} is {:.6g}, and {:.6g} by {}".format(
            why, len(losses), losses[-1], theirs, current
        )
        return Proof(name, towers, expected, None, losses, None, None, None, None, sentence)
    return _held_against(name, towers, expected, why, record, reference, meanings[name])


def _held_against(
    name: str, towers: int, expected: str, why: str, record: Recorded, reference: Recorded, meaning: Meaning
) -> Proof:
    losses, theirs = ([float.fromhex(text) for text in each.steps.losses] for each in (record, reference))
    first, after = (bounds.loss_distance(theirs[step], losses[step]) for step in (0, 1))
    bound = bounds.bound_of(reference.steps.dtype, bounds.RESTARTED_LOSS)
    next_bound = bounds.bound_of(reference.steps.dtype, NEXT_LOSS)
    # What gradients lose by rounding moves the next loss in proportion.
    next_bound = max(next_bound, meaning.gradient_bound(1.0) or 0.0)
    worst, where, outside = _gradients(record.gradients, reference.gradients, meaning)
    complaints = []
    if not first <= bound:
        complaints.append("the first step's loss is {:.9g} and should be {:.9g}, {:.1e} apart (bound {:.0e})".format(
            losses[0], theirs[0], first, bound
        ))
    complaints += [outside[1]] if outside else []
    if not after <= next_bound:
        complaints.append(
            "after its own update the loss is {:.9g} and should be {:.9g}, {:.1e} apart (bound {:.0e})".format(
                losses[1], theirs[1], after, next_bound
            )
        )
    if complaints:
        sentence = "; ".join(complaints)
    elif first == worst == after == 0:
        sentence = "the first step's loss, each of its gradients and the next step's loss are the same to the last bit"
    else:
        sentence = (
            "the first step's loss is {:.1e} apart, its gradients at most {:.1e} of the largest{}, the next step's "
            "loss {:.1e}".format(first, worst, " (in {!r})".format(where) if worst > 0 else "", after)
        )
    if why and not complaints:
        sentence = "{}: {}".format(why, sentence)
    return Proof(
        name, towers, expected, not complaints, losses, _finite(first), _finite(worst), _finite(after),
        outside[0] if outside else None, sentence,
    )


def _gradients(
    ours: Dict[str, np.ndarray], theirs: Dict[str, np.ndarray], meaning: Meaning
) -> Tuple[float, str, Optional[Tuple[str, str]]]:
    """Returns the greatest difference as a share of the variable's largest gradient, where it is, and the first
    variable that is out of its bound, with a sentence.
    """
    worst, where = 0.0, ""
    outside: Optional[Tuple[str, str]] = None
    for name in dict.fromkeys(list(theirs) + list(ours)):
        if name not in ours or name not in theirs:
            whose = "there is no gradient" if name in theirs else "only here is there a gradient"
            outside = outside or (name, "{} for {!r}".format(whose, name))
            continue
        allowed = bounds.bound_of(theirs[name].dtype.name, bounds.GRADIENT)
        largest = float(np.max(np.abs(theirs[name]), initial=0.0))
        if largest > 0:
            allowed = max(allowed, meaning.gradient_bound(largest) or 0.0)
        share = bounds.share_of_largest(theirs[name], ours[name])
        if share > worst:
            worst, where = share, name
        if not share <= allowed and outside is None:
            outside = name, "the gradient of {!r} differs by {:.1e} of its largest (bound {:.0e})".format(
                name, share, allowed
            )
    return worst, where, outside


def _finite(value: Any) -> Optional[float]:
    """Returns a figure as JSON can hold it."""
    return float(value) if np.isfinite(value) else None
