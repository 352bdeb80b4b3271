"""Which tasks a run on several machines goes on with, from what their launchers write. No process is started."""
import errno
import json
import os
import threading

import pytest

from legacy_towers.cluster.launching import members as members_module
from legacy_towers.cluster.launching.elastic import Range
from legacy_towers.cluster.launching.members import LEFT, READY, RUNNING, Member, Members, Round
from legacy_towers.cluster.launching.rounds import Rounds, Settings
from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.errors import ClusterError, MissingTaskError

TASKS = ("worker:0", "worker:1", "worker:2")
WORKERS = ("worker", ("h0:1", "h1:1", "h2:1"))


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def rounds(least=2, restarts=0, join_seconds=0.0, checkpoints=None, servers=()):
    jobs = (WORKERS, ("ps", tuple(servers))) if servers else (WORKERS,)
    newest = None if checkpoints is None else lambda: next(checkpoints)
    return Rounds(Cluster(jobs, Task("worker", 0)), Settings(Range(least, 3), restarts, join_seconds), newest)


def launchers(codes, number=2, state=READY, **fields):
    """Returns what the launchers of tasks write after a round; `codes` has the exit codes of their processes."""
    return {task: Member(task, "id of " + task, {}, 1, number, state, code, **fields) for task, code in codes.items()}


def last_round(tasks=TASKS, **fields):
    return Round(1, {task: "id of " + task for task in tasks}, **fields)


def test_the_first_round_begins_when_all_are_ready():
    decide = rounds(join_seconds=60.0)
    assert decide.next(launchers(dict.fromkeys(TASKS[:2]), 1), 1, None) is None
    found = decide.next(launchers(dict.fromkeys(TASKS), 1), 1, None)
    assert found == Round(1, {task: "id of " + task for task in TASKS}, "training with 3 workers")


