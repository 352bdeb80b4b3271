"""`launch --cluster`, one launcher per task: a machine that is lost and comes back, a failed process, wrong usage."""
import io
import os
import signal
import subprocess
import sys
import threading

import killed_tasks
import ports
import pytest
import waiting
from commands import command

from legacy_towers.cluster.launching import members, one_task
from legacy_towers.cluster.launching.elastic import Range
from legacy_towers.cluster.launching.one_task import Times, launch_task
from legacy_towers.cluster.launching.rounds import Settings
from legacy_towers.cluster.launching.running_round import RunningRound
from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.errors import MissingTaskError


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: what trains is in other processes."""


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Lets a launcher that has ended be noticed after 5 seconds."""
    monkeypatch.setattr(members, "SILENT_SECONDS", 5.0)


class Launcher(threading.Thread):
    """A launcher of this process, in a thread, which has no signals: its exit code, or its error, and its messages."""

    def __init__(self, addresses, index, words, folder, settings, times, environ=os.environ, job="worker", servers=()):
        super().__init__(daemon=True)
        jobs = (("worker", tuple(addresses)), ("ps", tuple(servers)))
        cluster = Cluster(jobs if servers else jobs[:1], Task(job, index))
        self._arguments = cluster, words, str(folder), settings, times, None, environ
        self._messages = io.BytesIO()
        self.ended = None
        self.start()

    def run(self):
        try:
            self.ended = launch_task(*self._arguments, stdout=self._messages, stderr=self._messages)
        except MissingTaskError as error:
            self.ended = str(error)

    @property
    def own_lines(self):
        """What the launcher itself has printed; it waits for others for as long as the machine is busy."""
        lines = self._messages.getvalue().decode().splitlines()
        own = [line.split(": ", 1)[1] for line in lines if line.startswith("legacy-towers launch: ")]
        return [line for line in own if " waits for " not in line]

    @property
    def output(self):
        return self._messages.getvalue().decode()


# Nothing listens there: the programs of the shell have no servers.
ADDRESSES = ["127.0.0.1:1", "127.0.0.1:2"]
# Three workers run until `lost` exists, and fail then. Two run until the first one gets SIGTERM, which it passes to the
# other, as a vote does. Three in a second round end at once.
PROGRAM = """
cd {0}
workers=$(echo "$TF_CONFIG" | grep -o 127.0.0.1:[0-9]* | wc -l)
[ $workers = 2 ] && trap "touch voted; exit 143" TERM
echo "$TF_CONFIG" >> started-$workers
case $workers-$(ls | grep -c voted) in
2-*) while [ ! -e voted ]; do sleep 0.05; done; exit 143;;
3-0) while [ ! -e lost ]; do sleep 0.05; done; exit 1;;
esac
"""


