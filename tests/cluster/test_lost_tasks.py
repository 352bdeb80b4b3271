"""Training over tasks of which one gets a signal: who ends, what is saved, and what a restart uses of the data."""
import io
import os
import signal

import killed_tasks
import pytest

from legacy_towers.cluster.launch import launch
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


def test_a_killed_task_is_named_by_all_others_and_a_restart_uses_each_example_once(runs):
    for killed in ("ps:0", "worker:1"):
        folder, ended = runs[killed]
        assert ended.pop(killed)[0] == -signal.SIGKILL
        for task, (code, output) in ended.items():
            assert code == 1, (task, output[-3000:])
            reason = "{} {} {}, which has ended: nothing listens at 127.0.0.1:".format(
                task, "waits for", killed
            )
            assert reason in output, (task, output[-3000:])
            assert "Exception in thread" not in output and "TensorFlow's log" not in output, output

    (folder, _), output = runs["ps:0"], io.BytesIO()
    (folder / "killed").unlink()
    here = os.getcwd()
    os.chdir(str(folder))
    try:
        code = launch(
            killed_tasks.words(folder, OPTIONS), 2, 1, dict(os.environ, KILLED="worker:1", AT="8"), 0.5, output, output,
            restarts=1,
        )
    finally:
        os.chdir(here)
    lines = output.getvalue().decode().splitlines()
    assert code == 0, "\n".join(lines[-60:])
    assert "legacy-towers launch: worker:1 was ended by SIGKILL; ending the other 2 tasks" in lines
    # 1,000 examples in 5 steps of 200: the run resumed after step 4, and again after step 6.
    finals = [line for line in lines if "trained 4 steps to a loss of" in line]
    assert sorted(line.split()[0] for line in finals) == ["[worker:0]", "[worker:1]"]
    steps = [killed_tasks.recorded_ids(folder, task) for task in ("worker:0", "worker:1")]
    for epoch in (range(1, 6), range(6, 11)):
        ids = [each for number in epoch for worker in steps for each in worker[number]]
        assert sorted(ids) == list(range(1000))


def test_sigterm_at_one_worker_ends_all_with_one_checkpoint_of_the_same_step(runs):
    folder, ended = runs["SIGTERM"]
    assert [code for code, _ in ended.values()] == [143, 143], ended
    steps = [max(killed_tasks.recorded_ids(folder, task)) for task in ("worker:0", "worker:1")]
    assert steps[0] == steps[1] < 10
    store = CheckpointStore(str(folder / "run"))
    newest = store.newest()
    assert (newest.step, newest.problems) == (steps[0], [])
    # Besides the one before the first step.
    saved = sorted(each for each in os.listdir(str(folder / "run")) if each.endswith(".index"))
    assert saved == ["model.ckpt-0.index", "model.ckpt-{}.index".format(steps[0])]
