"""The number of steps in a turn, with planted replies of workers instead of processes."""
import types

import pytest

from legacy_towers.compare import measuring
from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.settings import CompareSettings, JobCall
from legacy_towers.measure.candidate import Candidate


class PlantedPool:
    """Workers with given step times and prefetched steps; records the requested turns."""

    planted = {}  # name -> (seconds per step, steps ahead)
    turns = {}

    def __init__(self, timeout, show_log):
        type(self).turns = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def start(self, builds, at_most, done):
        for name, _ in builds:
            ahead = self.planted.get(name, (0.01, 0))[1]
            done(name, {"plan": {"input": {"steps_ahead": ahead}}, "examples_per_update": 8})

    def ask(self, name, command):
        if command["do"] == "turn":
            seconds = self.planted.get(name, (0.01, 0))[0]
            steps = command["steps"] or 7
            self.turns.setdefault(name, []).append((command["settle"], steps))
            return {"step_seconds": [seconds] * steps, "seconds": seconds * steps, "updates": steps}
        return {"runs": []}


def turns_of(monkeypatch, steps, **planted):
    """Returns name -> (untimed steps, timed steps) of a round, and the printed lines."""
    monkeypatch.setattr(measuring, "Pool", PlantedPool)
    monkeypatch.setattr(PlantedPool, "planted", planted)
    names = list(planted)
    candidates = Candidates("inputs", [Candidate(input=name, label=name) for name in names], names[0], [], {}, {}, [])
    lines = []
    job = types.SimpleNamespace(per_tower_batch_size=4)
    settings = CompareSettings(steps=steps, parity=False, rounds=5)
    measured = measuring.Measurement(
        JobCall("job.py", "job", {}), job, settings, candidates, 2, lines.append, lines.append
    ).run()
    for name in names:
        assert {turn for turn in PlantedPool.turns[name][1:]} == {PlantedPool.turns[name][-1]}
        assert measured.steps[name] == PlantedPool.turns[name][-1][1]
    return {name: PlantedPool.turns[name][-1] for name in names}, [line for line in lines if "--steps" in line]


@pytest.mark.parametrize(
    "steps, seconds, ahead, turn, lengthened",
    [
        (5, 0.1, 8, (8, 16), True),
        (5, 0.001, 0, (3, 200), True),
        (5, 0.1, None, (10, 20), True),
        (50, 0.1, 8, (8, 50), False),
        (None, 0.1, 0, (3, 5), False),
        (None, 0.1, 8, (8, 16), False),
        (None, 0.01, 8, (8, 40), False),
    ],
    ids=[
        "prefetched", "too short", "prefetching unknown", "long enough", "without --steps",
        "without --steps, prefetched", "fills the time",
    ],
)
def test_turns_are_longer_than_the_prefetched_batches(monkeypatch, steps, seconds, ahead, turn, lengthened):
    turns, lines = turns_of(monkeypatch, steps, feed=(0.05, 0), queue=(seconds, ahead))
    assert turns["queue"] == turn
    assert any("{} steps for queue".format(turn[1]) in line for line in lines) == lengthened


def test_turns_that_are_long_enough_keep_the_given_steps(monkeypatch):
    turns, lines = turns_of(monkeypatch, 5, feed=(0.05, 2), queue=(0.05, 5))
    assert turns == {"feed": (3, 5), "queue": (5, 10)}
    assert lines == [
        "2 towers: --steps 5 makes turns too short: prefetched batches could fill them, or they last less "
        "than 0.2 s; they have 10 steps for queue"
    ]
