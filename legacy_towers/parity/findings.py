"""Compares two records of one job."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.parity import bounds
from legacy_towers.parity.recording import Batch, read_batches, read_gradients, read_record
from legacy_towers.text.names import counted, quoted


class Finding(NamedTuple):
    """The result of one comparison.

    Attributes:
      subject: "variables", "input", "forward", "gradients", "trajectory", "free run" or "random numbers".
      agrees: whether the records agree within the bounds; None if there is no bound.
      sentence: the result as a sentence.
      worst: the largest difference; None if it is not a number.
      bound: the bound for the difference.
    """

    subject: str
    agrees: Optional[bool]
    sentence: str
    worst: Optional[float] = None
    bound: Optional[float] = None


def compare_variables(reference: Dict[str, Any], other: Dict[str, Any]) -> Finding:
    """Compares names, shapes and dtypes of variables, and which ones are trainable."""
    ours = {row[0]: tuple(row[1:]) for row in reference["variables"]}
    theirs = {row[0]: tuple(row[1:]) for row in other["variables"]}
    wrong = []
    for title, one, two in (("only the first has", ours, theirs), ("only the second has", theirs, ours)):
        names = sorted(set(one) - set(two))
        if names:
            wrong.append("{} {}".format(title, quoted(names)))
    for name in sorted(set(ours) & set(theirs)):
        if ours[name] != theirs[name]:
            wrong.append("{!r} is {} and {}".format(name, _variable_text(ours[name]), _variable_text(theirs[name])))
    if wrong:
        return Finding("variables", False, "; ".join(wrong))
    numbers = sum(int(np.prod(shape)) for shape, _, _ in ours.values())
    return Finding("variables", True, "{}, {:,} numbers: the same names, shapes and dtypes".format(
        counted(len(ours), "variable"), numbers
    ))


def _variable_text(facts: Sequence[Any]) -> str:
    shape, dtype, trainable = facts
    return "{} {}{}".format(dtype, list(shape), "" if trainable else ", not trained")


def compare_batches(reference: Sequence[Batch], other: Sequence[Batch]) -> Finding:
    """Compares the batches of the towers, bit for bit."""
    for step, (ours, theirs) in enumerate(zip(reference, other), start=1):
        for name in ours:
            difference = _difference(ours[name], theirs.get(name))
            if difference:
                return Finding("input", False, "step {}, {}: {}; the comparisons below use the batches of the "
                               "first".format(step, name.replace("/", ", component ", 1), difference))
    return Finding("input", True, "the batches of {} steps are equal bit for bit".format(len(reference)))


def _difference(ours: np.ndarray, theirs: Optional[np.ndarray]) -> str:
    if theirs is None:
        return "only the first has it"
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return "{} {} and {} {}".format(ours.dtype, list(ours.shape), theirs.dtype, list(theirs.shape))
    if np.array_equal(ours, theirs) or (ours.dtype.kind == "f" and ours.tobytes() == theirs.tobytes()):
        return ""
    if ours.dtype.kind not in "fiu":
        return "the values differ"
    return "values differ by at most {:.2g}".format(
        np.max(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)))
    )


def compare_gradients(reference: Dict[str, np.ndarray], other: Dict[str, np.ndarray]) -> Finding:
    """Compares the averaged gradients of the first step, per variable, relative to the largest one."""
    one_sided = sorted(set(reference) ^ set(other))
    if one_sided:
        return Finding("gradients", False, "only one of the two has a gradient for {}".format(quoted(one_sided)))
    if not reference:
        return Finding("gradients", False, "no variable has a gradient")
    worst, worst_name, worst_bound = -1.0, "", 0.0
    outside = []
    for name in reference:
        bound = bounds.bound_of(reference[name].dtype.name, bounds.GRADIENT)
        difference = bounds.relative_difference(reference[name], other[name])
        if not difference <= bound:
            outside.append(name)
        if difference > worst:
            worst, worst_name, worst_bound = difference, name, bound
    sentence = (
        "{} gradients of the first step; the greatest difference is {:.1e} of the largest gradient, in {!r} "
        "(bound {:.0e})".format(len(reference), worst, worst_name, worst_bound)
    )
    if len(outside) > 1:
        sentence += "; outside their bounds: {}".format(quoted(outside))
    return Finding("gradients", not outside, sentence, worst, worst_bound)


def compare_losses(reference: Dict[str, Any], other: Dict[str, Any]) -> List[Finding]:
    """Compares the loss of the first step, of each step restarted from the same values, and of consecutive steps."""
    dtype = reference["loss_dtype"]
    bound = bounds.bound_of(dtype, bounds.RESTARTED_LOSS)
    ours, restarted, free = (_numbers(record[key]) for record, key in (
        (reference, "free"), (other, "restarted"), (other, "free")
    ))
    distances = [bounds.loss_distance(one, two) for one, two in zip(ours, restarted)]
    worst = int(np.argmax(distances))
    outside = [step for step, distance in enumerate(distances, start=1) if not distance <= bound]
    forward = "loss {:.9g} and {:.9g} from the same values, a difference of {:.1e} (bound {:.0e})".format(
        ours[0], restarted[0], distances[0], bound
    )
    trajectory = (
        "each of {} steps from the same values: the loss differs by at most {:.1e}, in step {} (bound {:.0e})".format(
            len(distances), distances[worst], worst + 1, bound
        )
    )
    if outside:
        trajectory += "; the first step outside the bound is {}".format(outside[0])
    return [
        Finding("forward", distances[0] <= bound, forward, distances[0], bound),
        Finding("trajectory", not outside, trajectory, distances[worst], bound),
        _free_run(ours, free, dtype, bound),
    ]


def _free_run(ours: Sequence[float], free: Sequence[float], dtype: str, bound: float) -> Finding:
    distances = [bounds.loss_distance(one, two) for one, two in zip(ours, free)]
    first = next((step for step, distance in enumerate(distances, start=1) if not distance <= bound), None)
    if first is None:
        sentence = "the losses of {} consecutive steps differ by at most {:.0e}".format(len(distances), bound)
    else:
        sentence = "without restarts the losses diverge at step {} of {} ({:.9g} and {:.9g})".format(
            first, len(distances), ours[first - 1], free[first - 1]
        )
        if dtype != "float64":
            sentence += "; in {} this is expected, by rounding alone".format(dtype)
    # In float32, consecutive steps diverge by rounding: there is no bound.
    agrees = first is None if dtype == "float64" else None
    return Finding("free run", agrees, sentence, max(distances), bound)


def _numbers(hexadecimal: Sequence[str]) -> List[float]:
    return [float.fromhex(text) for text in hexadecimal]


def compare_records(reference_folder: str, other_folder: str, steps: int) -> List[Finding]:
    """Returns the findings for two records, in the order of a step: variables, input, forward pass, gradients."""
    reference, other = read_record(reference_folder), read_record(other_folder)
    findings = [compare_variables(reference, other)]
    findings.append(compare_batches(read_batches(reference_folder, steps), read_batches(other_folder, steps)))
    if not findings[0].agrees:
        return findings
    random_ops = sorted(set(reference["random_ops"]) | set(other["random_ops"]))
    if random_ops:
        findings.append(Finding(
            "random numbers", None,
            "the forward pass draws random numbers ({}), which differ between two versions of TensorFlow: disable "
            "them, for example by a keep probability of 1, to compare losses and gradients".format(quoted(random_ops)),
        ))
    forward, trajectory, free = compare_losses(reference, other)
    gradients = compare_gradients(read_gradients(reference_folder), read_gradients(other_folder))
    return findings + [forward, gradients, trajectory, free]
