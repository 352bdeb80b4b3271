"""Training over workers: 2 processes of 2 towers against 1 process of 4; and what is refused."""
import io
import json
import os
import subprocess

import job_files
import killed_tasks
import numpy as np
import ports
import preloaded
import pytest
import worker_steps
from commands import command

import legacy_towers as lt
from legacy_towers import cluster as clusters
from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.cluster.records import own_record
from legacy_towers.cluster.workers import bits_of, from_bits
from legacy_towers.compat import tf
from legacy_towers.compat.versions.collectives import is_collective
from legacy_towers.errors import ClusterError, InputError
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.count_steps import position_of
from legacy_towers.training.job import load_job
from legacy_towers.training.runs.workers import check_elastic_input
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train

# Three processes share two cores with whatever else runs.
pytestmark = pytest.mark.timeout(900)

HOSTS = "worker=127.0.0.1:2222,127.0.0.1:2223"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Returns what worker 0, worker 1 and one process with the towers of both computed."""
    folder = tmp_path_factory.mktemp("runs")
    with ports.held(2) as addresses:
        hosts = "worker=" + ",".join(each.replace("localhost", "127.0.0.1") for each in addresses)
        tasks = [(hosts, "worker:0", "2"), (hosts, "worker:1", "2"), ("none", "none", "4")]
        outputs = [str(folder / "{}.npz".format(number)) for number in range(len(tasks))]
        processes = [
            subprocess.Popen(
                [preloaded.executable(), worker_steps.__file__, *task, output], stderr=subprocess.PIPE,
                cwd=os.path.dirname(worker_steps.__file__),
            )
            for task, output in zip(tasks, outputs)
        ]
        errors = [process.communicate(timeout=800)[1].decode() for process in processes]
    # Worker 1 ends in the middle of its last case, which is an error on worker 0.
    for process, error, code in zip(processes, errors, (1, 0, 0)):
        assert process.returncode == code, error[-3000:]
    lost = [line for line in errors[0].splitlines() if "worker:0 waits for" in line]
    return [dict(np.load(output), lost=lost) for output in outputs]


def names_of(run, case):
    return sorted(name for name in run if name.startswith(case + "/") and not name.endswith("/rows"))


@pytest.mark.parametrize("case", sorted(set(worker_steps.CASES) - {worker_steps.DRAWN}))
def test_workers_compute_what_one_process_with_all_their_towers_computes(runs, case):
    worker, _, whole = runs
    names = names_of(whole, case)
    assert names == names_of(worker, case)
    tolerance = 2e-3 if case == "float16" else 1e-5
    for name in names:
        expected = np.asarray(whole[name], np.float64)
        largest = np.max(np.abs(expected))
        assert largest > 0, name
        difference = np.max(np.abs(np.asarray(worker[name], np.float64) - expected))
        assert difference <= tolerance * largest, (name, difference, largest)


@pytest.mark.parametrize("case", sorted(worker_steps.CASES))
def test_workers_have_the_same_variables_and_loss_bit_for_bit(runs, case):
    worker, other, _ = runs
    for name in names_of(worker, case):
        np.testing.assert_array_equal(worker[name], other[name], err_msg=name)


@pytest.mark.parametrize("case", sorted(worker_steps.CASES))
def test_every_example_is_used_once_over_all_workers(runs, case):
    worker, other, whole = [run[case + "/rows"] for run in runs]
    rows = np.concatenate([worker, other])
    assert len(worker) and len(other)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, whole))
    assert len(set(map(tuple, rows))) == len(rows)


def test_all_workers_stop_after_the_same_step_when_one_asks_for_it(runs):
    worker, other, _ = runs
    # Worker 1 asks after its second step, and all vote in the third.
    assert len(worker["stopped"]) == len(other["stopped"]) == 3


def test_a_worker_that_built_another_step_is_an_error_on_every_worker(runs):
    worker, other, _ = runs
    for run in (worker, other):
        assert str(run["another step"]).startswith("worker:1 built another step than worker:0")


def test_the_worker_that_the_others_wait_for_is_named_on_all_of_them(runs):
    for run in runs[:2]:
        assert run["slowest"].tolist() == ["worker:1", "worker:1", "worker:0", "worker:1"]


WITHOUT_CHIEF = """
import sys
import legacy_towers as lt
from legacy_towers.compat import tf
import worker_steps
cluster = lt.cluster.from_environment({}, hosts=sys.argv[1], task="worker:0")
config = lt.cluster.session_config(cluster, logical_cpus=1)
server = lt.cluster.start(cluster, config=config)
step = lt.build_train_step(
    worker_steps.model(), worker_steps.dataset(), tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(1),
    cluster=cluster, variables="replicated",
)
tf.train.MonitoredTrainingSession(server.target, is_chief=False, hooks=step.hooks, config=config)
"""


def test_a_session_that_waits_for_another_worker_to_initialize_its_variables_is_an_error():
    with ports.held(1) as (address,):
        done = subprocess.run(
            [preloaded.executable(), "-c", WITHOUT_CHIEF, "worker=" + address.replace("localhost", "127.0.0.1")],
            stderr=subprocess.PIPE, timeout=120, cwd=os.path.dirname(worker_steps.__file__),
        )
    assert done.returncode == 1
    assert b"worker:0 waits for the initial values of variables that it has for itself: give tf.train." in done.stderr


def test_a_worker_that_ends_is_named_by_the_others_which_end_too(runs):
    reason = "worker:0 waits for worker:1, which has ended: nothing listens at 127.0.0.1:"
    assert any(reason in line for line in runs[0]["lost"])


@pytest.mark.parametrize("values", [
    np.array([0.0, -0.0, np.nan, np.inf, 1e-45, -1.5], np.float32),
    np.array([0.0, -0.0, np.nan, -np.inf, 5e-324, 0.1], np.float64),
    np.array([0.0, -0.0, np.nan, np.inf, 6e-8, -1.5], np.float16),
    np.array([2 ** 40, -1, 0, -2 ** 63], np.int64),
    np.array([2 ** 31 - 1, -1, 0, -2 ** 31], np.int32),
    np.array([255, 0], np.uint8),
    np.array([-128, 127], np.int8),
    np.array([True, False]),
    np.array([1 - 2j, complex(np.nan, -0.0)], np.complex64),
], ids=lambda values: values.dtype.name)
def test_initial_values_are_sent_bit_for_bit(values):
    with tf.Session() as session:
        tensor = tf.constant(values)
        sent = from_bits(bits_of(tensor, tensor.dtype, "name"), tensor.dtype)
        assert session.run(sent).tobytes() == values.tobytes()


def test_a_variable_that_cannot_be_sent_is_named():
    with pytest.raises(ClusterError, match="can't exchange 'words', which is string"):
        bits_of(tf.constant(["a"]), tf.string, "words")


def build(task="worker:1", hosts=HOSTS, model_fn=None, inputs=None, devices=("/cpu:0", "/cpu:1"), **options):
    """Builds a step of a worker, without a server."""
    cluster = lt.cluster.from_environment({}, hosts=hosts, task=task)
    options = dict(dict(variables="replicated"), **options)
    return lt.build_train_step(
        model_fn or worker_steps.model(), inputs or worker_steps.dataset(), options.pop("optimizer", None)
        or tf.train.GradientDescentOptimizer(0.1), list(devices), cluster=cluster, **options
    )


def normalized_over_towers(batch, mode):
    hidden = lt.cross_tower_batch_norm(tf.layers.flatten(batch["x"]), training=True)
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(hidden, tf.get_variable("w", [6, 3])) - batch["y"])))


def alternating(global_step):
    return [
        lt.Objective(name, tf.train.GradientDescentOptimizer(0.1), variables=scope, steps=1)
        for name, scope in (("one", "w"), ("two", "v"))
    ]


def joint(global_step):
    return [objective._replace(steps=None) for objective in alternating(global_step)]


def two_losses(batch, mode):
    output = worker_steps.model()(batch, mode)
    return lt.TowerOutput(loss={"one": output.loss, "two": output.loss})


def fed():
    return lt.inputs.feed(worker_steps.examples(), per_tower_batch_size=3)


@pytest.mark.parametrize("options, error, message", [
    (dict(variables=None), ClusterError, "ParameterServer.* keeps variables on parameter servers, and the cluster has"),
    (dict(variables="asynchronous"), ClusterError, "Asynchronous.* keeps variables on parameter servers"),
    (dict(variables="local_sgd:2", reduction="loss_scale:8+mean"), ClusterError, "LocalSGD.*skipped by the others"),
    (dict(reduction="mean+add_noise:0.1"), ClusterError, "add_noise.* needs a seed over workers"),
    (dict(reduction="collective"), ClusterError, "can't reduce gradients by collective"),
    (dict(reduction=lambda gradients: gradients), ClusterError, "can't reduce gradients by <lambda>"),
    (dict(inputs=worker_steps.dataset(route="per_device")), InputError, "per_device"),
    (dict(inputs=fed()), InputError, "divide lt.inputs.feed among themselves: use lt.inputs.dataset"),
    (dict(model_fn=normalized_over_towers), ClusterError, "between the towers of one process"),
    (dict(model_fn=two_losses, optimizer=alternating), ClusterError, "alternate, such as 'one' with steps=1"),
    (dict(devices=["/job:worker/task:0/cpu:0"]), ClusterError, "each worker builds its own towers"),
    (dict(task="ps:0", hosts=HOSTS + ";ps=127.0.0.1:2224"), ClusterError, "ps:0 builds no step"),
])
def test_a_step_that_workers_cannot_train_is_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        build(**options)


def own_loss(dtype):
    """Returns a model of float32 variables and a loss of this dtype."""
    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.cast(worker_steps.model()(batch, mode).loss, dtype))

    return model_fn


@pytest.mark.parametrize("options, count", [
    ({}, 1),
    (dict(reduction="sum"), 1),
    # A loss of 64 bits is not sent in 32 bits, and no loss in 16.
    (dict(model_fn=own_loss(tf.float64)), 2),
    (dict(reduction="compressed"), 2),
    # Each objective has gradients of its own.
    (dict(model_fn=two_losses, optimizer=joint), 2),
])
def test_losses_are_reduced_with_the_gradients_where_the_dtype_allows(options, count):
    with tf.Graph().as_default():
        step = build(**options)
        assert len([each for each in ancestors([step.train_op]) if is_collective(each)]) == count


def test_the_plan_says_what_workers_exchange():
    plan = build(update_ops="mean", model_fn=worker_steps.model(normalized=True)).plan
    assert plan.workers.startswith("worker:1, one of 2, each with 2 towers (4 towers in all)")
    assert plan.variables[0].reduced_by == "add_n, all-reduce over 2 workers"
    assert plan.update_ops == "1 per tower, run averaged over the towers of all workers"
    assert (plan.input.per_tower_batch_size, plan.input.global_batch_size) == (3, 12)
    assert plan.devices == ["/job:worker/task:1/device:CPU:0", "/job:worker/task:1/device:CPU:1"]
    assert "workers: worker:1, one of 2" in plan.summary()


def test_a_launched_run_whose_worker_is_killed_restarts_and_uses_each_example_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Worker 1 kills itself before its seventh step, once.
    monkeypatch.setenv("KILLED", "worker:1")
    monkeypatch.setenv("AT", "7")
    job_file = killed_tasks.job_file(tmp_path)
    output = io.BytesIO()
    options = "--towers 2 --per-tower-batch-size 50 --save-steps 4 --log-every 1 --evaluate-steps 10"
    words = [preloaded.executable(), "-m", "legacy_towers", "train", job_file] + options.split()
    words += ["--checkpoint-dir", "run", "--steps", "10", "--start-seconds", "240", "--cluster"]
    code = launch(words, 2, grace_seconds=0.5, stdout=output, stderr=output, restarts=1)
    lines = output.getvalue().decode().splitlines()
    assert code == 0, "\n".join(lines[-60:])
    assert "legacy-towers launch: worker:1 was ended by SIGKILL; ending the other 1 task" in lines
    finals = [line for line in lines if "trained 6 steps to a loss of" in line]
    assert sorted(line.split()[0] for line in finals) == ["[worker:0]", "[worker:1]"]
    assert all("over 4 towers" in line for line in finals)
    # The chief alone evaluates, saves and prints the progress.
    assert any("test error" in line for line in lines)
    assert not any(line.startswith("[worker:1] ") and ("step" in line.split()[1] or "test" in line) for line in lines)

    # 1,000 examples in 5 steps of 200: steps 5 and 6 were trained before the end of worker 1 and after it.
    steps = killed_tasks.recorded_ids(tmp_path)
    for epoch in (range(1, 6), range(6, 11)):
        ids = [each for number in epoch for worker in ("worker:0", "worker:1") for each in steps[number][worker]]
        assert sorted(ids) == list(range(1000))

    job = load_job(job_files.write(tmp_path, "plain.py", job_files.LINE))()
    whole = dict(towers=4, per_tower_batch_size=50, variables="replicated", steps=12)
    resumed = train(job, TrainSettings(checkpoint_dir="run", **whole), io.StringIO())
    alone = train(job, TrainSettings(checkpoint_dir="alone", **whole), io.StringIO())
    assert (resumed.steps, alone.steps) == (2, 12)
    found, expected = [
        tf.train.load_checkpoint(os.path.join(name, "model.ckpt-12")).get_tensor("w") for name in ("run", "alone")
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("options, message", [
    ("--variables auto", "--variables auto measures in one process"),
    ("--variables parameter_server", "keeps variables on parameter servers, and the cluster has none"),
    ("--reduction nccl", "can't reduce gradients by"),
    ("--input feed", "workers of a cluster can't divide lt.inputs.feed among themselves"),
    ("--towers 0", "--towers is 0"),
    ("--on-nan restore --checkpoint-dir run", "--on-nan restore works in one process only"),
    ("--fast-dev-run", "--fast-dev-run tries a job in one process"),
    ("--backup-workers 1", "--backup-workers is 1: only workers that train by parameter servers"),
    ("--evaluator", "--evaluator needs --checkpoint-dir"),
    ("--evaluator --checkpoint-dir run --bare", "--evaluator needs test examples, and the job has none"),
    ("--evaluator --checkpoint-dir run --evaluate-steps 5", "leave out --evaluate-steps, and choose when to save by "
     "--save-steps"),
    ("--evaluator --checkpoint-dir run --patience 2", "--patience has no effect without --stop-early"),
    ("--elastic 3:4", "--elastic 3:4: the cluster has 2 workers"),
    ("--elastic 1-3", "--elastic is '1-3'"),
    ("--elastic 1:3 --global-batch-size 32", "--elastic 1:3, with 3 workers: "),
])
def test_options_of_train_that_workers_cannot_use_are_refused_before_they_wait_for_each_other(
    options, message, tmp_path, capsys, monkeypatch
):
    refused = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(clusters, "start", lambda *arguments: pytest.fail("it waits for the others"))
    monkeypatch.setattr(clusters, "refuse", lambda cluster, reason, *others: refused.append((cluster.task, reason)))
    job_file = job_files.write(tmp_path, "line.py", job_files.LINE)
    words = "train {} --cluster {} --task worker:0 {}".format(job_file, HOSTS, options)
    assert command(words) == 2
    assert message in capsys.readouterr().err
    [(task, reason)] = refused
    assert str(task) == "worker:0" and message in reason


@pytest.mark.parametrize("inputs, is_asynchronous, message", [
    (worker_steps.dataset(), False, ""),
    (worker_steps.dataset(order="fixed", route="sharded"), False, ""),
    (worker_steps.dataset(route="sharded"), False, "the order of sharded data depends on the number of towers"),
    (worker_steps.dataset(deterministic=False), False, "begins again, with deterministic=False"),
    (worker_steps.dataset(), True, "train synchronously"),
], ids=["split", "fixed", "sharded", "not deterministic", "asynchronous"])
def test_elastic_workers_need_an_input_that_continues_with_another_number_of_them(inputs, is_asynchronous, message):
    position = position_of(build(inputs=inputs).loss.graph)
    if not message:
        check_elastic_input("1:2", position, is_asynchronous)
        return
    with pytest.raises(ClusterError, match="--elastic 1:2: each example can't be used once per epoch.*" + message):
        check_elastic_input("1:2", position, is_asynchronous)


@pytest.mark.parametrize("option", ["--task worker:0", "--evaluator", "--cluster-port 9", "--start-seconds 9"])
def test_a_cluster_option_without_a_cluster_is_refused(option, tmp_path, capsys):
    assert command("train {} {}".format(job_files.write(tmp_path, "line.py", job_files.LINE), option)) == 2
    assert "{} has no effect without --cluster".format(option.split()[0]) in capsys.readouterr().err


def test_all_workers_must_have_the_options_of_the_job_and_its_file(tmp_path, monkeypatch, capsys):
    compared = []

    def start(cluster, job, flags, *others):
        compared.append(own_record(cluster, job, flags).flags)
        raise ClusterError("the test ends here")

    monkeypatch.setattr(clusters, "start", start)
    monkeypatch.setattr(clusters, "refuse", lambda *arguments: pytest.fail("it has started"))
    job_file = job_files.write(tmp_path, "line.py", job_files.LINE)
    words = "train {} --cluster {} --task worker:0 --steps 3".format(job_file, HOSTS)
    assert command(words) == command(words + " --rate 0.2") == 2
    job_files.write(tmp_path, "line.py", job_files.LINE.replace("RandomState(0)", "RandomState(7)"))
    assert command(words) == 2
    first, second, third = compared
    assert {name for name in first if second[name] != first[name]} == {"--rate"}
    assert {name for name in first if third[name] != first[name]} == {"the checksum of the job's file"}
    assert "--per-tower-batch-size" not in first  # it is not given


def test_train_says_that_it_does_not_read_tf_config(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tasks = {"cluster": {"worker": HOSTS[len("worker="):].split(",")}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(tasks))
    assert command("train {} --steps 1".format(job_files.write(tmp_path, "line.py", job_files.LINE))) == 0
    assert "TF_CONFIG is not read, and this process trains alone" in capsys.readouterr().err
