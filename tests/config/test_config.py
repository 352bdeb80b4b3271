"""session_config: the fields that keywords set, invalid values, and the effect in a session."""
import math
import threading

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError

REWRITER = type(tf.GraphOptions().rewrite_options)
JIT = tf.OptimizerOptions


@pytest.mark.parametrize(
    "keywords, expected",
    [
        ({}, tf.ConfigProto()),
        (dict(soft_placement=True), tf.ConfigProto(allow_soft_placement=True)),
        (dict(log_device_placement=True), tf.ConfigProto(log_device_placement=True)),
        (dict(logical_cpus=4), tf.ConfigProto(device_count={"CPU": 4})),
        (dict(logical_cpus=np.int64(4), hide_gpus=True), tf.ConfigProto(device_count={"CPU": 4, "GPU": 0})),
        (dict(hide_gpus=False), tf.ConfigProto()),
        (
            dict(memory_fraction=0.5, allow_growth=True),
            tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5, allow_growth=True)),
        ),
        (dict(memory_fraction=1), tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=1))),
        (dict(visible_gpus=[2, 0]), tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="2,0"))),
        (dict(visible_gpus="0, 2"), tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="0,2"))),
        (dict(intra_op_threads=2), tf.ConfigProto(intra_op_parallelism_threads=2)),
        (dict(inter_op_threads=-1), tf.ConfigProto(inter_op_parallelism_threads=-1)),
        (dict(per_session_threads=True), tf.ConfigProto(use_per_session_threads=True)),
        (dict(device_filters="/job:ps"), tf.ConfigProto(device_filters=["/job:ps"])),
        (dict(device_filters=["/job:ps", "/cpu:0"]), tf.ConfigProto(device_filters=["/job:ps", "/cpu:0"])),
        (dict(operation_timeout=1.5), tf.ConfigProto(operation_timeout_in_ms=1500)),
        (
            dict(collective_leader="/job:worker/task:1"),
            tf.ConfigProto(
                experimental=tf.ConfigProto.Experimental(collective_group_leader="/job:worker/replica:0/task:1")
            ),
        ),
        (
            dict(collective_leader="/job:worker/replica:2/task:0"),
            tf.ConfigProto(
                experimental=tf.ConfigProto.Experimental(collective_group_leader="/job:worker/replica:2/task:0")
            ),
        ),
        (
            dict(experimental={"optimize_for_static_graph": True, "executor_type": "DEFAULT"}),
            tf.ConfigProto(
                experimental=tf.ConfigProto.Experimental(optimize_for_static_graph=True, executor_type="DEFAULT")
            ),
        ),
    ],
    ids=lambda value: ",".join(value) or "no keyword" if isinstance(value, dict) else "",
)
def test_session_config_sets_the_fields_of_its_keywords(keywords, expected):
    assert session_config(**keywords) == expected


def test_virtual_gpus():
    config = session_config(visible_gpus=[1, 0], virtual_gpus=[[2048, 1024], [4096]])
    split = config.gpu_options.experimental.virtual_devices
    assert [list(gpu.memory_limit_mb) for gpu in split] == [[2048, 1024], [4096]]


@pytest.mark.parametrize(
    "level, number",
    [("default", JIT.DEFAULT), ("off", JIT.OFF), ("on", JIT.ON_1), ("on_1", JIT.ON_1), ("on_2", JIT.ON_2)],
)
def test_xla_levels(level, number):
    assert session_config(xla=level).graph_options.optimizer_options.global_jit_level == number


@pytest.mark.parametrize(
    "grappler, field, expected",
    [
        (False, "disable_meta_optimizer", True),
        (True, "disable_meta_optimizer", False),
        ({"layout_optimizer": "off"}, "layout_optimizer", REWRITER.OFF),
        ({"layout_optimizer": False}, "layout_optimizer", REWRITER.OFF),
        ({"layout_optimizer": True}, "layout_optimizer", REWRITER.ON),
        ({"remapping": "AGGRESSIVE"}, "remapping", REWRITER.AGGRESSIVE),
        ({"constant_folding": "default"}, "constant_folding", REWRITER.DEFAULT),
        ({"memory_optimization": "heuristics"}, "memory_optimization", REWRITER.HEURISTICS),
        ({"memory_optimization": "off"}, "memory_optimization", REWRITER.NO_MEM_OPT),
        ({"meta_optimizer_iterations": "two"}, "meta_optimizer_iterations", REWRITER.TWO),
        ({"disable_model_pruning": True}, "disable_model_pruning", True),
        ({"min_graph_nodes": -1}, "min_graph_nodes", -1),
        ({"optimizers": ["function", "remap"]}, "optimizers", ["function", "remap"]),
    ],
)
def test_grappler(grappler, field, expected):
    assert getattr(session_config(grappler=grappler).graph_options.rewrite_options, field) == expected


