"""Training with parameter servers whose task is killed: who notices it, and what a restart uses of the data."""
import io
import os
import signal

import killed_tasks
import pytest

from legacy_towers.cluster.launch import launch

pytestmark = pytest.mark.timeout(900)

OPTIONS = "--towers 2 --per-tower-batch-size 50 --save-steps 2 --log-every 1 --steps 10"


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: all that trains is in other processes."""


def test_a_killed_task_is_named_by_all_others_and_a_restart_uses_each_example_once(tmp_path):
    folders = {killed: tmp_path / killed for killed in ("ps:0", "worker:1")}
    tasks = {}
    for killed, folder in folders.items():
        folder.mkdir()
        tasks[killed] = killed_tasks.Tasks(folder, OPTIONS, KILLED=killed, AT="5")
    for killed, each in tasks.items():
        ended = each.ends()
        assert ended.pop(killed)[0] == -signal.SIGKILL
        for task, (code, output) in ended.items():
            assert code == 1, (task, output[-3000:])
            reason = "{} {} {}, which has ended: nothing listens at 127.0.0.1:".format(
                task, "serves" if task == "ps:0" else "waits for", killed
            )
            assert reason in output, (task, output[-3000:])
            assert "Exception in thread" not in output and "TensorFlow's log" not in output, output

    folder, output = folders["ps:0"], io.BytesIO()
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
