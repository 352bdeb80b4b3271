"""What is said of two records: planted differences are found and named, and equal ones are not."""
import numpy as np
import pytest

from legacy_towers.parity import bounds
from legacy_towers.parity.findings import compare_batches, compare_gradients, compare_losses, compare_variables

W = ["w", [3, 1], "float32", True]

VARIABLES = [
    ("the same", [W], [W], True, "1 variables, 3 numbers: the same"),
    ("another name", [W], [["v", [3, 1], "float32", True]], False, "only the first has 'w'; only the second has 'v'"),
    ("another shape", [W], [["w", [3], "float32", True]], False, "'w' is float32 [3, 1] and float32 [3]"),
    ("another dtype", [W], [["w", [3, 1], "float64", True]], False, "'w' is float32 [3, 1] and float64 [3, 1]"),
    ("not trained", [W], [["w", [3, 1], "float32", False]], False, "float32 [3, 1], not trained"),
]


@pytest.mark.parametrize(
    "ours, theirs, agrees, said", [row[1:] for row in VARIABLES], ids=[row[0] for row in VARIABLES]
)
def test_variables(ours, theirs, agrees, said):
    found = compare_variables({"variables": ours}, {"variables": theirs})
    assert found.agrees is agrees
    assert said in found.sentence


IMAGE = np.float32([[1, 2], [3, 4]])
BATCHES = [
    ("equal", IMAGE, IMAGE.copy(), True, "the batches of 2 steps are equal bit for bit"),
    ("a value", IMAGE, IMAGE + np.float32([[0, 0.5], [0, 0]]), False,
     "step 2, tower 1, component image: values differ by at most 0.5"),
    ("shape", IMAGE, IMAGE[:1], False, "float32 [2, 2] and float32 [1, 2]"),
    ("NaN is the same NaN", np.float32([np.nan]), np.float32([np.nan]), True, "bit for bit"),
    ("strings", np.array([b"a"], object), np.array([b"b"], object), False, "the values differ"),
]


@pytest.mark.parametrize("ours, theirs, agrees, said", [row[1:] for row in BATCHES], ids=[row[0] for row in BATCHES])
def test_batches(ours, theirs, agrees, said):
    found = compare_batches([{"tower 1/image": IMAGE}, {"tower 1/image": ours}],
                            [{"tower 1/image": IMAGE}, {"tower 1/image": theirs}])
    assert found.agrees is agrees
    assert said in found.sentence


G = np.float32([1.0, -4.0])
GRADIENTS = [
    ("equal", {"w": G}, {"w": G}, True),
    ("within 1e-5 of the largest", {"w": G}, {"w": G + np.float32([2e-5, 0])}, True),
    ("beyond", {"w": G}, {"w": G + np.float32([1e-4, 0])}, False),
    ("float64 is held to more", {"w": G.astype(float)}, {"w": G.astype(float) + [1e-9, 0]}, False),
    ("one has none", {"w": G, "b": G}, {"w": G}, False),
    ("zero against something", {"w": 0 * G}, {"w": G}, False),
    ("not finite", {"w": G}, {"w": G * np.float32(np.nan)}, False),
    ("none at all", {}, {}, False),
]


@pytest.mark.parametrize("ours, theirs, agrees", [row[1:] for row in GRADIENTS], ids=[row[0] for row in GRADIENTS])
def test_gradients(ours, theirs, agrees):
    assert compare_gradients(ours, theirs).agrees is agrees


def losses(dtype, ours, restarted, free):
    as_text = [[value.hex() for value in values] for values in (ours, restarted, free)]
    return compare_losses({"loss_dtype": dtype, "free": as_text[0]}, {"restarted": as_text[1], "free": as_text[2]})


def test_losses_within_their_bounds():
    forward, trajectory, free = losses("float32", [2.0, 1.0], [2.0 + 1e-7, 1.0], [2.0, 1.0])
    assert (forward.agrees, trajectory.agrees, free.agrees) == (True, True, None)
    assert "2 steps in a row stay within 1e-06" in free.sentence


def test_the_first_step_outside_is_named():
    forward, trajectory, free = losses("float32", [3.0, 2.0, 1.0], [3.0, 2.1, 1.1], [3.0, 2.1, 1.4])
    assert (forward.agrees, trajectory.agrees, free.agrees) == (True, False, None)
    assert "the first step outside is 2" in trajectory.sentence and "in step 3" in trajectory.sentence
    assert "in a row the losses part at step 2 of 3 (2 and 2.1); in float32 they do so freely" in free.sentence


def test_float64_holds_in_a_row_too():
    _, _, free = losses("float64", [2.0, 1.0], [2.0, 1.0], [2.0, 1.0 + 1e-8])
    assert free.agrees is False


@pytest.mark.parametrize("one, other, distance", [
    (1.0, 1.5, 0.5), (100.0, 101.0, 0.01), (float("nan"), 1.0, float("inf")), (float("nan"), float("nan"), 0.0),
    (float("inf"), float("inf"), 0.0), (float("inf"), 1.0, float("inf")),
])
def test_loss_distance(one, other, distance):
    assert bounds.loss_distance(one, other) == pytest.approx(distance)
