"""Checks that strategies and reductions compute the same numbers as the current candidate.

All candidates start from the same initial values and take the same batches in a fixed order. Compared with the current
candidate are the loss of the first step, each of its gradients, and the loss of the second step, after the
candidate's own update, which shows whether every tower received the update. Variables are not compared: an optimizer
such as Adam turns a rounding difference in a tiny gradient into one as large as the update itself.
"""
import os
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.computation import Computation, computation_of
from legacy_towers.compare.input_candidates import why_not
from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.compare.settings import CompareSettings
from legacy_towers.parity import bounds
from legacy_towers.parity.arrays_file import read_arrays
from legacy_towers.parity.first_steps import FirstSteps
from legacy_towers.report.document import Proof
from legacy_towers.specs.pipelines import SYNTHETIC
from legacy_towers.training.choices import with_choices
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.job import Job

STEPS = 5  # recorded in a row; the first two are compared
# An update from gradients within their bound changes the next loss by far less than this; a lost update by far more.
NEXT_LOSS = {"float32": 1e-5, "float64": 1e-11}
_SPLIT = "dataset:split"
NO_ORDER = "asynchronous towers take their batches in no fixed order"


class Recorded(NamedTuple):
    """The first steps that one candidate computed."""

    steps: FirstSteps
    gradients: Dict[str, np.ndarray]  # variable name -> its gradient in the first step


def same_numbers(
    pool: Pool, job: Job, settings: CompareSettings, candidates: Candidates, towers: int, at_most: int
) -> List[Proof]:
    """Records the first steps of each worker of `pool`, `at_most` at a time, and compares them."""
    pipeline = _pipeline(job, settings, candidates)
    names = [candidates.current] + [name for name in candidates.names() if name != candidates.current]
    names = [name for name in names if name in pool]  # the others have failed before
    computations = _computations(job, candidates, towers, settings.device)
    recorded: Dict[str, Union[Recorded, str]] = {name: NO_ORDER for name in names}
    recorded.setdefault(candidates.current, "its process has ended")
    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder:
        paths = {name: os.path.join(folder, "gradients-{}.npz".format(number)) for number, name in enumerate(names)}
        commands = [
            (name, {
                "do": "first_steps", "input": pipeline, "steps": STEPS, "gradients_path": paths[name],
                "values_path": os.path.join(folder, "values.npz"),
            })
            for name in names if computations[name].updates != "asynchronous"
        ]

        def take(name: str, reply: Any) -> None:
            recorded[name] = _record(reply, paths[name])

        # The current candidate runs alone: all others start from the initial values that it writes.
        pool.ask_all(commands[:1], 1, take)
        pool.ask_all(commands[1:], at_most, take)
    proofs = {
        name: compare_steps(name, towers, recorded, candidates.current, computations) for name in names
    }
    return [proofs[name] for name in candidates.names() if name in proofs]


def _pipeline(job: Job, settings: CompareSettings, candidates: Candidates) -> str:
    """Returns the input pipeline for the proof: where possible one whose batches change from step to step."""
    pipeline = str(candidates.shared["input"])
    if pipeline == SYNTHETIC and why_not(_SPLIT, job, settings) is None:
        return _SPLIT
    return pipeline


def _record(reply: Any, gradients: str) -> Union[Recorded, str]:
    if isinstance(reply, WorkerFailed):
        return str(reply)
    if "not_compared" in reply:
        return str(reply["not_compared"])
    return Recorded(FirstSteps(**reply), read_arrays(gradients))


def _computations(job: Job, candidates: Candidates, towers: int, device: str) -> Dict[str, Computation]:
    devices = tower_devices(device, towers)
    return {
        each.name: computation_of(with_choices(job, each.variables, each.reduction, devices), devices)
        for each in candidates.all
    }


