"""The worker processes of a comparison: messages, output, failures, and their end."""
import os
import signal
import subprocess
import sys
import time

import job_files
import preloaded
import pytest
import waiting

from legacy_towers.compare import channel
from legacy_towers.compare.processes import CAN_HOLD, Pool, WorkerFailed

JOB = """
    import os, sys, time
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    print("printed while the file is imported")
    os.write(1, b"written to descriptor 1\\n")

    def model_fn(batch, mode):
        print("printed by the model")
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(batch * w - 1)))

    @lt.job
    def talkative(how="well"):
        if how == "raises":
            raise KeyError("no such thing")
        if how == "ends":
            os._exit(7)
        if how == "killed":
            os.kill(os.getpid(), 9)
        if how == "hangs":
            time.sleep(1000)
        if how == "reads":
            assert sys.stdin.read() == ""
        examples = lt.Examples.from_arrays(np.ones((64, 3), np.float32))
        return lt.Job(model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.1), per_tower_batch_size=4)
"""


@pytest.fixture
def job(tmp_path):
    return job_files.write(tmp_path, "talkative.py", JOB)


@pytest.fixture
def preloaded_workers(monkeypatch):
    """The workers find TensorFlow imported."""
    monkeypatch.setattr(sys, "executable", preloaded.executable())


def build(job, **changes):
    options = {"how": changes.pop("how", "well")}
    command = {"do": "build", "job": job, "options": options, "input": "dataset:split", "towers": 1, "device": "cpu"}
    return dict(command, per_tower_batch_size=4, **changes)


def start(pool, *commands):
    """Starts workers named 0, 1, ..., and returns their replies."""
    replies = {}
    pool.start([(str(name), command) for name, command in enumerate(commands)], 2, replies.__setitem__)
    return [replies[str(name)] for name in range(len(commands))]


def state(process):
    """Returns the state of a process as in /proc: "R" for running, "T" for stopped."""
    with open("/proc/{}/stat".format(process)) as stat:
        return stat.read().rpartition(")")[2].split()[0]


def gone(pid):
    """Returns whether a process has ended; a zombie has."""
    try:
        return state(pid) == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_other_lines_are_not_decoded_as_messages():
    assert channel.decode(channel.encode({"a": [1, "\u00e9\n"]})) == {"a": [1, "\u00e9\n"]}
    assert channel.decode("hello\n") is None and channel.decode("{}\n") is None


@pytest.mark.slow
def test_the_jobs_output_and_input_do_not_disturb_a_worker(preloaded_workers, job):
    with Pool(600) as pool:
        (reply,) = start(pool, build(job, how="reads"))
        assert reply["plan"]["input"]["pipeline"] == "dataset" and reply["examples_per_update"] == 4
        turn = pool.ask("0", {"do": "turn", "settle": 1, "steps": 6, "seconds": 0})
        assert len(turn["step_seconds"]) == 6
        assert sum(turn["step_seconds"]) == pytest.approx(turn["seconds"])
        assert pool.ask("0", {"do": "resources"})["peak_memory_bytes"] > 10**7
        with pytest.raises(WorkerFailed) as caught:
            pool.ask("0", {"do": "turn"})
        assert "TypeError" in str(caught.value)
        for printed in ("printed while", "written to descriptor 1", "printed by the model"):
            assert printed in caught.value.log
        assert "0" not in pool


@pytest.mark.slow
def test_failed_workers_report_the_reason_and_the_others_continue(preloaded_workers, job):
    hows = ["raises", "ends", "killed", "well"]
    with Pool(600) as pool:
        replies = start(pool, *[build(job, how=how) for how in hows], build(job, input="nonsense"))
        sentences = dict(zip(hows + ["nonsense"], map(str, replies)))
        assert sentences["raises"] == "KeyError: 'no such thing'"
        assert sentences["ends"] == "its process ended by itself with exit code 7"
        assert sentences["killed"] == "its process was killed by SIGKILL: was there too little memory?"
        assert sentences["nonsense"].startswith("there is no input pipeline 'nonsense': the names are 'synthetic', ")
        assert all(isinstance(reply, WorkerFailed) == (how != "well") for how, reply in zip(hows, replies))
        assert "Traceback" in replies[0].log and 'raise KeyError("no such thing")' in replies[0].log
        assert pool.ask("3", {"do": "turn", "settle": 0, "steps": 2, "seconds": 0})["cpu_cores"] >= 0


@pytest.mark.slow
def test_a_worker_that_hangs_is_ended(preloaded_workers, job):
    with Pool(600) as pool:
        assert "plan" in start(pool, build(job))[0]
        pool._timeout = 5
        replies = []
        pool.start([("hanging", build(job, how="hangs"))], 1, lambda name, reply: replies.append(reply))
        assert str(replies[0]) == "its process was silent for 5 seconds in the command 'build' and was ended"
        assert "hanging" not in pool and "0" in pool


@pytest.mark.slow
def test_a_worker_that_died_between_turns_is_reported_at_its_next_turn(job):
    with Pool(600) as pool:
        start(pool, build(job), build(job))
        held = pool._workers["0"]
        os.kill(held._process.pid, signal.SIGKILL)
        held._thread.join()  # its end has been read
        turn = {"do": "turn", "settle": 0, "steps": 2, "seconds": 0}
        assert len(pool.ask("1", turn)["step_seconds"]) == 2
        with pytest.raises(WorkerFailed, match="its process was killed by SIGKILL"):
            pool.ask("0", turn)
        assert "0" not in pool and "1" in pool


PARENT = """
import sys, time
from legacy_towers.compare.processes import Pool
job = sys.argv[1]
command = {"do": "build", "job": job, "options": {}, "input": "dataset:split", "towers": 1, "device": "cpu",
           "per_tower_batch_size": 4}
with Pool(600) as pool:
    pool.start([("held", command)], 1, lambda name, reply: None)
    hanging = dict(command, options={"how": "hangs"})
    pool._start("busy")
    pool._workers["busy"].send(hanging)
    print(*[worker._process.pid for worker in pool._workers.values()], flush=True)
    time.sleep(1000)
"""


@pytest.mark.slow
@pytest.mark.skipif(not CAN_HOLD, reason="needs /proc")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])  # SIGTERM, too, ends a process before it can do anything
def test_no_worker_outlives_its_parent(job, name):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, job], stdout=subprocess.PIPE, universal_newlines=True)
    try:
        held, busy = map(int, parent.stdout.readline().split())
        while state(held) != "T":  # stopped, once the process has handled the signal
            assert parent.poll() is None
            time.sleep(0.01)
        parent.send_signal(getattr(signal, name))
        parent.wait(120)
        assert waiting.happens(lambda: gone(held) and gone(busy))
    finally:
        parent.kill()
        parent.stdout.close()


@pytest.mark.slow
def test_a_worker_ends_when_its_input_is_closed(job):
    worker = subprocess.Popen(
        [sys.executable, "-m", "legacy_towers.compare.worker", str(os.getpid())],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    worker.stdin.write(channel.encode(build(job, how="hangs")).encode("utf-8"))
    worker.stdin.flush()
    time.sleep(0.2)
    worker.communicate(timeout=120)  # closes its input
    assert worker.returncode == 0
