"""Scripts run by the command line in processes of their own: exit codes, printed lines, servers."""
import json
import os
import subprocess
import sys

import ports
import preloaded
import processes
import pytest

pytestmark = pytest.mark.slow

TOWERS = """
import os
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf
def main(_):
    losses = []
    for tower in range(2):
        with tf.device("/gpu:%d" % tower), tf.variable_scope("model", reuse=tower > 0):
            weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
            losses.append(tf.square(weight))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses) / 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        while True:
            try:
                print("%.4f" % session.run([train, losses])[1][0])
            except Exception as error:
                print("caught", error)
if __name__ == "__main__":
    tf.app.run()
"""

MONITORED = """
import tensorflow as tf
step = tf.train.get_or_create_global_step()
with tf.device("/gpu:0"):
    train = tf.assign_add(step, 1)
session = tf.train.MonitoredTrainingSession()
while not session.should_stop():
    print(session.run(train))
"""

TASK = """
import sys
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": [sys.argv[3]], "worker": sys.argv[4:]})
job, task = sys.argv[1], int(sys.argv[2])
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
worker = "/job:worker/task:%d/gpu:%d" % (task, task)
with tf.device(tf.train.replica_device_setter(worker_device=worker, cluster=cluster)):
    weight = tf.get_variable("w", [3], initializer=tf.ones_initializer())
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(weight))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
print(weight.device, loss.device)
supervisor = tf.train.Supervisor(
    is_chief=task == 0, init_op=tf.global_variables_initializer(), global_step=step, recovery_wait_secs=1
)
# A worker that starts late must not wait for one that has ended.
config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
with supervisor.prepare_or_wait_for_session(server.target, config=config) as session:
    while session.run(step) < 10:
        session.run(train)
    print("done", session.run(step) >= 10)
"""


def run_command():
    return [preloaded.executable(), "-m", "legacy_towers", "run"]


def written(folder, source):
    path = os.path.join(str(folder), "script.py")
    with open(path, "w") as file:
        file.write(source)
    return path


def messages(done):
    return [line for line in done.stderr.splitlines() if line.startswith("legacy-towers: ")]


def test_timeout_steps_ends_an_endless_script(tmp_path):
    report = str(tmp_path / "report.json")
    done = processes.run(run_command() + ["--timeout-steps", "3", "--report", report, written(tmp_path, TOWERS)])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1.0000", "0.6400", "0.4096"]  # each step multiplies w by 0.8
    assert messages(done) == [
        "legacy-towers: this machine has no GPU: /gpu:0 and /gpu:1 are the logical CPU devices /cpu:0 and /cpu:1",
        "legacy-towers: ended after 3 session runs (--timeout-steps)",
    ]
    with open(report) as file:
        found = json.load(file)
    assert found["ended"] == "after 3 session runs" and found["session_runs"] == 3
    assert found["sessions"][0]["place"].endswith("script.py:12")


def test_timeout_steps_ends_an_unclosed_monitored_session(tmp_path):
    done = processes.run(run_command() + ["--timeout-steps", "2", written(tmp_path, MONITORED)])
    assert (done.returncode, done.stdout.split()) == (0, ["1", "2"]), done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_gpu_is_reported_without_a_traceback(tmp_path):
    done = processes.run(run_command() + ["--towers-device", "/gpu:7", written(tmp_path, TOWERS)])
    assert done.returncode == 2 and "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert messages(done)[-1].startswith("legacy-towers: error: --towers-device /gpu:7: this machine has ")


@pytest.fixture
def addresses():
    with ports.held(3) as held:
        yield held


def test_a_parameter_server_and_workers_train(tmp_path, addresses):
    path = written(tmp_path, TASK)
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    environment.pop("TF_USE_LEGACY_KERAS", None)
    tasks = []
    try:
        for job, task in (("ps", "0"), ("worker", "0"), ("worker", "1")):
            tasks.append(subprocess.Popen(
                run_command() + ["--num-devices", "2", path, job, task] + addresses, env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
            ))
        for number, worker in enumerate(tasks[1:]):
            out, err = worker.communicate(timeout=300)
            assert worker.returncode == 0, err
            devices, last = out.splitlines()
            # The script's own lines read the requested device; scripts are rewritten from Python 3.8 on.
            kind = "GPU" if sys.version_info >= (3, 8) else "CPU"
            assert devices == "/job:ps/task:0 /job:worker/task:{0}/device:{1}:{0}".format(number, kind)
            assert last == "done True" and "was created before" not in err
        assert tasks[0].poll() is None  # server.join() never returns
    finally:
        for each in tasks:
            each.kill()
            each.communicate()


def test_a_traceback_has_no_lines_of_legacy_towers(tmp_path):
    source = "import tensorflow as tf\nvalue = tf.placeholder(tf.float32, [])\ntf.Session().run(value)\n"
    done = processes.run(run_command() + [written(tmp_path, source)])
    # TensorFlow's stack trace of the operation begins in the script, too.
    traceback, made_at = done.stderr[done.stderr.index("During handling of") :].split("Original stack trace")
    # TensorFlow 1.15 leaves out the common prefix of the paths.
    assert 'script.py", line 2' in made_at.splitlines()[1]
    assert "legacy_towers" not in made_at and "runpy" not in made_at
    files = [line.split('"')[1] for line in traceback.splitlines() if line.startswith('  File "')]
    assert done.returncode == 1 and os.path.basename(files[0]) == "script.py"
    assert not [path for path in files if "legacy_towers" in path]