def test_the_others_go_on_without_a_machine_that_is_lost_and_take_it_in_again(tmp_path):
    words = ["sh", "-c", PROGRAM.format(tmp_path)]
    settings, times = Settings(Range(2, 3), 0, 1.0), Times(60.0, 0.5, 1.0)

    def third():
        """Starts the launcher of the third worker, in a process of its own, which can be killed."""
        return subprocess.Popen([
            sys.executable, "-m", "legacy_towers", "launch", "--cluster", "worker=" + ",".join(addresses),
            "--task", "worker:2", "--elastic", "2:3", "--shared-dir", str(tmp_path), "--join-seconds", "1", "--",
        ] + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with ports.held(3) as held:
        addresses = [each.replace("localhost", "127.0.0.1") for each in held]
        lost = third()
        # The others would begin without it.
        assert waiting.happens((tmp_path / "launch" / "worker-2.json").exists)
        launchers = [Launcher(addresses, index, words, tmp_path, settings, times) for index in range(2)]
        assert waiting.happens(lambda: _lines(tmp_path / "started-3") == 3)
        lost.kill()
        lost.communicate()
        (tmp_path / "lost").touch()
        assert waiting.happens(lambda: _lines(tmp_path / "started-2") == 2)
        again = third()
        output = again.communicate(timeout=120)[0].decode()
        for each in launchers:
            each.join(120.0)
    assert [each.ended for each in launchers] == [0, 0] and again.returncode == 0, output
    assert launchers[0].own_lines == [
        "training with 3 workers", "worker:0 ended with exit code 1", "worker:2 is gone: training with 2 workers",
        "worker:2 can train again: ending all with a checkpoint", "with worker:2 again: training with 3 workers",
    ]
    assert "legacy-towers launch: with worker:2 again: training with 3 workers" in output
    assert _lines(tmp_path / "started-3") == 6


def _lines(path):
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_process_that_fails_starts_again_with_all_others_and_then_ends_the_run(tmp_path):
    # Worker 1 fails in its first and second run, and worker 0 with it.
    words = ["sh", "-c", "echo run >> {0}/runs; exit 3".format(tmp_path)]
    settings, times = Settings(Range(2, 2), 1, 0.0), Times(60.0, 60.0, 1.0)
    launchers = [Launcher(ADDRESSES, index, words, tmp_path, settings, times) for index in range(2)]
    for each in launchers:
        each.join(120.0)
    assert [each.ended for each in launchers] == [3, 3]
    assert _lines(tmp_path / "runs") == 4
    assert [line for line in launchers[0].own_lines if "training" in line][1].endswith(
        " ended with exit code 3; 1 of 1 restart: training with 2 workers"
    )
    assert launchers[0].own_lines[-1].startswith("the run ends: worker:")
    assert launchers[0].own_lines[-1].endswith(" ended with exit code 3, after 1 restart")


def test_a_task_that_was_left_out_ends_with_the_run_of_the_others(tmp_path):
    # Worker 1 is killed, which counts as the cause, and worker 0 alone does the work.
    program = 'cd {}; case "$TF_CONFIG" in *127.0.0.1:1*127.0.0.1:2*) ;; *) exit 0;; esac; '.format(tmp_path)
    program += 'case "$TF_CONFIG" in *\'"index": 1\'*) kill -9 $$;; *) exit 1;; esac'
    settings, times = Settings(Range(1, 2), 0, 60.0), Times(60.0, 60.0, 1.0)
    launchers = [Launcher(ADDRESSES, index, ["sh", "-c", program], tmp_path, settings, times) for index in range(2)]
    for each in launchers:
        each.join(120.0)
    assert [each.ended for each in launchers] == [0, 0], launchers[1].output
    assert launchers[1].own_lines[-2:] == [
        "worker:1 was ended by SIGKILL: training with 1 worker", "worker:1 is left out, and taken in again later",
    ]


def test_an_evaluator_that_fails_alone_starts_again_beside_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(one_task, "_EVALUATOR_SECONDS", 1.2)
    # It fails in its first run, and lets the worker end in its second.
    program = 'cd {}; case "$TF_CONFIG" in *evaluator*) mkdir first && exit 1; touch done;; '.format(tmp_path)
    words = ["sh", "-c", program + "*) while [ ! -e done ]; do sleep 0.05; done;; esac"]
    settings, times = Settings(Range(1, 1), 1, 0.0), Times(60.0, 60.0, 1.0)
    worker, evaluator = [
        Launcher(ADDRESSES[:1], 0, words, tmp_path, settings, times, job=job) for job in ("worker", "evaluator")
    ]
    for each in (worker, evaluator):
        each.join(120.0)
    assert [worker.ended, evaluator.ended] == [0, 0], evaluator.output
    assert worker.own_lines == ["training with 1 worker"]
    assert evaluator.own_lines[-2:] == [
        "evaluator:0 ended with exit code 1", "starting evaluator:0 again, 1 of 1 restart",
    ]


def test_a_parameter_server_that_serves_without_end_is_ended_after_the_workers(tmp_path):
    settings, times = Settings(Range(1, 1), 1, 0.0), Times(60.0, 60.0, 0.5)
    program = 'cd {}; case "$TF_CONFIG" in *\'"type": "ps"\'*) exec sleep 1000;; esac; '.format(tmp_path)
    words = ["sh", "-c", program + "[ -e failed ] && exit 0; touch failed; exit 3"]
    worker, server = [
        Launcher(ADDRESSES[:1], 0, words, tmp_path, settings, times, job=job, servers=ADDRESSES[1:])
        for job in ("worker", "ps")
    ]
    for each in (worker, server):
        each.join(120.0)
    assert (worker.ended, server.ended) == (0, 0), worker.output + server.output
    assert server.own_lines == [
        "training with 1 worker", "all other tasks have ended: ending ps:0",
        "worker:0 ended with exit code 3; 1 of 1 restart: training with 1 worker",
        "all other tasks have ended: ending ps:0",
    ]


def test_a_process_is_killed_when_the_others_have_taken_its_launcher_for_lost(tmp_path):
    program = "cd {}; trap 'touch saved' TERM; touch started; while true; do sleep 0.05; done".format(tmp_path)
    settings, times = Settings(Range(1, 2), 0, 0.0), Times(60.0, 60.0, 60.0)
    launcher = Launcher(ADDRESSES, 0, ["sh", "-c", program], tmp_path, settings, times)
    assert waiting.happens((tmp_path / "started").exists)
    members.Members(str(tmp_path), Task("worker", 1), "").propose(members.Round(2, {}, code=0))
    launcher.join(120.0)
    assert launcher.ended == 0 and not (tmp_path / "saved").exists()
    assert launcher.own_lines == ["training with 1 worker", "the others have gone on without it: ending worker:0"]


def test_a_machine_that_never_comes_is_named(tmp_path):
    # SIGTERM has ended both launchers of an earlier run.
    earlier = [members.Members(str(tmp_path), Task("worker", index), {}) for index in range(2)]
    earlier[0].propose(members.Round(1, {each.own.task: each.own.launcher for each in earlier}))
    for each in earlier:
        each.set(state=members.LEFT, code=143)
    launcher = Launcher(ADDRESSES, 0, ["true"], tmp_path, Settings(Range(2, 2), 0, 0.0), Times(0.5, 60.0))
    launcher.join(120.0)
    assert launcher.ended == (
        "worker:0 waits for worker:1: not ready after 0.5 seconds. Does a launcher of each task run, with the same "
        "{}/launch?".format(tmp_path)
    )
    assert sorted(os.listdir(str(tmp_path / "launch"))) == ["round-000001.json", "worker-0.json", "worker-1.json"]


def test_sigterm_at_a_launcher_ends_its_process_and_that_of_the_others(tmp_path):
    program = 'cd {}; trap "touch voted; exit 143" TERM; touch started-$$; '.format(tmp_path)
    words = ["sh", "-c", program + "while [ ! -e voted ]; do sleep 0.05; done; exit 143"]
    other = Launcher(ADDRESSES, 0, words, tmp_path, Settings(Range(2, 2), 3, 30.0), Times(60.0, 60.0))
    ended = subprocess.Popen([
        sys.executable, "-m", "legacy_towers", "launch", "--cluster", "worker=" + ",".join(ADDRESSES), "--task",
        "worker:1", "--shared-dir", str(tmp_path), "--restarts", "3", "--",
    ] + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert waiting.happens(lambda: len(list(tmp_path.glob("started-*"))) == 2)
    ended.send_signal(signal.SIGTERM)
    output = ended.communicate(timeout=120)[0].decode()
    other.join(120.0)
    assert (ended.returncode, other.ended) == (143, 143), output
    assert other.own_lines == [
        "training with 2 workers", "the run ends: the launcher of worker:1 ended with exit code 143",
    ]


@pytest.mark.timeout(900)
def test_workers_of_train_use_each_example_once_when_one_is_left_out_and_taken_in_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = "--towers 2 --per-tower-batch-size 50 --save-steps 2 --log-every 1 --epochs 3 --elastic 1:2"
    environ = dict(os.environ, KILLED="worker:1", AT="5")
    to_take_in = RunningRound.to_take_in

    def after_one_step(self, members):
        """Takes the other worker in again after a step of one worker alone, however long that needs to start."""
        tasks = to_take_in(self, members)
        steps = killed_tasks.recorded_ids(tmp_path) if tasks else {}
        return tasks if steps and len(steps[max(steps)]) == 1 else []

    monkeypatch.setattr(RunningRound, "to_take_in", after_one_step)
    with ports.held(2) as held:
        addresses = [each.replace("localhost", "127.0.0.1") for each in held]
        launchers = [Launcher(
            addresses, index, killed_tasks.words(tmp_path, options), tmp_path, Settings(Range(1, 2), 0, 60.0),
            Times(240.0, 0.0, 1.0), environ,
        ) for index in range(2)]
        for each in launchers:
            each.join(600.0)
    assert [each.ended for each in launchers] == [0, 0], launchers[0].output[-5000:] + launchers[1].output[-5000:]
    steps = killed_tasks.recorded_ids(tmp_path)
    workers = [len(steps[number]) for number in sorted(steps)]
    alone = workers.count(1)
    assert workers[:4] == [2] * 4 and workers[4:4 + alone] == [1] * alone and alone and set(workers[4 + alone:]) == {2}
    ids = [each for number in sorted(steps) for task in sorted(steps[number]) for each in steps[number][task]]
    assert sorted(ids[:1000]) == sorted(ids[1000:2000]) == list(range(1000))
    # Batches of two workers may leave 100 examples over.
    assert len(set(ids[2000:])) == len(ids[2000:]) >= 900


ONE = "launch --cluster worker=h1:1 --task worker:0 "


@pytest.mark.parametrize("words, message", [
    ("launch --task worker:0 -- true", "--task has no effect without --cluster"),
    ("launch --shared-dir x -- true", "--shared-dir has no effect without --cluster"),
    (ONE + "--workers 2 -- true", "--cluster says which tasks there are: leave out --workers"),
    (ONE + "--ps 1 -- true", "leave out --ps"),
    (ONE + "--gpus-per-worker 1 -- true", "set CUDA_VISIBLE_DEVICES for it"),
    (ONE + "-- true", "give --shared-dir to launch"),
    (ONE + "-- train job.py", "give --shared-dir to launch, or --checkpoint-dir to train"),
    (ONE + "-- train job.py --checkpoint-dir gs://b/run", "the launchers can't write to gs://b/run"),
    (ONE + "-- train job.py --cluster worker=h1:1", "--cluster is given to launch and to train"),
    (ONE + "--shared-dir x --elastic 1:2 -- true", "--elastic 1:2: the cluster has 1 worker"),
    (ONE + "--shared-dir x --join-seconds 5 -- true", "--join-seconds has no effect without --elastic"),
    (ONE.replace("h1:1", "h1:1,h2:1") + "--shared-dir x --elastic 1:2 --start-seconds 20 -- true",
     "--join-seconds is 30 and --start-seconds 20"),
    ("launch --cluster worker=h1:1 --task worker:1 --shared-dir x -- true", "worker:1"),
    ("launch --cluster --shared-dir x -- true", "nothing describes a cluster"),
])
def test_wrong_arguments_of_launch_with_a_cluster_are_refused(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("TF_CONFIG", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    assert command(words) == 2
    assert message in capsys.readouterr().err
    assert os.listdir(str(tmp_path)) == []
