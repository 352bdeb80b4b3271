"""Comparison of the first steps of strategies and reductions with planted differences."""
import numpy as np
import pytest

from legacy_towers.compare.computation import Computation
from legacy_towers.compare.equal_numbers import NO_ORDER, Recorded, compare_steps
from legacy_towers.parity.first_steps import FirstSteps

SAME = Computation("reduced", (), None, 3.0, 2)
ROUNDED = SAME._replace(rounded_to="float16")
OTHER = SAME._replace(members=("accumulate(4)",))
LOSSES = [2.5, 2.25, 2.0]
GRADIENTS = {"a/w": np.float32([[1.0, -4.0]]), "b": np.float32([0.5])}


def record(first=0.0, after=0.0, dtype="float32", **changes):
    """Returns a record with the given differences in the first loss, the second loss and gradients."""
    losses = [LOSSES[0] + first, LOSSES[1] + after, LOSSES[2]]
    arrays = {name: array.astype(dtype) for name, array in GRADIENTS.items()}
    for name, by in changes.items():
        arrays[name.replace("__", "/")] = arrays[name.replace("__", "/")] + np.array(by, dtype)
    return Recorded(FirstSteps([loss.hex() for loss in losses], dtype), arrays)


def without(name):
    found = record()
    return found._replace(gradients={key: found.gradients[key] for key in found.gradients if key != name})


def with_more(name):
    return record()._replace(gradients=dict(GRADIENTS, **{name: np.zeros(1, np.float32)}))


@pytest.mark.parametrize(
    "other, computation, agrees, state, differs_in, message",
    [
        (record(), SAME, True, "same", None, "are the same to the last bit"),
        (record(first=2e-6, after=2e-5, b=4e-6), SAME, True, "same", None, "at most 8.0e-06 of the largest (in 'b')"),
        (record(first=1e-5), SAME, False, "same", None,
         "the first step's loss is 2.50001 and should be 2.5: they differ by 4.0e-06 (bound 1e-06)"),
        (record(after=1e-4), SAME, False, "same", None, "after its own update the loss is 2.2501 and should be 2.25"),
        (record(a__w=1e-3), SAME, False, "same", "a/w",
         "the gradient of 'a/w' differs by 2.5e-04 of its largest (bound 1e-05)"),
        (record(a__w=1e-3, b=1.0), SAME, False, "same", "a/w", "the gradient of 'a/w' differs"),
        (without("b"), SAME, False, "same", "b", "there is no gradient for 'b'"),
        (with_more("c"), SAME, False, "same", "c", "there is an additional gradient for 'c'"),
        (record(b=float("nan")), SAME, False, "same", "b", "differs by inf of its largest"),
        (record(after=1e-4, a__w=1e-3), ROUNDED, True, "rounded", None,
         "gradients are transferred in float16: the first step"),
        (record(a__w=0.1), ROUNDED, False, "rounded", "a/w", "(bound 3e-03)"),
        (record(first=1.0), OTHER, None, "other", None, "accumulate(4), and with the current one through a mean alone; "
                                                       "the loss of step 3 is 2, and 2 with mean"),
        (NO_ORDER, SAME._replace(updates="asynchronous"), None, "other", None,
         "towers apply their own gradients without waiting for each other"),
        ("the model draws", SAME, None, "same", None, "not compared: the model draws"),
    ],
    ids=["equal", "within the bounds", "first loss", "next loss", "gradient", "two gradients", "no gradient",
         "additional gradient", "nan", "rounded", "rounded beyond the bound", "by design", "asynchronous",
         "not recorded"],
)
def test_a_record_against_the_current_one(other, computation, agrees, state, differs_in, message):
    recorded = {"mean": record(), "tree": other}
    proof = compare_steps("tree", 2, recorded, "mean", {"mean": SAME, "tree": computation})
    assert (proof.candidate, proof.towers, proof.expected, proof.agrees) == ("tree", 2, state, agrees)
    assert proof.differs_in == differs_in and message in proof.sentence
    assert compare_steps("mean", 2, recorded, "mean", {"mean": SAME})[2:5] == ("current", None, LOSSES)


def test_float64_has_tighter_bounds():
    recorded = {"mean": record(dtype="float64"), "tree": record(dtype="float64", b=1e-9)}
    computations = {"mean": SAME, "tree": SAME}
    assert compare_steps("tree", 2, recorded, "mean", computations).differs_in == "b"
    recorded["tree"] = record(dtype="float64", after=1e-9)
    assert compare_steps("tree", 2, recorded, "mean", computations).agrees is False


def test_without_a_record_of_the_current_candidate_nothing_is_compared():
    recorded = {"mean": "its process has ended", "tree": record()}
    computations = {"mean": SAME, "tree": SAME}
    proof = compare_steps("tree", 2, recorded, "mean", computations)
    assert proof.agrees is None and "there is no record of mean: its process has ended" in proof.sentence
    assert proof.losses == LOSSES
    assert compare_steps("mean", 2, recorded, "mean", computations).sentence == "its process has ended"
