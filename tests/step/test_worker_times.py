"""Which worker the others wait for."""
import pytest

from legacy_towers.step.worker_times import slowest_of


@pytest.mark.parametrize("seconds, expected", [
    ({}, None),
    ({"worker:0": 0.1}, None),
    ({"worker:0": 0.1, "worker:1": 0.1}, None),
    ({"worker:0": 0.0, "worker:1": 0.0}, None),
    ({"worker:0": 0.1, "worker:1": 0.2}, "waits for worker:1 50 % of the time"),
    # Two slow ones: the rest waits for both, and they for each other 5 %.
    ({"worker:0": 0.1, "worker:1": 0.2, "worker:2": 0.19}, None),
    ({"chief:0": 0.8, "worker:0": 0.2, "worker:1": 0.1}, "waits for chief:0 75 % of the time"),
], ids=["unknown", "one worker", "equal", "no time", "two", "two slow ones", "chief"])
def test_slowest_of(seconds, expected):
    slowest = slowest_of(seconds)
    assert (None if slowest is None else str(slowest)) == expected
