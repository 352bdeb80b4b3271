"""Two records of one job: what agrees, and where they part."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.names import quoted
from legacy_towers.parity import bounds
from legacy_towers.parity.recording import Batch, read_batches, read_gradients, read_record


class Finding(NamedTuple):
    """The answer to one question.

    Attributes:
      subject: "variables", "input", "forward", "gradients", "trajectory", "free run" or "random numbers".
      agrees: whether it is within the bounds; None where no bound applies.
      sentence: what was found.
      worst: the largest difference that was seen; None where it is no number.
      bound: the bound for it.
    """

    subject: str
    agrees: Optional[bool]
    sentence: str
    worst: Optional[float] = None
    bound: Optional[float] = None


def compare_variables(reference: Dict[str, Any], other: Dict[str, Any]) -> Finding:
    """Compares names, shapes, dtypes, and which are trained."""
    ours = {row[0]: tuple(row[1:]) for row in reference["variables"]}
    theirs = {row[0]: tuple(row[1:]) for row in other["variables"]}
    wrong = []
    for title, one, two in (("only the first has", ours, theirs), ("only the second has", theirs, ours)):
        names = sorted(set(one) - set(two))
        if names:
            wrong.append("{} {}".format(title, quoted(names)))
    for name in sorted(set(ours) & set(theirs)):
        if ours[name] != theirs[name]:
            wrong.append("{!r} is {} and {}".format(name, _in_words(ours[name]), _in_words(theirs[name])))
    if wrong:
        return Finding("variables", False, "; ".join(wrong))
    numbers = sum(int(np.prod(shape)) for shape, _, _ in ours.values())
    return Finding("variables", True, "{} variables, {:,} numbers: the same names, shapes and dtypes".format(
        len(ours), numbers
    ))


def _in_words(facts: Sequence[Any]) -> str:
    shape, dtype, trainable = facts
    return "{} {}{}".format(dtype, list(shape), "" if trainable else ", not trained")


def compare_batches(reference: Sequence[Batch], other: Sequence[Batch]) -> Finding:
    """Compares what the towers got, bit for bit."""
    for step, (ours, theirs) in enumerate(zip(reference, other), start=1):
        for name in ours:
            difference = _difference(ours[name], theirs.get(name))
            if difference:
                return Finding("input", False, "step {}, {}: {}; all that follows is computed on the batches of the "
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
    """Compares the averaged gradients of the first step, per variable, as a share of the largest one."""
    one_sided = sorted(set(reference) ^ set(other))
    if one_sided:
        return Finding("gradients", False, "only one of the two has a gradient for {}".format(quoted(one_sided)))
    if not reference:
        return Finding("gradients", False, "no variable has a gradient")
    worst_share, worst_name, worst_bound = -1.0, "", 0.0
    outside = []
    for name in reference:
        bound = bounds.bound_of(reference[name].dtype.name, bounds.GRADIENT)
        share = bounds.share_of_largest(reference[name], other[name])
        if not share <= bound:
            outside.append(name)
        if share > worst_share:
            worst_share, worst_name, worst_bound = share, name, bound
    sentence = (
        "{} gradients of the first step; the greatest difference is {:.1e} of the largest gradient, in {!r} "
        "(bound {:.0e})".format(len(reference), worst_share, worst_name, worst_bound)
    )
    if len(outside) > 1:
        sentence += "; outside of their bounds: {}".format(quoted(outside))
    return Finding("gradients", not outside, sentence, worst_share, worst_bound)


def compare_losses(reference: Dict[str, Any], other: Dict[str, Any]) -> List[Finding]:
    """Compares the loss of the first step, of each step taken from the same values, and of the free runs."""
    dtype = reference["loss_dtype"]
    bound = bounds.bound_of(dtype, bounds.RESTARTED_LOSS)
    ours, restarted, free = (_numbers(record[key]) for record, key in (
        (reference, "free"), (other, "restarted"), (other, "free")
    ))
    distances = [bounds.loss_distance(one, two) for one, two in zip(ours, restarted)]
    worst = int(np.argmax(distances))
    outside = [step for step, distance in enumerate(distances, start=1) if not distance <= bound]
    forward = "loss {:.9g} and {:.9g} from the same values: {:.1e} apart (bound {:.0e})".format(
        ours[0], restarted[0], distances[0], bound
    )
    trajectory = (
        "each of {} steps from the same values: the loss differs by at most {:.1e}, in step {} (bound {:.0e})".format(
            len(distances), distances[worst], worst + 1, bound
        )
    )
    if outside:
        trajectory += "; the first step outside is {}".format(outside[0])
    return [
        Finding("forward", distances[0] <= bound, forward, distances[0], bound),
        Finding("trajectory", not outside, trajectory, distances[worst], bound),
        _free_run(ours, free, dtype, bound),
    ]


def _free_run(ours: Sequence[float], free: Sequence[float], dtype: str, bound: float) -> Finding:
    distances = [bounds.loss_distance(one, two) for one, two in zip(ours, free)]
    parted = next((step for step, distance in enumerate(distances, start=1) if not distance <= bound), None)
    if parted is None:
        sentence = "{} steps in a row stay within {:.0e}".format(len(distances), bound)
    else:
        sentence = "in a row the losses part at step {} of {} ({:.9g} and {:.9g})".format(
            parted, len(distances), ours[parted - 1], free[parted - 1]
        )
        if dtype != "float64":
            sentence += "; in {} they do so freely, by rounding alone".format(dtype)
    # In float32 rounding alone parts free runs: no bound holds there.
    agrees = parted is None if dtype == "float64" else None
    return Finding("free run", agrees, sentence, max(distances), bound)


def _numbers(hexadecimal: Sequence[str]) -> List[float]:
    return [float.fromhex(text) for text in hexadecimal]


def compare_records(reference_folder: str, other_folder: str, steps: int) -> List[Finding]:
    """Returns all findings on two records, in the order in which things happen in a step."""
    reference, other = read_record(reference_folder), read_record(other_folder)
    findings = [compare_variables(reference, other)]
    findings.append(compare_batches(read_batches(reference_folder, steps), read_batches(other_folder, steps)))
    if not findings[0].agrees:
        return findings
    drawn = sorted(set(reference["random_ops"]) | set(other["random_ops"]))
    if drawn:
        findings.append(Finding(
            "random numbers", None,
            "the forward pass draws random numbers ({}), which two TensorFlows don't draw alike: take them out, as "
            "by a keep probability of 1, to compare what follows".format(quoted(drawn)),
        ))
    forward, trajectory, free = compare_losses(reference, other)
    gradients = compare_gradients(read_gradients(reference_folder), read_gradients(other_folder))
    return findings + [forward, gradients, trajectory, free]
