"""Training over tasks of which one gets a signal: who ends, what is saved, and what a restart uses of the data."""
import io
import os
import signal

import killed_tasks
import pytest

from legacy_towers.cluster.launching.elastic import Elastic, Range
from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.training.checkpoints.store import CheckpointStore

pytestmark = pytest.mark.timeout(900)

OPTIONS = "--towers 2 --per-tower-batch-size 50 --save-steps 2 --log-every 1 --steps 10"


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: all that trains is in other processes."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Returns the folder, and the exit code and the output of each task, of clusters that run at the same time."""
    started = {}
    for name, servers, options, environment in (
        ("ps:0", 1, OPTIONS, dict(KILLED="ps:0")),
        ("worker:1", 1, OPTIONS, dict(KILLED="worker:1")),
        ("SIGTERM", 0, OPTIONS + " --save-steps 1000", dict(KILLED="worker:1", SIGNAL="SIGTERM")),
    ):
        folder = tmp_path_factory.mktemp("run")
        started[name] = folder, killed_tasks.Tasks(folder, options, servers, AT="5", **environment)
    return {name: (folder, tasks.ends()) for name, (folder, tasks) in started.items()}


@pytest.mark.parametrize("killed", ["ps:0", "worker:1"])
def test_a_killed_task_is_named_by_all_others_which_end(runs, killed):
    _, ended = runs[killed]
    assert ended[killed][0] == -signal.SIGKILL
    for task, (code, output) in ended.items():
        if task != killed:
            assert code == 1, (task, output[-3000:])
            reason = "{} {} {}, which has ended: nothing listens at 127.0.0.1:".format(
                task, "waits for", killed
            )
            assert output.count(reason) == 1, (task, output[-3000:])
            assert "Exception in thread" not in output and "TensorFlow's log" not in output, output


class AfterOneStep(Elastic):
    """Takes the other worker in again after a step of one worker alone."""

    def __init__(self, folder):
        super().__init__(Range(1, 2))
        self._folder = folder

    def is_return_due(self):
        if self.workers == 2:
            return False
        steps = killed_tasks.recorded_ids(self._folder)
        return len(steps[max(steps)]) == 1


def test_elastic_workers_go_on_alone_take_the_other_in_again_and_use_each_example_once(runs):
    (folder, _), output = runs["ps:0"], io.BytesIO()
    (folder / "killed").unlink()
    here = os.getcwd()
    os.chdir(str(folder))
    try:
        code = launch(
            killed_tasks.words(folder, OPTIONS.replace("--steps 10", "--epochs 3 --elastic 1:2")), 2,
            environ=dict(os.environ, KILLED="worker:1", AT="8"), grace_seconds=0.5, stdout=output, stderr=output,
            elastic=AfterOneStep(folder),
        )
    finally:
        os.chdir(here)
    lines = output.getvalue().decode().splitlines()
    assert code == 0, "\n".join(lines[-60:])
    assert [line.split(": ", 1)[1] for line in lines if line.startswith("legacy-towers launch:")] == [
        "worker:1 was ended by SIGKILL; ending the other 1 task", "going on with 1 worker",
        "a worker is to be taken in again: ending all with a checkpoint", "starting with 2 workers again",
    ]
    # 4 steps of the run whose parameter server was killed, 2 up to the last checkpoint, some of one worker.
    steps = killed_tasks.recorded_ids(folder)
    workers = [len(steps[number]) for number in sorted(steps)]
    alone = workers.count(1)
    assert workers[:6] == [2] * 6 and workers[6:6 + alone] == [1] * alone and alone and set(workers[6 + alone:]) == {2}
    ids = [each for number in sorted(steps) for task in sorted(steps[number]) for each in steps[number][task]]
    assert sorted(ids[:1000]) == sorted(ids[1000:2000]) == list(range(1000))
    # Batches of two workers may leave 100 examples over.
    assert len(set(ids[2000:])) == len(ids[2000:]) >= 900


def test_sigterm_at_one_worker_ends_all_with_one_checkpoint_of_the_same_step(runs):
    folder, ended = runs["SIGTERM"]
    assert [code for code, _ in ended.values()] == [143, 143], ended
    steps = killed_tasks.recorded_ids(folder)
    last = max(steps)
    assert last < 10 and sorted(steps[last]) == ["worker:0", "worker:1"]
    store = CheckpointStore(str(folder / "run"))
    newest = store.newest()
    assert (newest.step, newest.problems) == (last, [])
    # Besides the one before the first step.
    saved = sorted(each for each in os.listdir(str(folder / "run")) if each.endswith(".index"))
    assert saved == ["model.ckpt-0.index", "model.ckpt-{}.index".format(last)]
