"""Training over workers with parameter servers: 2 workers of 2 towers against 1 process of 4; and what is refused."""
import io
import threading

import job_files
import numpy as np
import preloaded
import pytest
import server_steps
import worker_steps
from commands import command

import legacy_towers as lt
from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, ClusterError
from legacy_towers.training.job import load_job
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train

# Many threads share two cores with whatever else runs.
pytestmark = pytest.mark.timeout(900)

HOSTS = "worker=127.0.0.1:2222,127.0.0.1:2223;ps=127.0.0.1:2224,127.0.0.1:2225"
NO_SERVERS = "worker=127.0.0.1:2222,127.0.0.1:2223"


@pytest.fixture(scope="module")
def cluster():
    return server_steps.LocalCluster()


def test_the_worker_that_the_others_wait_for_by_parameter_servers_is_named_on_all_of_them(cluster):
    found = cluster.run(lambda task, target: worker_steps.train_slowly(
        task, target, 1, lt.cluster.session_config(task, **server_steps.OPTIONS), variables="balanced"
    ))
    assert found == [["worker:1", "worker:1", "worker:0", "worker:1"]] * 2


@pytest.mark.parametrize("case", sorted(server_steps.CASES))
def test_workers_with_parameter_servers_compute_what_one_process_with_all_their_towers_computes(cluster, case):
    chief, other = cluster.run(lambda task, target: server_steps.train(case, task, target))
    with tf.Graph().as_default():
        whole = server_steps.train(case, None, "", towers=4)
    names = [name for name in whole if name not in ("rows", "step")]
    assert set(names) == {name for name in chief if name not in ("rows", "step")}
    tolerance = 2e-3 if "float16" in case else 1e-5
    for name in names:
        expected = np.asarray(whole[name], np.float64)
        largest = np.max(np.abs(expected))
        assert largest > 0, name
        difference = np.max(np.abs(np.asarray(chief[name], np.float64) - expected))
        assert difference <= tolerance * largest, (name, difference, largest)
    for name in ("losses", "metrics"):
        np.testing.assert_array_equal(chief[name], other[name])
    rows = np.concatenate([chief["rows"], other["rows"]])
    assert sorted(map(tuple, rows)) == sorted(map(tuple, whole["rows"]))
    assert len(set(map(tuple, rows))) == len(rows) > len(chief["rows"]) > 0
    variables = chief["step"].plan.variables
    assert all(each.device.startswith("/job:ps/task:") for each in variables)
    if "balanced" in case or "partitioned" in case:
        assert {each.device for each in variables} == {
            "/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"
        }
    if "sparse" in case:
        assert [each.gradient for each in variables if each.name.startswith("table")][0] == "sparse"


def count_ids(step, ids):
    """Appends the ids of the examples that each tower of an asynchronous step uses."""
    per_tower = [batch["id"] for batch in step.input.per_tower]
    step.asynchronous.count_examples(lambda values: ids.extend(values[0]), per_tower)
    return per_tower[0]


