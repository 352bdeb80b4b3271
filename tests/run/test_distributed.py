"""A ps and two workers as processes on one machine: tests/scripts/dist_mnist.py, asynchronous and synchronous.

On TensorFlow 1.15 they run by plain Python, elsewhere by `legacy-towers run`.
"""
import os
import re
import subprocess
import time

import numpy as np
import ports
import preloaded
import pytest
from run import script_table

from legacy_towers.compat import tf

IS_1_15 = tf.__version__.startswith("1.15")
LAUNCHER = ["-B"] if IS_1_15 else ["-m", "legacy_towers", "run"]
# Seconds after which running processes are killed; they need about 15.
LIMIT = 600
STEPS = 60


class Cluster:
    """The processes of a cluster, with their output in files; leaving the context kills all of them."""

    def __init__(self, folder, arguments, addresses):
        ps, first, second = addresses
        self.folder = folder
        self.arguments = list(arguments) + [
            "--ps_hosts=" + ps, "--worker_hosts={},{}".format(first, second),
            "--train_dir=" + os.path.join(folder, "train"), "--train_steps={}".format(STEPS),
        ]
        self.processes = {}

    def __enter__(self):
        for job, task in (("ps", 0), ("worker", 0), ("worker", 1)):
            self.start(job, task)
        return self

    def __exit__(self, *unused):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, job, task):
        command = [preloaded.executable()] + LAUNCHER + [os.path.join(script_table.FOLDER, "dist_mnist.py")]
        command += self.arguments + ["--job_name=" + job, "--task_index={}".format(task)]
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
        environment.pop("TF_USE_LEGACY_KERAS", None)
        with open(self.path(job, task, "out"), "w") as out, open(self.path(job, task, "err"), "w") as err:
            self.processes[job, task] = subprocess.Popen(command, stdout=out, stderr=err, env=environment)

    def path(self, job, task, kind):
        return os.path.join(self.folder, "{}{}.{}".format(job, task, kind))

    def read(self, job, task, kind="out"):
        with open(self.path(job, task, kind)) as file:
            return file.read()

    def wait(self, job, task, until):
        """Waits for a process; fails with the output of all processes if it does not end by `until`."""
        try:
            code = self.processes[job, task].wait(max(0.0, until - time.time()))
        except subprocess.TimeoutExpired:
            code = "none, it still runs"
        written = "".join(
            "\n{}:{}\n{}{}".format(*each, self.read(*each), self.read(*each, "err")[-2000:]) for each in self.processes
        )
        assert code == 0, "exit code of {}:{}: {}{}".format(job, task, code, written)


# With replicas_to_aggregate=2 the chief would never get the gradients of a worker that has ended.
CASES = [[], ["--num_gpus=0"], ["--sync_replicas", "--replicas_to_aggregate=1"]]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", CASES, ids=["async", "cpu", "sync"])
def test_workers_train_one_model(arguments, tmp_path):
    with ports.held(3) as addresses, Cluster(str(tmp_path), arguments, addresses) as cluster:
        until = time.time() + LIMIT
        for task in (0, 1):
            cluster.wait("worker", task, until)
        assert cluster.processes["ps", 0].poll() is None, cluster.read("ps", 0, "err")
        found = {}
        for task in (0, 1):
            printed = cluster.read("worker", task)
            lines = re.findall(r"Worker (\d): training .*global step: (\d+)\) loss = (\S+)", printed)
            assert {int(line[0]) for line in lines} == {task}
            found[task] = [(int(line[1]), float(line[2])) for line in lines]
        # Both workers increment one global step, which they read before or after the last update; the loss decreases.
        assert max(step for lines in found.values() for step, _ in lines) >= STEPS - 1
        losses = [loss for _, loss in sorted(found[0] + found[1])]
        assert np.mean(losses[-10:]) < np.mean(losses[:10])
    checkpoint = tf.train.latest_checkpoint(os.path.join(str(tmp_path), "train"))
    reader = tf.train.NewCheckpointReader(checkpoint)
    assert {"global_step", "hid_w", "hid_w/Adam", "sm_b"} <= set(reader.get_variable_to_shape_map())
