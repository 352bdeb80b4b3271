"""Findings for two records: equal ones, and planted differences."""
import numpy as np
import pytest

from legacy_towers.parity import bounds
from legacy_towers.parity.findings import compare_batches, compare_gradients, compare_losses, compare_variables

W = ["w", [3, 1], "float32", True]

VARIABLES = [
    ("the same", [W], [W], True, "1 variable, 3 numbers: the same"),
    ("another name", [W], [["v", [3, 1], "float32", True]], False, "only the first has 'w'; only the second has 'v'"),
    ("another shape", [W], [["w", [3], "float32", True]], False, "'w' is float32 [3, 1] and float32 [3]"),
    ("another dtype", [W], [["w", [3, 1], "float64", True]], False, "'w' is float32 [3, 1] and float64 [3, 1]"),
    ("not trained", [W], [["w", [3, 1], "float32", False]], False, "float32 [3, 1], not trained"),
]


@pytest.mark.parametrize(
    "ours, theirs, agrees, message", [row[1:] for row in VARIABLES], ids=[row[0] for row in VARIABLES]
)
def test_compare_variables(ours, theirs, agrees, message):
    found = compare_variables({"variables": ours}, {"variables": theirs})
    assert found.agrees is agrees
    assert message in found.sentence


IMAGE = np.float32([[1, 2], [3, 4]])
BATCHES = [
    ("equal", IMAGE, IMAGE.copy(), True, "the batches of 2 steps are equal bit for bit"),
    ("a value", IMAGE, IMAGE + np.float32([[0, 0.5], [0, 0]]), False,
     "step 2, tower 1, component image: values differ by at most 0.5"),
    ("shape", IMAGE, IMAGE[:1], False, "float32 [2, 2] and float32 [1, 2]"),
    ("equal NaN", np.float32([np.nan]), np.float32([np.nan]), True, "bit for bit"),
    ("strings", np.array([b"a"], object), np.array([b"b"], object), False, "the values differ"),
]


@pytest.mark.parametrize("ours, theirs, agrees, message", [row[1:] for row in BATCHES], ids=[row[0] for row in BATCHES])
def test_compare_batches(ours, theirs, agrees, message):
    found = compare_batches([{"tower 1/image": IMAGE}, {"tower 1/image": ours}],
                            [{"tower 1/image": IMAGE}, {"tower 1/image": theirs}])
    assert found.agrees is agrees
    assert message in found.sentence


G = np.float32([1.0, -4.0])
GRADIENTS = [
    ("equal", {"w": G}, {"w": G}, True),
    ("within 1e-5 of the largest", {"w": G}, {"w": G + np.float32([2e-5, 0])}, True),
    ("beyond", {"w": G}, {"w": G + np.float32([1e-4, 0])}, False),
    ("beyond the bound of float64", {"w": G.astype(float)}, {"w": G.astype(float) + [1e-9, 0]}, False),
    ("missing in one", {"w": G, "b": G}, {"w": G}, False),
    ("zero and nonzero", {"w": 0 * G}, {"w": G}, False),
    ("not finite", {"w": G}, {"w": G * np.float32(np.nan)}, False),
    ("no gradients", {}, {}, False),
]


@pytest.mark.parametrize("ours, theirs, agrees", [row[1:] for row in GRADIENTS], ids=[row[0] for row in GRADIENTS])
def test_compare_gradients(ours, theirs, agrees):
    assert compare_gradients(ours, theirs).agrees is agrees


def losses(dtype, ours, restarted, free):
    as_text = [[value.hex() for value in values] for values in (ours, restarted, free)]
    return compare_losses({"loss_dtype": dtype, "free": as_text[0]}, {"restarted": as_text[1], "free": as_text[2]})


def test_losses_within_their_bounds():
    forward, trajectory, free = losses("float32", [2.0, 1.0], [2.0 + 1e-7, 1.0], [2.0, 1.0])
    assert (forward.agrees, trajectory.agrees, free.agrees) == (True, True, None)
    assert "the losses of 2 consecutive steps differ by at most 1e-06" in free.sentence


def test_the_first_step_outside_the_bound_is_reported():
    forward, trajectory, free = losses("float32", [3.0, 2.0, 1.0], [3.0, 2.1, 1.1], [3.0, 2.1, 1.4])
    assert (forward.agrees, trajectory.agrees, free.agrees) == (True, False, None)
    assert "the first step outside the bound is 2" in trajectory.sentence and "in step 3" in trajectory.sentence
    assert "the losses diverge at step 2 of 3 (2 and 2.1); in float32 this is expected" in free.sentence


def test_the_bound_of_float64_applies_to_consecutive_steps_too():
    _, _, free = losses("float64", [2.0, 1.0], [2.0, 1.0], [2.0, 1.0 + 1e-8])
    assert free.agrees is False


@pytest.mark.parametrize("one, other, distance", [
    (1.0, 1.5, 0.5), (100.0, 101.0, 0.01), (float("nan"), 1.0, float("inf")), (float("nan"), float("nan"), 0.0),
    (float("inf"), float("inf"), 0.0), (float("inf"), 1.0, float("inf")),
])
def test_loss_distance(one, other, distance):
    assert bounds.loss_distance(one, other) == pytest.approx(distance)
