"""From what processes measured to rows: rates by the global step, whoever moves it."""
import numpy as np
import pytest

from legacy_towers.compare.candidates import Candidate, Candidates, split_names
from legacy_towers.compare.rows import Measured, make_rows


def turns(steps, updates, seconds=2.0):
    return [
        {"step_seconds": [seconds / steps] * steps, "seconds": seconds, "updates": updates + number,
         "cpu_seconds": 3.0, "fed_bytes": 0.0, "copied_bytes": 0.0}
        for number in range(5)
    ]


@pytest.fixture
def measured():
    """Two towers of 16 examples: in 2 s the synchronous one takes 10 steps, each tower of the other 12 to 14."""
    found = Measured("variables")
    for name, examples, own in (("together", 32, turns(10, 10)), ("apart", 16, turns(12, 26))):
        found.examples_per_update[name] = examples
        found.turns[name] = own
        found.plans[name] = {"variables": []}
        found.traces[name] = [{"waiting_shares": [0.0], "timeline": [("tower 0", "compute", 0.0, 1.0)]}]
        found.resources[name] = {"peak_memory_bytes": 5}
    return found


CANDIDATES = Candidates(
    "variables", [Candidate("together", "synthetic", "together"), Candidate("apart", "synthetic", "apart")],
    "together", [], {"input": "synthetic"}, {"together": ("together", "mean"), "apart": ("apart", "mean")}, [],
)


def test_examples_are_counted_by_the_updates_of_all_towers(measured):
    together, apart = make_rows(CANDIDATES, 2, measured, [])
    assert together.updates_per_second.rounds == [5.0, 5.5, 6.0, 6.5, 7.0]
    assert together.examples_per_second.rounds == [160.0, 176.0, 192.0, 208.0, 224.0]
    assert apart.updates_per_second.rounds == [13.0, 13.5, 14.0, 14.5, 15.0]
    assert apart.examples_per_second.rounds == [208.0, 216.0, 224.0, 232.0, 240.0]
    assert apart.step_ms_p50 == pytest.approx(2000 / 12)  # tower 0's own
    ratios = np.divide([208, 216, 224, 232, 240], [160, 176, 192, 208, 224])
    assert apart.ratio_to_current.rounds == pytest.approx(ratios)
    assert together.ratio_to_current.median == 1.0
    assert (apart.input, apart.variables, apart.reduction) == ("synthetic", "apart", "mean")
    assert together.waiting is None and together.ratio_to_synthetic is None


def test_without_the_current_one_there_is_no_ratio(measured):
    measured.failed["together"] = "it broke"
    together, apart = make_rows(CANDIDATES, 2, measured, [])
    assert together.failed == "it broke" and together.variables == "together" and together.timeline == []
    assert apart.ratio_to_current is None


@pytest.mark.parametrize(
    "text, names",
    [
        ("a,b", ["a", "b"]),
        (" a , ,b,", ["a", "b"]),
        ("clip_by_value:-1,1+mean,mean+add_noise:0.1,.5", ["clip_by_value:-1,1+mean", "mean+add_noise:0.1,.5"]),
        ("round_robin:/cpu:0,/cpu:1,balanced", ["round_robin:/cpu:0,/cpu:1", "balanced"]),
        ("", []),
    ],
)
def test_names_between_commas(text, names):
    assert split_names(text) == names
