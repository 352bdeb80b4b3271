"""What an evaluator reads of the chief before it evaluates: its state, and what contradicts it."""
import pytest

from legacy_towers.cluster import chief
from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.records import FAILED, READY, STARTED, own_record
from legacy_towers.errors import ClusterError, MissingTaskError

HOSTS = "worker=127.0.0.1:2222,127.0.0.1:2223"


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: nothing is built here."""


def wait(monkeypatch, texts, is_over=False, seconds=60.0, **own):
    """Returns what `wait_for_chief` returns for an evaluator, where the chief publishes these texts one by one."""
    cluster = from_environment({}, hosts=HOSTS, task="evaluator:0")
    left = list(texts)

    class Reader:
        def __init__(self, task, address, changed):
            self.task, self.address = task, address

        def read(self):
            return (left.pop(0) if len(left) > 1 else left[0]), "UnavailableError"

        trouble = "no answer"

        def start(self):
            pass

        end = wait_until_over = start

    class Watch:
        def __init__(self, cluster, tasks):
            self.tasks, self.started = tasks, False

        def start(self):
            self.started = True

    monkeypatch.setattr(chief, "Reader", Reader)
    monkeypatch.setattr(chief, "Watch", Watch)
    monkeypatch.setattr(chief, "_POLL_SECONDS", 0.001)
    options = dict(dict(job="train line", flags={"--rate": 0.1, "--evaluator": True}), **own)
    return chief.wait_for_chief(cluster, options["job"], options["flags"], seconds, lambda: is_over)


def published(state=STARTED, **changes):
    cluster = from_environment({}, hosts=HOSTS, task="worker:0")
    flags = {"--rate": 0.1, "--evaluator": True, "--steps": 5}
    return own_record(cluster, "train line", flags)._replace(state=state, **changes).as_json().encode()


def test_an_evaluator_waits_until_the_chief_has_started_and_watches_it(monkeypatch):
    watch = wait(monkeypatch, [None, published(READY), published()])
    assert watch.started and [str(task) for task in watch.tasks] == ["worker:0"]


@pytest.mark.parametrize("text, own, error, message", [
    (published(flags={"--rate": "0.1", "--evaluator": "False"}), {}, ClusterError,
     "evaluator:0 has --evaluator True, and worker:0 has --evaluator False: start all tasks with the same flags"),
    (published(), {"job": "train digits"}, ClusterError, "evaluator:0 has the job 'train digits', and worker:0 has"),
    (published(tensorflow="1.12.3"), {}, ClusterError, "and worker:0 has TensorFlow 1.12.3: install the same"),
    (published(FAILED, failure="worker:1 is late"), {}, MissingTaskError, "worker:0 does not start: worker:1 is late"),
    (published(FAILED, failure="no", is_contradiction=True), {}, ClusterError, "worker:0 does not start: no"),
    (b"{}", {}, ClusterError, "worker:0 has another version of legacy_towers"),
    (None, {}, MissingTaskError, "worker:0 at 127.0.0.1:2222 does not train after 0 seconds .no answer.: start"),
], ids=["flags", "job", "TensorFlow", "a missing task", "a contradiction", "legacy_towers", "silent"])
def test_an_evaluator_that_can_not_wait_for_the_chief_is_an_error(text, own, error, message, monkeypatch):
    with pytest.raises(error, match=message):
        wait(monkeypatch, [text], seconds=60.0 if text else 0.0, **own)


def test_an_evaluator_that_starts_after_the_end_of_the_training_does_not_wait_for_the_chief(monkeypatch):
    assert wait(monkeypatch, [None], is_over=True, seconds=0.0) is None
