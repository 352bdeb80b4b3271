"""What strategies refuse, with the sentence of `run` in `--check` too, and what they do without enough GPUs."""
import importlib
import json

import numpy as np
import pytest
from run.runtime.prepared import script

from legacy_towers.compat.tf1 import missing, tree
from legacy_towers.compat.tf1.contrib.symbols import distribute as symbols
from legacy_towers.run.check import status

IS_1_15 = tree.is_1_15()
CONTRIB = "tensorflow.contrib.distribute."
LEFT_TO_1_15 = [CONTRIB + name for name in (
    "TPUStrategy", "initialize_tpu_system", "MultiWorkerAllReduce", "python.tpu_strategy")]


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: scripts make their own graphs."""


@pytest.mark.parametrize("name", sorted(symbols.UNSUPPORTED))
def test_check_refuses_with_the_sentence_of_run(name):
    if IS_1_15 and name in LEFT_TO_1_15:
        assert status.of_name(name).missing is None
        return
    parent, _, last = name.rpartition(".")
    with pytest.raises((missing.MissingName, missing.MissingModule)) as caught:
        try:
            getattr(tree.module(parent), last)
        except missing.MissingName:
            raise
        # A module of tf.contrib can be imported; its names are refused.
        tree.module(name + ".any_name")
    message = str(caught.value).partition(".py:")[2].partition(": ")[2] or str(caught.value)
    found = status.of_name(name)
    if found.missing is None:
        found = status.of_name(name + ".any_name")
    assert found.missing == message
    assert symbols.UNSUPPORTED[name] in message


def test_advice_names_what_exists():
    names = {word.rstrip(",.:") for reason in symbols.UNSUPPORTED.values() for word in reason.split()
             if word.startswith("tf.")}
    assert len(names) > 5
    assert [each for each in sorted(names) if not status.exists("tensorflow" + each[2:])] == []


def test_reductions_by_nccl_copy_where_there_is_no_gpu_and_report_it(capsys):
    with script() as (tf, _), tf.Graph().as_default():
        distribute = tf.contrib.distribute
        private = tree.module("tensorflow.python.distribute.cross_device_ops")
        for operations in (
            distribute.AllReduceCrossTowerOps("nccl", num_packs=2), tf.distribute.NcclAllReduce(),
            private.AllReduceCrossDeviceOps("nccl", num_packs=2), private.NcclAllReduce(),
        ):
            strategy = distribute.MirroredStrategy(num_gpus=2, cross_tower_ops=operations)
            with strategy.scope():
                numbers = strategy.worker_device_index
                values = strategy.call_for_each_tower(lambda each: tf.constant(float(each)), numbers)
                sums = strategy.batch_reduce("sum", [(values, values)])
                reduced = operations.reduce(method_string="mean", per_device_value=values, destinations=values)
                fetches = strategy.unwrap(sums[0]) + strategy.unwrap(reduced)
            with tf.Session() as session:
                assert session.run(fetches) == [1.0, 1.0, 0.5, 0.5]
    errors = capsys.readouterr().err
    for what in ("all_reduce_alg='nccl'", "tf.distribute.NcclAllReduce"):
        copied = ": interpreted as a copy of the values to one device, because the 2 towers have no GPU"
        assert what + copied in errors


def test_strategies_of_private_modules_map_devices_too():
    with script() as (tf, _), tf.Graph().as_default():
        private = tree.module("tensorflow.python.distribute.mirrored_strategy")
        strategy = private.MirroredStrategy(["/gpu:0", "/gpu:1"])
        assert private.MirroredStrategyV1 is private.MirroredStrategy is tf.distribute.MirroredStrategy
        with strategy.scope():
            values = strategy.experimental_run_v2(lambda: tf.constant(3.0))
            summed = strategy.reduce(tf.distribute.ReduceOp.SUM, values, axis=None)
        with tf.Session() as session:
            assert session.run(summed) == 6.0


def test_devices_that_share_one_stay_apart_in_the_strategy():
    with script("--num-devices 1") as (tf, _), tf.Graph().as_default():
        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
        with strategy.scope():
            numbers = strategy.call_for_each_tower(lambda each: tf.constant(2.0) * each, strategy.worker_device_index)
            mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, numbers)
        with tf.Session() as session:
            assert strategy.num_towers == 2
            assert session.run(strategy.unwrap(numbers) + [mean]) == [0.0, 2.0, 1.0]


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda d: d.MirroredStrategy(["/gpu:0"], num_gpus=1), "Must only specify one of `devices` and `num_gpus`."),
        (lambda d: d.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1), "cannot specify both"),
        (
            lambda d: d.MirroredStrategy(
                cross_device_ops=d.AllReduceCrossTowerOps(), cross_tower_ops=d.AllReduceCrossTowerOps()),
            "cross_tower_ops is the older name of cross_device_ops",
        ),
        (lambda d: d.Monitor(None), "Should provide a `session` in Graph mode"),
    ],
)
def test_contradictions_are_errors(make, sentence):
    with script() as (tf, _), pytest.raises(ValueError, match=sentence):
        make(tf.contrib.distribute)


def test_a_reduction_that_no_version_has_is_an_error():
    with script() as (tf, _), tf.Graph().as_default():
        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
        with strategy.scope():
            values = strategy.call_for_each_tower(lambda: tf.constant(np.float32(1)))
            with pytest.raises(ValueError, match='combined by "mean" or "sum", got \'max\''):
                strategy.reduce("max", values)
            with pytest.raises(TypeError, match="must be given once"):
                strategy.reduce("sum", values, method_string="sum")
            with pytest.raises(ValueError, match="one device or those of all 2 towers"):
                strategy.broadcast(tf.constant(1.0), ["/cpu:0", "/cpu:1", "/cpu:2"])


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has its own tf.estimator")
def test_an_estimator_refuses_strategies_of_a_cluster(monkeypatch):
    cluster = {"chief": ["localhost:1"], "worker": ["localhost:2"], "ps": ["localhost:3"]}
    task = {"cluster": cluster, "task": {"type": "worker", "index": 0}}
    with script() as (tf, _):
        api = importlib.import_module("legacy_towers.compat.tf1.estimator.api")
        config = tf.contrib.distribute.DistributeConfig
        mirrored = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
        both = config(train_distribute=mirrored, eval_distribute=mirrored)
        assert api.RunConfig(experimental_distribute=both).eval_distribute is mirrored
        with pytest.raises(ValueError, match="remote_cluster is not supported: start a process per task"):
            api.RunConfig(experimental_distribute=config(remote_cluster=cluster))
        monkeypatch.setenv("TF_CONFIG", json.dumps(task))
        over_workers = tf.contrib.distribute.ParameterServerStrategy()
        made = api.RunConfig(train_distribute=over_workers)
        # The coordinator gives the task to `train_and_evaluate`; 1.15 has these values until then.
        assert (made.task_type, made.task_id, made.is_chief, made.num_ps_replicas) == ("worker", 0, True, 0)
        assert sorted(made.cluster_spec.jobs) == ["chief", "ps", "worker"]
        one_process = tf.distribute.OneDeviceStrategy("/cpu:0")
        for options, sentence in (
            (dict(eval_distribute=over_workers), "ParameterServerStrategy in this cluster is not supported: pass it"),
            (dict(train_distribute=one_process), "in a cluster is not supported: it trains in one process"),
        ):
            with pytest.raises(ValueError, match=sentence):
                api.RunConfig(**options)