def test_enough_tasks_wait_for_others_and_begin_without_them(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    decide = rounds(join_seconds=30.0)
    alone, two = [launchers(dict.fromkeys(tasks), 1) for tasks in (TASKS[:1], TASKS[1:])]
    assert decide.next(alone, 1, None) is None
    now[0] += 100.0
    assert decide.next(two, 1, None) is None
    now[0] += 29.0
    assert decide.next(two, 1, None) is None
    now[0] += 2.0
    assert list(decide.next(two, 1, None).launchers) == ["worker:1", "worker:2"]
    assert (decide.needed, rounds(least=3).needed) == (" (--elastic: 2 workers in all can train)", "")


def test_no_round_begins_without_a_parameter_server():
    decide = rounds(servers=["h3:1"])
    assert decide.next(launchers(dict.fromkeys(TASKS), 1), 1, None) is None
    found = decide.next(launchers(dict.fromkeys(TASKS + ("ps:0",)), 1), 1, None)
    assert list(found.launchers) == list(TASKS) + ["ps:0"] and found.reason == "training with 3 workers"


def test_a_parameter_server_that_fails_at_the_end_does_not_matter():
    codes = dict.fromkeys(TASKS, 0)
    last = last_round(TASKS + ("ps:0",))
    found = rounds(servers=["h3:1"], restarts=2).next(launchers(dict(codes, **{"ps:0": -6})), 2, last)
    assert (found.code, found.reason) == (0, "")
    found = rounds(servers=["h3:1"], restarts=2).next(launchers(dict(codes, **{"worker:1": 1, "ps:0": -6})), 2, last)
    assert found.reason == "ps:0 was ended by SIGABRT; 1 of 2 restarts: training with 3 workers"


def test_nothing_is_decided_while_a_process_runs():
    there = launchers({"worker:0": 1, "worker:1": 1})
    there.update(launchers({"worker:2": None}, 1, RUNNING))
    assert rounds().next(there, 2, last_round()) is None


def test_nothing_is_decided_while_a_launcher_has_not_read_the_round_before():
    there = launchers({"worker:0": 1, "worker:1": 1})
    there.update(launchers({"worker:2": None}, 1))
    assert rounds().next(there, 2, last_round()) is None


# The exit codes of processes by task ("gone": nothing is known of its launcher), the settings, and what follows: the
# tasks of the next round or the exit code of the run, and what is printed.
AFTER = {
    "all have done their work": ((0, 0, 0), {}, 0, ""),
    "all but a lost one have done their work": ((0, 0, "gone"), {}, 0, ""),
    "the chief is lost before the others have ended": (
        ("gone", 0, 0), {}, ("worker:1", "worker:2"), "worker:0 is gone: training with 2 workers",
    ),
    "a machine is lost": ((1, "gone", 1), {}, ("worker:0", "worker:2"), "worker:1 is gone: training with 2 workers"),
    "a machine is lost, and its end was a vote of all": (
        (143, "gone", 143), {}, ("worker:0", "worker:2"), "worker:1 is gone: training with 2 workers",
    ),
    "too many are lost": ((1, "gone", "gone"), {}, None, None),
    "a machine is lost of which none may": (("gone", 1, 1), {"least": 3}, 1, "worker:0 is lost"),
    "a machine is lost and waited for": (("gone", 1, 1), {"least": 3, "restarts": 1}, None, None),
    "a process fails": (
        (1, 1, -9), {"restarts": 2}, TASKS, "worker:2 was ended by SIGKILL; 1 of 2 restarts: training with 3 workers",
    ),
    "a process fails when no restart is left": (
        (1, -9, 1), {}, ("worker:0", "worker:2"), "worker:1 was ended by SIGKILL: training with 2 workers",
    ),
    "a process fails and no other may be left out": ((1, 3, 1), {"least": 3}, 1, "worker:0 ended with exit code 1"),
    "a wrong option": ((1, 2, 1), {"restarts": 2}, 2, "worker:1 ended with exit code 2"),
    "one was asked to end by itself": ((143, 143, 143), {"restarts": 2}, 143, "worker:0 ended with exit code 143"),
    "the launcher of one was asked to end": (
        (143, "left", 143), {}, ("worker:0", "worker:2"), "worker:1 is gone: training with 2 workers",
    ),
    "the launcher of one was asked to end, of which none may": (
        (143, "left", 143), {"least": 3, "restarts": 2}, 130, "the launcher of worker:1 ended with exit code 130",
    ),
}


@pytest.mark.parametrize("case", AFTER)
def test_what_follows_after_a_round(case):
    codes, settings, expected, reason = AFTER[case]
    there = launchers({task: code for task, code in zip(TASKS, codes) if not isinstance(code, str)})
    there.update(launchers({task: 130 for task, code in zip(TASKS, codes) if code == "left"}, 1, LEFT))
    found = rounds(**settings).next(there, 2, last_round())
    if expected is None:
        assert found is None
    elif isinstance(expected, int):
        assert (found.code, found.launchers, found.reason) == (expected, {}, reason)
    else:
        assert (found.code, tuple(found.launchers), found.reason) == (None, expected, reason)


def test_a_task_that_is_there_again_is_in_the_round_after_a_pause():
    there = launchers({"worker:0": 143, "worker:1": 143}, is_pause=True)
    there.update(launchers({"worker:2": None}))
    found = rounds().next(there, 2, last_round(TASKS[:2], restarts=1))
    assert (tuple(found.launchers), found.restarts) == (TASKS, 1)
    assert found.reason == "with worker:2 again: training with 3 workers"


def test_the_task_that_failed_first_is_the_one_left_out():
    decide = rounds()
    running = launchers({"worker:0": None}, 1, RUNNING)
    assert decide.next(dict(launchers({"worker:2": 1}), **running), 2, last_round()) is None
    found = decide.next(launchers({"worker:0": 1, "worker:1": 1, "worker:2": 1}), 2, last_round())
    assert list(found.launchers) == ["worker:0", "worker:1"]


@pytest.mark.parametrize("checkpoints, codes, expected", [
    pytest.param(["a", "a"], (1, 3, 1), 1, id="the same failure from the same checkpoint"),
    pytest.param(["a", "b"], (1, 3, 1), None, id="a new checkpoint"),
    pytest.param(["a", "a"], (1, -9, 1), None, id="ended by a signal"),
    pytest.param([None, None], (1, 3, 1), 1, id="no checkpoint at all"),
])
def test_a_failure_that_repeats_ends_the_run(checkpoints, codes, expected):
    decide = rounds(least=3, restarts=9, checkpoints=iter(checkpoints))
    first = decide.next(launchers(dict(zip(TASKS, codes))), 2, last_round())
    assert (first.restarts, first.code) == (1, None)
    second = decide.next(launchers(dict(zip(TASKS, codes)), 3), 3, first)
    assert second.code == expected
    assert ("no checkpoint has been saved since the last start" in second.reason) == (expected == 1)


def test_a_second_launcher_of_a_task_sees_the_first_one(tmp_path):
    first, second = [Members(str(tmp_path), Task("worker", 0), {}) for _ in range(2)]
    assert not second.has_other(0.3)
    first.write()
    assert not second.has_other(0.3)  # the first one has ended
    writing = threading.Timer(0.1, lambda: first.set(state=RUNNING))
    writing.start()
    assert second.has_other(60.0)
    writing.join()


def failing(number):
    """Returns a function that raises the OSError of a number."""

    def fail(*paths):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def seconds(monkeypatch):
    """The time that `members` sees, which the test sets."""
    time = [1000.0]
    monkeypatch.setattr(members_module.time, "monotonic", lambda: time[0])

    def wait(length):
        time[0] += length

    return wait


def test_a_launcher_sees_others_while_they_write(tmp_path, seconds):
    first, second = [Members(str(tmp_path), Task("worker", index), {"--restarts": "3"}) for index in range(2)]
    tasks = [Task("worker", index) for index in range(3)]
    second.write()
    assert (list(first.read(tasks)), first.unknown) == (["worker:0"], ["worker:1"])  # the file could be an old one
    seconds(2.0)
    second.set(state=RUNNING)
    assert {task: each.state for task, each in first.read(tasks).items()} == {"worker:0": READY, "worker:1": RUNNING}
    assert first.unknown == []
    os.rename(str(tmp_path / "launch" / "worker-1.json"), str(tmp_path / "file"))  # can't be read for a moment
    assert first.read(tasks)["worker:1"].state == RUNNING
    os.rename(str(tmp_path / "file"), str(tmp_path / "launch" / "worker-1.json"))
    for _ in range(3):
        seconds(4.0)
        assert list(first.read(tasks)) == ["worker:0", "worker:1"]
    seconds(4.0)
    assert (list(first.read(tasks)), first.unknown) == (["worker:0"], [])  # 16 seconds without a change
    second.set(state=LEFT, code=143)
    seconds(100.0)
    assert first.read(tasks)["worker:1"].code == 143


def test_a_launcher_that_was_stopped_or_cannot_write_does_not_take_others_for_lost(tmp_path, seconds, monkeypatch):
    first, second = [Members(str(tmp_path), Task("worker", index), {}) for index in range(2)]
    tasks = [Task("worker", index) for index in range(2)]

    def reads(length, is_writing=False):
        """Returns the tasks that `first` sees after a time, and those of which it does not know whether they run."""
        seconds(length)
        first.write()
        if is_writing:
            second.write()
        return list(first.read(tasks)), first.unknown

    alone, both = (["worker:0"], ["worker:1"]), (["worker:0", "worker:1"], [])
    reads(2.0, is_writing=True)
    assert reads(2.0, is_writing=True) == both
    assert reads(60.0) == alone  # was stopped
    assert reads(2.0, is_writing=True) == both
    with monkeypatch.context() as full:
        full.setattr("os.fsync", failing(errno.ENOSPC))
        assert [reads(4.0) for _ in range(9)] == [alone] * 9
    assert reads(2.0, is_writing=True) == both
    assert [reads(4.0) for _ in range(4)] == [both] * 3 + [(["worker:0"], [])]


def test_a_round_of_an_earlier_run_is_not_continued(tmp_path):
    earlier = [Members(str(tmp_path), Task("worker", index), {}) for index in range(2)]
    earlier[0].propose(Round(1, {each.own.task: each.own.launcher for each in earlier}))
    new = Members(str(tmp_path), Task("worker", 0), {})
    running = {each.own.task: each.own for each in (new, earlier[1])}
    assert new.round_before(new.own.round, running) == earlier[0].round(1)
    left = dict(running, **{"worker:1": earlier[1].own._replace(state=LEFT, code=143)})
    assert new.round_before(new.own.round, left) is None
    new.propose(Round(2, {}, code=0))
    assert new.round_before(3, running) is None
    assert [new.newest_round(number) for number in (1, 2, 3)] == [new.round(2), new.round(2), None]


def test_launchers_with_other_settings_or_the_same_task_are_refused(tmp_path, seconds):
    settings = {"--cluster": "worker=h1:1,h2:1", "--restarts": "3"}
    first = Members(str(tmp_path), Task("worker", 0), settings)
    other = Members(str(tmp_path), Task("worker", 1), dict(settings, **{"--restarts": "5"}))
    other.write()
    first.read([Task("worker", 1)])
    for state in (RUNNING, LEFT):  # it has left since it was refused by another launcher
        other.set(state=state)
        with pytest.raises(ClusterError) as error:
            first.read([Task("worker", 1)])
        assert str(error.value) == (
            "worker:1 was launched with --restarts 5, and this worker:0 with --restarts 3: "
            "start all launchers with the same options"
        )
    other.set(state=RUNNING)
    first.is_in_run = True
    assert list(first.read([Task("worker", 1)])) == ["worker:0"]  # a run does not end for it
    first.write()
    Members(str(tmp_path), Task("worker", 0), settings).write()
    seconds(2.0)
    with pytest.raises(ClusterError, match="worker:0 is launched a second time"):
        first.write()


def test_of_several_launchers_one_writes_a_round(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Members(".", Task("worker", 0), {}).directory == str(tmp_path / "launch")
    several = [Members(str(tmp_path), Task("worker", index), {}) for index in range(3)]
    for index, each in enumerate(several):
        each.propose(Round(1, {"worker:{}".format(index): "id"}))
    assert [list(each.round(1).launchers) for each in several] == [["worker:0"]] * 3
    assert [each.newest_number() for each in several] == [1, 1, 1]
    assert sorted(os.listdir(str(tmp_path / "launch"))) == ["round-000001.json"]
    assert json.loads((tmp_path / "launch" / "round-000001.json").read_text())["number"] == 1


def test_a_launcher_writes_again_when_the_disk_is_not_full_any_more(tmp_path, seconds, monkeypatch):
    Members(str(tmp_path), Task("worker", 0), {}).write()  # an earlier launcher, which has ended
    members = Members(str(tmp_path), Task("worker", 0), {})
    with monkeypatch.context() as full:
        full.setattr("os.fsync", failing(errno.ENOSPC))
        members.write()
        assert members.error.endswith("launch/worker-0.json can't be written: No space left on device")
        found = members.propose(Round(1, {}))
        assert found.endswith("round-000001.json can't be written: No space left on device")
        assert members.round(1) is None
    seconds(0.5)
    members.write()
    assert members.error  # is tried each second
    seconds(0.6)
    members.write()
    assert members.error == "" and members.propose(Round(1, {})) == ""
    assert sorted(os.listdir(str(tmp_path / "launch"))) == ["round-000001.json", "worker-0.json"]
    written = json.loads((tmp_path / "launch" / "worker-0.json").read_text())
    assert written["launcher"] == members.own.launcher


def test_a_directory_that_cannot_be_written_to_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(ClusterError, match="file/launch can't be created or read: Not a directory"):
        Members(str(tmp_path / "file"), Task("worker", 0), {})
    members = Members(str(tmp_path), Task("worker", 0), {})

    monkeypatch.setattr("os.link", failing(errno.EPERM))
    with pytest.raises(MissingTaskError, match="round-000001.json can't be written: Operation not permitted"):
        members.propose(Round(1, {}))
    assert os.listdir(str(tmp_path / "launch")) == []