def compare_steps(
    name: str, towers: int, recorded: Dict[str, Union[Recorded, str]], current: str,
    computations: Dict[str, Computation],
) -> Proof:
    """Compares a candidate's recorded steps with the current candidate's and returns the proof.

    Args:
      recorded: name -> what the candidate computed, or why it wasn't recorded.
      computations: name -> what the candidate computes by design.
    """
    record, reference = recorded[name], recorded[current]
    losses = [] if isinstance(record, str) else [float.fromhex(text) for text in record.steps.losses]
    if name == current:
        sentence = record if isinstance(record, str) else "the others are compared with it"
        return Proof(name, towers, "current", None, losses, None, None, None, None, sentence)
    expected, why = computations[name].against(computations[current])
    if expected == "other" and NO_ORDER in (record, reference):
        return Proof(name, towers, expected, None, losses, None, None, None, None, why)
    if isinstance(record, str) or isinstance(reference, str):
        sentence = record if isinstance(record, str) else "there is no record of {}: {}".format(
            current, reference
        )
        return Proof(name, towers, expected, None, losses, None, None, None, None, "not compared: " + sentence)
    if expected == "other":
        theirs = float.fromhex(reference.steps.losses[-1])
        sentence = "{}; the loss of step {} is {:.6g}, and {:.6g} with {}".format(
            why, len(losses), losses[-1], theirs, current
        )
        return Proof(name, towers, expected, None, losses, None, None, None, None, sentence)
    return _compared(name, towers, expected, why, record, reference, computations[name])


def _compared(
    name: str, towers: int, expected: str, why: str, record: Recorded, reference: Recorded, computation: Computation
) -> Proof:
    losses, theirs = ([float.fromhex(text) for text in each.steps.losses] for each in (record, reference))
    first, after = (bounds.loss_distance(theirs[step], losses[step]) for step in (0, 1))
    bound = bounds.bound_of(reference.steps.dtype, bounds.RESTARTED_LOSS)
    next_bound = bounds.bound_of(reference.steps.dtype, NEXT_LOSS)
    # Rounded gradients change the next loss in proportion to their bound.
    next_bound = max(next_bound, computation.gradient_bound(1.0) or 0.0)
    worst, where, outside = _gradients(record.gradients, reference.gradients, computation)
    problems = []
    if not first <= bound:
        problems.append(
            "the first step's loss is {:.9g} and should be {:.9g}: they differ by {:.1e} (bound {:.0e})".format(
                losses[0], theirs[0], first, bound
            )
        )
    problems += [outside[1]] if outside else []
    if not after <= next_bound:
        problems.append(
            "after its own update the loss is {:.9g} and should be {:.9g}: they differ by {:.1e} (bound {:.0e})".format(
                losses[1], theirs[1], after, next_bound
            )
        )
    if problems:
        sentence = "; ".join(problems)
    elif first == worst == after == 0:
        sentence = "the first step's loss, each of its gradients and the next step's loss are the same to the last bit"
    else:
        sentence = (
            "the first step's loss differs by {:.1e}, its gradients by at most {:.1e} of the largest{}, the next "
            "step's loss by {:.1e}".format(first, worst, " (in {!r})".format(where) if worst > 0 else "", after)
        )
    if why and not problems:
        sentence = "{}: {}".format(why, sentence)
    return Proof(
        name, towers, expected, not problems, losses, _finite(first), _finite(worst), _finite(after),
        outside[0] if outside else None, sentence,
    )


def _gradients(
    ours: Dict[str, np.ndarray], theirs: Dict[str, np.ndarray], computation: Computation
) -> Tuple[float, str, Optional[Tuple[str, str]]]:
    """Returns the largest difference as a share of the variable's largest gradient, the name of that variable, and the
    first variable that is out of its bound with a sentence (None if no variable is).
    """
    worst, where = 0.0, ""
    outside: Optional[Tuple[str, str]] = None
    for name in dict.fromkeys(list(theirs) + list(ours)):
        if name not in ours or name not in theirs:
            problem = "there is no gradient" if name in theirs else "there is an additional gradient"
            outside = outside or (name, "{} for {!r}".format(problem, name))
            continue
        allowed = bounds.bound_of(theirs[name].dtype.name, bounds.GRADIENT)
        largest = float(np.max(np.abs(theirs[name]), initial=0.0))
        if largest > 0:
            allowed = max(allowed, computation.gradient_bound(largest) or 0.0)
        share = bounds.relative_difference(theirs[name], ours[name])
        if share > worst:
            worst, where = share, name
        if not share <= allowed and outside is None:
            outside = name, "the gradient of {!r} differs by {:.1e} of its largest (bound {:.0e})".format(
                name, share, allowed
            )
    return worst, where, outside


def _finite(value: Any) -> Optional[float]:
    """Returns a finite value as a float, and None for NaN and infinity, which JSON can't hold."""
    return float(value) if np.isfinite(value) else None