def test_base_is_copied_and_its_other_fields_are_kept():
    base = tf.ConfigProto(device_count={"CPU": 2, "GPU": 0}, device_filters=["/job:a"], allow_soft_placement=True)
    kept = tf.ConfigProto()
    kept.CopyFrom(base)
    config = session_config(base=base, logical_cpus=3, hide_gpus=False, device_filters=["/job:b"])
    assert base == kept
    assert config == tf.ConfigProto(device_count={"CPU": 3}, device_filters=["/job:b"], allow_soft_placement=True)


INVALID = [
    (dict(soft_placement=1), "soft_placement must be True or False, not 1"),
    (dict(logical_cpus=0), "logical_cpus must be a whole number of at least 1, not 0"),
    (dict(logical_cpus=2.5), "logical_cpus must be a whole number of at least 1, not 2.5"),
    (dict(logical_cpus="many"), "logical_cpus must be a whole number of at least 1, not 'many'"),
    (dict(logical_cpus=True), "logical_cpus must be a whole number of at least 1, not True"),
    (dict(logical_cpus=math.inf), "logical_cpus must be a whole number"),
    (dict(memory_fraction=0), "memory_fraction must be a number above 0 and up to 1, not 0"),
    (dict(memory_fraction=1.5), "memory_fraction must be a number above 0 and up to 1, not 1.5"),
    (dict(memory_fraction=math.nan), "memory_fraction must be a number above 0 and up to 1, not nan"),
    (dict(memory_fraction="half"), "memory_fraction must be a number above 0 and up to 1, not 'half'"),
    (dict(visible_gpus=[0, 0]), 'visible_gpus must be different GPU numbers, as [0, 2] or "0,2", not [0, 0]'),
    (dict(visible_gpus=[]), "visible_gpus must be different GPU numbers"),
    (dict(visible_gpus="0,x"), "visible_gpus must be different GPU numbers"),
    (dict(visible_gpus=[-1]), "visible_gpus must be different GPU numbers"),
    (dict(virtual_gpus=[[]]), "virtual_gpus must be for each physical GPU a list of memory limits in MiB"),
    (dict(virtual_gpus=[[0]]), "virtual_gpus must be for each physical GPU a list of memory limits in MiB"),
    (dict(virtual_gpus=[1024]), "virtual_gpus must be for each physical GPU a list of memory limits in MiB"),
    (dict(intra_op_threads=-1), "intra_op_threads must be a whole number of threads, 0 for as many as there are cores"),
    (dict(inter_op_threads=-2), "-1 for the calling thread alone, not -2"),
    (dict(inter_op_threads=2**31), "inter_op_threads must be a whole number of threads"),
    (dict(xla="fast"), "xla must be one of default, off, on, on_1, on_2, not 'fast'"),
    (dict(xla=True), "xla must be one of default, off, on, on_1, on_2, not True"),
    (dict(device_filters=["job:ps"]), "device_filters must be device name prefixes"),
    (dict(device_filters=[]), "device_filters must be device name prefixes"),
    (dict(operation_timeout=0), "operation_timeout must be a number of seconds, at least 0.001, not 0"),
    (dict(operation_timeout=-1), "operation_timeout must be a number of seconds, at least 0.001, not -1"),
    (dict(operation_timeout=math.inf), "operation_timeout must be a number of seconds"),
    (dict(collective_leader="worker"), 'collective_leader must be a task of the cluster, as "/job:worker/task:0"'),
    (dict(collective_leader=True), "collective_leader must be a task of the cluster"),
    (dict(base={"CPU": 2}), "base must be a tf.ConfigProto, not {'CPU': 2}"),
    (dict(grappler="off"), "grappler must be a mapping from names of fields to values, not 'off'"),
    (dict(grappler={"layout_optimiser": "off"}), "grappler has an unknown key 'layout_optimiser'"),
    (dict(grappler={"layout_optimiser": "off"}), ", did you mean 'layout_optimizer'?"),
    (dict(grappler={"remapping": "fast"}), "grappler['remapping'] must be one of 'default', 'on', 'off', 'aggressive'"),
    (dict(grappler={"remapping": 1}), "grappler['remapping'] must be one of 'default', 'on', 'off', 'aggressive'"),
    (dict(grappler={"disable_model_pruning": "no"}), "grappler['disable_model_pruning'] must be True or False"),
    (dict(grappler={"min_graph_nodes": "few"}), "grappler['min_graph_nodes'] must be a number, not 'few'"),
    (dict(grappler={"min_graph_nodes": 2**40}), "grappler['min_graph_nodes'] can't be 1099511627776"),
    (dict(grappler={"optimizers": "remap"}), "grappler['optimizers'] must be a list of names, not 'remap'"),
    (dict(grappler={"auto_parallel": True}), "set it in a ConfigProto and pass that as base"),
    (dict(experimental={"use_tfrtt": True}), "experimental has an unknown key 'use_tfrtt'"),
    (dict(memory_friction=0.5), "session_config has no option 'memory_friction', did you mean 'memory_fraction'?"),
    (dict(zzz=1), "session_config has no option 'zzz'"),
    (
        dict(memory_fraction=0.5, virtual_gpus=[[1024]]),
        "memory_fraction=0.5 contradicts virtual_gpus, which sets the memory of each device in MiB",
    ),
    (
        dict(base=tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="0")), virtual_gpus=[[1024], [1024]]),
        "virtual_gpus has limits for 2 physical GPUs, but visible_gpus='0' has 1",
    ),
    (
        dict(inter_op_threads=-1, per_session_threads=True),
        "per_session_threads=True contradicts inter_op_threads=-1, the calling thread alone",
    ),
    (
        dict(hide_gpus=True, allow_growth=True, visible_gpus=[0]),
        "hide_gpus=True contradicts allow_growth and visible_gpus: pass only one of them",
    ),
]