def test_asynchronous_workers_use_each_example_once_and_count_each_others_updates(cluster):
    count = server_steps.BATCH * server_steps.STEPS
    examples = lt.Examples.from_arrays({
        "x": server_steps.ROWS[:count], "y": server_steps.TARGETS[:count], "word": server_steps.WORDS[:count],
        "id": np.arange(count),
    })

    def run_worker(task, target):
        ids = []
        step = lt.build_train_step(
            server_steps.model(embedded=True),
            lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=1, shuffle=20),
            tf.train.AdamOptimizer(0.01), lt.devices.cpus(2), variables="asynchronous", cluster=task,
        )
        own = count_ids(step, ids)
        config = lt.cluster.session_config(task, **server_steps.OPTIONS)
        with tf.Session(target, config=config) as session, step.running(session) as run:
            while True:
                ids.extend(run(own))
        return ids, step.asynchronous.staleness, step

    runs = cluster.run(run_worker)
    assert sorted(runs[0][0] + runs[1][0]) == list(range(count))
    updates = [each.updates for run in runs for each in run[1]]
    assert updates == [count // 12] * 4
    # Each of the 16 updates but the first can have missed others; without those of the other worker at most 7 could.
    staleness = [sum(each.mean * each.updates for each in run[1]) for run in runs]
    assert sum(staleness) > 0
    assert "resume: refused (towers of several workers that train asynchronously" in str(runs[0][2].plan)
    assert {each.device for each in runs[0][2].plan.variables} == {
        "/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"
    }


class Late(tf.train.SessionRunHook):
    """Holds each step of a worker back until the others have run all of theirs."""

    def __init__(self, others_have_ended):
        self._others_have_ended = others_have_ended

    def before_run(self, run_context):
        self._others_have_ended.wait(server_steps.SECONDS)


def test_backup_workers_are_left_out_and_counted(cluster):
    ended = threading.Event()

    def run_worker(task, target):
        step = lt.build_train_step(
            server_steps.model(), server_steps.dataset(order="fixed"), tf.train.GradientDescentOptimizer(0.1),
            lt.devices.cpus(2), variables="parameter_server", cluster=task, backup_workers=1,
        )
        losses = []
        config = lt.cluster.session_config(task, **server_steps.OPTIONS)
        hooks = [] if task.is_chief else [Late(ended)]
        with tf.Session(target, config=config) as session:
            with step.running(session, hooks) as run:
                while True:
                    losses.append(run(step.loss))
            if task.is_chief:
                ended.set()
                return losses, step.stop_hook, session.run(step.global_step)
            return losses, step.stop_hook, None

    (losses, chief, global_step), (late_losses, late, _) = cluster.run(run_worker)
    # The updates took the chief's gradients alone, those of its half of each batch.
    with tf.Graph().as_default():
        half = lt.build_train_step(
            server_steps.model(),
            lt.inputs.from_tensors(per_tower=[server_steps.rows_of_chief(tower) for tower in range(2)]),
            tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2),
        )
        with tf.Session(config=lt.session_config(**server_steps.OPTIONS)) as session, half.running(session) as run:
            expected = [run(half.loss) for _ in range(server_steps.STEPS)]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert global_step == server_steps.STEPS
    assert (chief.late, chief.runs) == (0, server_steps.STEPS)
    # It took the newest step, was told that there is no other, and used no further example.
    assert (late.late, late.runs) == (1, 1)
    assert late_losses == losses[-1:]
    assert str(late) == "worker:1: 1 of 1 steps came too late and were left out"


def test_all_workers_with_parameter_servers_stop_after_the_same_step_when_one_asks_for_it(cluster):
    losses = [
        run["losses"] for run in cluster.run(lambda task, target: server_steps.train(
            "one server, clipped", task, target,
            hooks=[] if task.is_chief else [server_steps.StopAt(2)],
        ))
    ]
    # Worker 1 asks after its second step, and all vote in the third.
    assert [len(each) for each in losses] == [3, 3]


def test_a_worker_that_built_another_step_for_parameter_servers_is_an_error_on_every_worker(cluster):
    def run_worker(task, target):
        case = "one server, clipped" if task.is_chief else "balanced, adam, sum"
        with pytest.raises(ClusterError, match="worker:1 built another step than worker:0"):
            server_steps.train(case, task, target)

    cluster.run(run_worker)


def test_a_parameter_server_ends_when_all_workers_have_finished(cluster):
    server = cluster.servers[1]
    serving = threading.Thread(target=lt.cluster.serve, args=(server, cluster.targets[server.task]), daemon=True)
    serving.start()
    lt.cluster.finish(cluster.workers[0])
    lt.cluster.finish(cluster.workers[0])
    assert serving.is_alive()
    lt.cluster.finish(cluster.workers[1])
    serving.join(server_steps.SECONDS)
    assert not serving.is_alive()


def build(hosts=HOSTS, model_fn=None, inputs=None, **options):
    """Builds a step of a worker, without a server."""
    cluster = lt.cluster.from_environment({}, hosts=hosts, task="worker:1")
    return lt.build_train_step(
        model_fn or server_steps.model(), inputs or server_steps.dataset(), tf.train.GradientDescentOptimizer(0.1),
        lt.devices.cpus(2), cluster=cluster, **options
    )


def on_worker(batch, mode):
    with tf.device("/job:worker/task:1/cpu:0"):
        weights = tf.get_variable("own", [6, 3])
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], weights) - batch["y"])))


