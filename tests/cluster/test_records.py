"""The contradictions between what tasks publish."""
import pytest

from legacy_towers.cluster.records import CHECKPOINT, JOB_FILE, Record, contradictions, parse_record
from legacy_towers.cluster.value import Task

CHIEF, WORKER, SERVER = Task("worker", 0), Task("worker", 1), Task("ps", 0)


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def records(**changes):
    base = Record("", "2.21.0", "0.1.0", "3.11.0", {"worker": ["a:1", "b:1"]}, "digits", {"--steps": "10"})
    of_tasks = {task: base._replace(task=str(task)) for task in (CHIEF, WORKER, SERVER)}
    of_tasks[WORKER] = of_tasks[WORKER]._replace(**changes)
    return of_tasks


@pytest.mark.parametrize("changes, sentence", [
    (dict(tensorflow="1.15.5"), "worker:1 has TensorFlow 1.15.5, and worker:0 has TensorFlow 2.21.0: install the same"),
    (dict(legacy_towers="0.0.9"), "worker:1 has legacy_towers 0.0.9, and worker:0 has legacy_towers 0.1.0"),
    (dict(job="faces"), "worker:1 has the job 'faces', and worker:0 has the job 'digits'"),
    (dict(flags={"--steps": "20"}), "worker:1 has --steps 20, and worker:0 has --steps 10"),
    (dict(flags={}), "worker:1 has no --steps, and worker:0 has --steps 10"),
    (dict(flags={"--steps": "10", "--lr": "1"}), "worker:1 has --lr 1, and worker:0 has no --lr"),
    (dict(jobs={"worker": ["b:1", "a:1"]}), "worker:1 has the tasks worker: b:1, a:1, and worker:0 has the tasks"),
    (dict(task="worker:0"), "the process at the address of worker:1 takes itself for worker:0"),
])
def test_contradictions_names_the_tasks_and_their_values(changes, sentence):
    (found,) = contradictions(records(**changes), CHIEF)
    assert sentence in found


@pytest.mark.parametrize("name, advice", [
    ("--steps", "start all tasks with the same flags"),
    (JOB_FILE, "give all tasks the same job file"),
    (CHECKPOINT, "give all tasks a --checkpoint-dir that all can read"),
])
def test_contradictions_advises_by_what_differs(name, advice):
    differing = records(flags={name: "8"})
    differing = {task: record if task == WORKER else record._replace(flags={name: "9"})
                 for task, record in differing.items()}
    assert contradictions(differing, CHIEF) == [
        "worker:1 has {0} 8, and worker:0 has {0} 9: {1}".format(name, advice)
    ]


def test_contradictions_is_empty_for_equal_records_and_other_pythons():
    assert contradictions(records(python="3.12.1"), CHIEF) == []


def test_parse_record_returns_the_record_or_none_for_other_fields():
    record = records()[WORKER]
    assert parse_record(record.as_json().encode()) == record
    assert [parse_record(text) for text in (b"", b"{}", b"[]", b'{"new": 1}')] == [None] * 4