@pytest.mark.parametrize("keywords, message", INVALID, ids=[message[:40] for _, message in INVALID])
def test_session_config_rejects_invalid_values(keywords, message):
    with pytest.raises(ArgumentError) as caught:
        session_config(**keywords)
    assert message in str(caught.value)


def test_the_error_for_a_missing_field_names_the_first_version_that_has_it():
    present = [field.name for field in tf.ConfigProto.Experimental.DESCRIPTOR.fields]
    since = {"use_tfrt": "2.13", "enable_multi_host": "2.16", "online_cost_analysis": "2.21"}
    for name, version in since.items():
        if name in present:
            assert getattr(session_config(experimental={name: True}).experimental, name) is True
            continue
        with pytest.raises(ArgumentError) as caught:
            session_config(experimental={name: True})
        assert "experimental[{!r}] needs TensorFlow {} or newer: the ConfigProto.Experimental of TensorFlow {}".format(
            name, version, tf.__version__
        ) in str(caught.value)


def test_logical_cpus_are_devices_of_the_session():
    with tf.device("/cpu:2"):
        total = tf.constant(1.0) + tf.constant(2.0)
    with tf.Session(config=session_config(logical_cpus=3)) as session:
        cpus = [device.name for device in session.list_devices() if device.device_type == "CPU"]
        assert len(cpus) == 3
        assert session.run(total) == 3.0


def test_soft_placement_moves_an_op_and_without_it_the_run_fails():
    with tf.device("/gpu:7"):
        total = tf.placeholder(tf.float32) + 1.0
    feed = {total.op.inputs[0]: 1.0}
    with tf.Session(config=session_config(soft_placement=True, hide_gpus=True)) as session:
        assert session.run(total, feed) == 2.0
    with tf.Session(config=session_config(hide_gpus=True)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)gpu:7"):
            session.run(total, feed)


def test_operation_timeout_ends_a_blocked_run():
    blocked = tf.FIFOQueue(1, tf.float32).dequeue()
    with tf.Session(config=session_config(operation_timeout=0.1)) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(blocked)


@pytest.mark.parametrize("threads, is_parallel", [(1, False), (2, True)])
def test_a_session_has_as_many_inter_op_threads_as_given(threads, is_parallel):
    barrier = threading.Barrier(2)

    def wait():
        try:
            barrier.wait(timeout=60 if is_parallel else 0.2)
        except threading.BrokenBarrierError:
            return np.int64(0)
        return np.int64(1)

    passed = [tf.numpy_function(wait, [], tf.int64) for _ in range(2)]
    with tf.Session(config=session_config(inter_op_threads=threads, per_session_threads=True)) as session:
        assert session.run(passed) == [is_parallel, is_parallel]


def test_inter_op_threads_minus_one_runs_ops_in_the_calling_thread():
    thread = tf.numpy_function(lambda: np.int64(threading.get_ident()), [], tf.int64)
    with tf.Session(config=session_config(inter_op_threads=-1)) as session:
        assert session.run(thread) == threading.get_ident()


def test_grappler_options_change_the_graph_that_runs():
    left = tf.placeholder(tf.float32, [2])
    product = tf.identity(tf.constant([2.0, 3.0]) * tf.constant([4.0, 5.0]), name="folded") + left

    def multiplications(config):
        options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
        with tf.Session(config=config) as session:
            session.run(product, {left: [0.0, 0.0]}, options, metadata)
        return sum(node.op == "Mul" for graph in metadata.partition_graphs for node in graph.node)

    level_0 = tf.ConfigProto()  # TensorFlow's older optimizer folds constants too
    level_0.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    assert multiplications(session_config(base=level_0, grappler=False)) == 1
    assert multiplications(session_config(base=level_0, grappler={"min_graph_nodes": -1})) == 0