def with_local_variable(batch, mode):
    tf.get_variable("seen", [], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    return server_steps.model()(batch, mode)


@pytest.mark.parametrize("options, error, message", [
    (dict(variables="replicated"), ClusterError, r"the cluster has 2 parameter servers, which Replicated\(\) does not"),
    (dict(variables="local_sgd:2"), ClusterError, "which LocalSGD.* does not use"),
    (dict(hosts=NO_SERVERS, variables="balanced"), ClusterError, "keeps variables on parameter servers, and the clus"),
    (dict(hosts=NO_SERVERS, variables="asynchronous"), ClusterError, "the cluster has none"),
    (dict(hosts=NO_SERVERS, variables="replicated", backup_workers=1), ClusterError, "backup_workers is 1: only work"),
    (dict(backup_workers=2), ArgumentError, "backup_workers is 2: allowed are 0 to 1, with 2 workers"),
    (dict(backup_workers=1, variables="asynchronous"), ClusterError, "no worker waits for another"),
    (dict(backup_workers=1, inputs=server_steps.dataset(remainder="short")), ClusterError, 'use remainder="drop"'),
    (dict(update_ops="all"), ClusterError, "update_ops='all' over workers with parameter servers"),
    (dict(model_fn=on_worker), ClusterError, "'own' would not be on a parameter server"),
    (dict(model_fn=with_local_variable), ClusterError, "local variables 'seen' would be on a parameter server"),
    (dict(variables="asynchronous", inputs=server_steps.dataset(order="fixed")), lt.errors.InputError, "order=.fixed"),
])
def test_a_step_that_workers_cannot_train_by_parameter_servers_is_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        build(**options)


def test_launched_train_with_a_parameter_server_is_one_run_whose_checkpoint_one_process_resumes(tmp_path):
    job_file = job_files.write(tmp_path, "line.py", job_files.LINE)
    output = io.BytesIO()
    options = "--towers 2 --per-tower-batch-size 8 --order fixed --save-steps 4 --log-every 1"
    words = [preloaded.executable(), "-m", "legacy_towers", "train", job_file] + options.split()
    words += ["--checkpoint-dir", str(tmp_path / "run"), "--steps", "4", "--start-seconds", "120", "--cluster"]
    words += ["--evaluator", "--stop-early", "min:error", "--patience", "9"]
    assert launch(words, 2, 1, stdout=output, stderr=output, evaluators=1) == 0, output.getvalue().decode()[-3000:]
    lines = output.getvalue().decode().splitlines()
    finals = [line for line in lines if "trained 4 steps to a loss of" in line]
    assert sorted(line.split()[0] for line in finals) == ["[worker:0]", "[worker:1]"]
    # The evaluator alone evaluates each checkpoint, and ends after the last one.
    evaluated = [line.split() for line in lines if " test error " in line]
    assert {words[0] for words in evaluated} == {"[evaluator:0]"}
    assert [words[-1] for words in evaluated] == ["0)", "4)"]
    assert any("[evaluator:0] the best checkpoint is {} (error ".format(tmp_path / "run" / "model.ckpt-4") in line
               for line in lines)
    assert any("strategy: ParameterServer('/job:ps/task:0/device:CPU:0')" in line for line in lines)

    job = load_job(job_file)()
    whole = dict(towers=4, per_tower_batch_size=8, order="fixed", steps=6)
    resumed = train(job, TrainSettings(checkpoint_dir=str(tmp_path / "run"), **whole), io.StringIO())
    alone = train(job, TrainSettings(checkpoint_dir=str(tmp_path / "alone"), **whole), io.StringIO())
    assert (resumed.steps, alone.steps) == (2, 6)
    found, expected = [
        tf.train.load_checkpoint(str(tmp_path / name / "model.ckpt-6")).get_tensor("w") for name in ("run", "alone")
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_backup_workers_without_a_cluster_are_refused(tmp_path, capsys):
    assert command("train {} --backup-workers 1".format(job_files.write(tmp_path, "line.py", job_files.LINE))) == 2
    assert "--backup-workers has no effect without --cluster" in capsys.readouterr().err
