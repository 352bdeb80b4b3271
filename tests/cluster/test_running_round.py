"""What a launcher does while the process of its task runs, from what the others write. No process is started."""
import signal

import pytest

from legacy_towers.cluster.launching.members import LEFT, READY, RUNNING, Member, Round
from legacy_towers.cluster.launching.running_round import Ending, RunningRound
from legacy_towers.cluster.value import Task

TASKS = ("worker:0", "worker:1", "ps:0")
ROUND = Round(3, {task: "id of " + task for task in TASKS})
ENDED = (READY, 4)
RUNS = (RUNNING, 3)


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.fixture
def now(monkeypatch):
    """The time, in a list, which the test sets."""
    time = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    return time


def running(job, index=0):
    return RunningRound(Task(job, index), ROUND, return_seconds=60.0, grace_seconds=8.0)


def launchers(**states):
    """Returns what the launchers of tasks write, such as worker_1=(READY, 4)."""
    tasks = {name.replace("_", ":"): state for name, state in states.items()}
    return {task: Member(task, "id of " + task, "", 1, number, state) for task, (state, number) in tasks.items()}


def test_the_chief_takes_in_a_task_that_is_ready_and_in_no_round(now):
    there = launchers(worker_0=RUNS, worker_1=(READY, 4))
    there["worker:1"] = there["worker:1"]._replace(launcher="another")
    chief, other = running("worker"), running("worker", 1)
    assert chief.to_take_in(there) == []  # not before return_seconds
    now[0] += 61.0
    assert chief.to_take_in(there) == ["worker:1"]
    assert other.to_take_in(there) == []
    assert chief.to_take_in(launchers(worker_0=RUNS, worker_1=ENDED)) == []  # is in the round
    assert chief.to_take_in(dict(there, **{"worker:1": there["worker:1"]._replace(state=LEFT)})) == []


@pytest.mark.parametrize("job, newer, expected", [
    pytest.param("worker", None, None, id="no newer round"),
    pytest.param("worker", Round(5, {}), Ending("the others have gone on without it", signal.SIGKILL), id="lost"),
    pytest.param("ps", Round(4, {}, code=0), Ending("the others have gone on without it", signal.SIGKILL), id="ps"),
    pytest.param("evaluator", Round(4, {"worker:0": "id"}), Ending("the others start again"), id="evaluator"),
    pytest.param("evaluator", Round(4, {}, code=0), None, id="evaluator at the end of the run"),
])
def test_a_process_ends_when_there_is_a_newer_round(job, newer, expected):
    assert running(job).ending(launchers(worker_0=RUNS, worker_1=RUNS, ps_0=RUNS), newer) == expected


@pytest.mark.parametrize("states, is_ended", [
    pytest.param({"worker_0": ENDED, "worker_1": ENDED}, True, id="both are ready for the next round"),
    pytest.param({"worker_0": ENDED, "worker_1": (LEFT, 3)}, True, id="one has left"),
    pytest.param({"worker_0": ENDED}, True, id="one is lost"),
    pytest.param({}, False, id="all are lost, or this launcher can't read"),
    pytest.param({"worker_0": ENDED, "worker_1": RUNS}, False, id="one runs"),
    pytest.param({"worker_0": ENDED, "worker_1": (READY, 3)}, False, id="one has not started yet"),
])
def test_a_parameter_server_ends_after_all_tasks_that_train(now, states, is_ended):
    server, there = running("ps"), launchers(ps_0=RUNS, **states)
    assert server.ending(there, None) is None
    now[0] += 7.0
    assert server.ending(there, None) is None  # it may end by itself
    now[0] += 2.0
    assert server.ending(there, None) == (Ending("all other tasks have ended") if is_ended else None)
    assert running("worker").ending(there, None) is None
