"""Rows of the document: rates are computed from the global step, and so from the updates of all towers."""
import numpy as np
import pytest

from legacy_towers.compare.candidates import Candidates, split_names
from legacy_towers.compare.rows import Measured, make_rows
from legacy_towers.measure.candidate import Candidate
from legacy_towers.measure.timed_step import TracedRun
from legacy_towers.report.document import Bar


def turns(steps, updates, seconds=2.0):
    return [
        {"step_seconds": [seconds / steps] * steps, "seconds": seconds, "updates": updates + number,
         "cpu_cores": 1.5, "fed_bytes": 0.0, "copied_bytes": 0.0}
        for number in range(5)
    ]


@pytest.fixture
def measured():
    """Two towers of 16 examples: in 2 s, 10 synchronous steps, or 12 to 14 asynchronous steps of each tower."""
    found = Measured("variables")
    for name, examples, its_turns in (("replicated", 32, turns(10, 10)), ("asynchronous", 16, turns(12, 26))):
        found.examples_per_update[name] = examples
        found.turns[name] = its_turns
        found.plans[name] = {"variables": []}
        found.steps[name] = len(its_turns[0]["step_seconds"])
        found.traces[name] = [
            [TracedRun(0.1 * n, 5.0 + n, [("tower 0", "compute", 0.0, 5.0 + n)]) for n in of_round]
            for of_round in ([0, 9], [1, 2], [8, 3])
        ]
        found.resources[name] = {"peak_memory_bytes": 5}
    return found


NAMES = ["replicated", "asynchronous"]
CANDIDATES = Candidates(
    "variables", [Candidate(name, None, "synthetic", name) for name in NAMES],
    "replicated", [], {"input": "synthetic"}, {name: (name, "mean") for name in NAMES}, [],
)


def test_examples_are_counted_by_the_updates_of_all_towers(measured):
    synchronous, asynchronous = make_rows(CANDIDATES, 2, measured, [])
    assert synchronous.updates_per_second.rounds == [5.0, 5.5, 6.0, 6.5, 7.0]
    assert synchronous.examples_per_second.rounds == [160.0, 176.0, 192.0, 208.0, 224.0]
    assert asynchronous.updates_per_second.rounds == [13.0, 13.5, 14.0, 14.5, 15.0]
    assert asynchronous.examples_per_second.rounds == [208.0, 216.0, 224.0, 232.0, 240.0]
    assert asynchronous.step_ms_p50 == pytest.approx(2000 / 12)  # tower 0's own
    ratios = np.divide([208, 216, 224, 232, 240], [160, 176, 192, 208, 224])
    assert asynchronous.ratio_to_current.rounds == pytest.approx(ratios)
    assert synchronous.ratio_to_current.median == 1.0
    assert (asynchronous.input, asynchronous.variables, asynchronous.reduction) == ("synthetic", "asynchronous", "mean")
    assert synchronous.waiting is None and synchronous.ratio_to_synthetic is None


def test_the_timeline_is_the_traced_step_nearest_to_the_median(measured):
    synchronous, _ = make_rows(CANDIDATES, 2, measured, [])
    assert synchronous.traced_steps == 6 and synchronous.steps_per_turn == 10
    # The medians of 0, 1, 2, 3, 8 and 9 are 2.5 tenths and 7.5 ms.
    assert synchronous.timeline == [Bar("tower 0", "compute", 0.0, 7.0)]


def test_there_is_no_ratio_to_a_failed_candidate(measured):
    measured.failed["replicated"] = "it broke"
    synchronous, asynchronous = make_rows(CANDIDATES, 2, measured, [])
    assert synchronous.failed == "it broke" and synchronous.variables == "replicated" and synchronous.timeline == []
    assert asynchronous.ratio_to_current is None


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
def test_split_names(text, names):
    assert split_names(text) == names
