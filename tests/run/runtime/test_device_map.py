"""The mapping of the GPUs that a script names to the devices that exist."""
import threading
from typing import NamedTuple

import numpy as np
import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real
from legacy_towers.run.rewriting.attributes import attribute

WITHOUT_GPU = [
    ("/gpu:0", "/device:CPU:0"),
    ("/gpu:3", "/device:CPU:3"),
    ("/device:GPU:1", "/device:CPU:1"),
    ("/gpu", "/device:CPU:0"),
    ("/job:worker/task:1/gpu:2", "/job:worker/task:1/device:CPU:2"),
    ("/job:ps/replica:0/task:0", "/job:ps/replica:0/task:0"),
    ("/cpu:0", "/device:CPU:0"),
    ("/cpu:2", "/device:CPU:2"),
    (None, ""),
]


def device_of_constant(tf, device):
    with tf.Graph().as_default(), tf.device(device):
        return tf.constant(1.0).device


@pytest.mark.parametrize("requested, expected_device", WITHOUT_GPU)
def test_without_gpus_each_gpu_is_mapped_to_its_own_logical_cpu(requested, expected_device):
    with script() as (tf, _):
        assert device_of_constant(tf, requested) == expected_device


@pytest.mark.parametrize("requested, expected_device", WITHOUT_GPU)
def test_the_device_attribute_is_the_requested_device(requested, expected_device):
    with script() as (tf, _), tf.Graph().as_default(), tf.device(requested):
        constant, variable = tf.constant(1.0), tf.get_variable("x", [])
        requested_device = "" if requested is None else tf.DeviceSpec.from_string(requested).to_string()
        for each in (constant, constant.op, variable):
            assert (each.device, attribute(each, "device")) == (expected_device, requested_device)
        assert attribute(tf, "device") is tf.device and attribute(Flags("/gpu:0"), "device") == "/gpu:0"


def test_the_device_attribute_of_slots_is_that_of_their_variable():
    with script() as (tf, _), tf.Graph().as_default():
        with tf.device("/gpu:1"):
            variable = tf.get_variable("x", [])
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        optimizer.minimize(variable * 2.0)
        for each in (optimizer.get_slot(variable, "momentum"), variable.initializer):
            assert (each.device, attribute(each, "device")) == ("/device:CPU:1", "/device:GPU:1")


class Flags(NamedTuple):
    device: str


@pytest.mark.parametrize(
    "arguments, gpus, expected_device",
    [
        ("--num-devices 2", 0, ["/device:CPU:0", "/device:CPU:1", "/device:CPU:0"]),
        ("--towers-device /cpu:0", 0, ["/device:CPU:0"] * 3),
        ("--soft", 0, ["/device:GPU:0", "/device:GPU:1", "/device:GPU:2"]),
        ("", 4, ["/device:GPU:0", "/device:GPU:1", "/device:GPU:2"]),
        ("", 2, ["/device:GPU:0", "/device:GPU:1", "/device:GPU:0"]),
        ("", 1, ["/device:GPU:0"] * 3),
        ("--num-devices 1", 2, ["/device:GPU:0"] * 3),
        ("--towers-device /gpu:1", 2, ["/device:GPU:1"] * 3),
        ("--towers-device /cpu:0", 2, ["/device:CPU:0"] * 3),
        ("--soft", 2, ["/device:GPU:0", "/device:GPU:1", "/device:GPU:2"]),
    ],
)
def test_options_and_existing_gpus_determine_the_mapping(arguments, gpus, expected_device):
    with script(arguments, gpus) as (tf, _):
        assert [device_of_constant(tf, "/gpu:{}".format(tower)) for tower in range(3)] == expected_device


def test_gpus_above_the_number_of_existing_ones_are_mapped_modulo_it():
    with script("", gpus=2) as (tf, _):
        assert device_of_constant(tf, "/job:worker/gpu:3") == "/job:worker/device:GPU:1"


def built_in_a_graph(tf, build):
    with tf.Graph().as_default():
        return build(tf)


def by_spec(tf):
    with tf.device(tf.DeviceSpec(device_type="GPU", device_index=1)):
        return tf.constant(1.0)


def by_function(tf):
    with tf.device(lambda op: "/gpu:1" if op.type == "Const" else "/cpu:0"):
        return tf.constant(1.0)


def by_nested_scopes(tf):
    with tf.device("/job:localhost"), tf.device("/gpu:1"):
        return tf.constant(1.0)


def by_outer_function(tf):
    # The inner scope is applied first: the function gets the unmapped device.
    with tf.device(lambda op: op.device if "GPU" in op.device else "/cpu:7"), tf.device("/gpu:1"):
        return tf.constant(1.0)


def by_graph(tf):
    with tf.get_default_graph().device("/gpu:1"):
        return tf.constant(1.0)


def by_variable(tf):
    with tf.device("/gpu:1"):
        variable = tf.get_variable("v", [2], use_resource=False)
    return variable.initializer  # colocated with the variable


def by_replica_device_setter(tf):
    cluster = tf.train.ClusterSpec({"ps": ["localhost:1"], "worker": ["localhost:2"]})
    with tf.device(tf.train.replica_device_setter(worker_device="/gpu:1", ps_device="/job:ps/gpu:3", cluster=cluster)):
        return tf.constant(1.0)


def by_greedy_load_balancing(tf):
    # "small" is placed on the second task, since the first has the big variable.
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(2, lambda op: 8 if op.name.startswith("big") else 1)
    setter = tf.train.replica_device_setter(
        cluster={"ps": ["localhost:1", "localhost:2"]}, ps_device="/job:ps/gpu:1", ps_strategy=strategy
    )
    with tf.device(setter):
        tf.get_variable("big", [2], use_resource=False)
        small = tf.get_variable("small", [2], use_resource=False)
    assert small.device == "/job:ps/task:1/device:CPU:1"
    return small


def by_slim_chooser(tf):
    chooser = tf.contrib.framework.VariableDeviceChooser(device_type="GPU", device_index=1)
    with tf.contrib.framework.arg_scope([tf.contrib.framework.variable], device=chooser):
        return tf.contrib.framework.variable("v", [2])


def by_imported_graph(tf):
    definition = real.GraphDef()
    node = definition.node.add(name="x", op="NoOp")
    node.device = "/gpu:1"
    (operation,) = tf.import_graph_def(definition, return_elements=["x"])
    return operation


def by_colocation(tf):
    with tf.device("/gpu:1"):
        first = tf.constant(1.0)
    with tf.colocate_with(first) if hasattr(tf, "colocate_with") else tf.get_default_graph().colocate_with(first.op):
        return tf.constant(2.0)


BUILDERS = [
    by_spec, by_function, by_nested_scopes, by_outer_function, by_graph, by_variable, by_replica_device_setter,
    by_greedy_load_balancing, by_slim_chooser, by_imported_graph, by_colocation,
]


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.__name__)
def test_every_kind_of_device_scope_is_mapped(builder):
    with script() as (tf, _):
        assert built_in_a_graph(tf, builder).device.endswith("/device:CPU:1")


def test_default_graphs_map_devices_in_every_thread_and_after_a_reset():
    found = []

    def build():
        with real.device("/gpu:1"):
            found.append(real.constant(1.0).device)

    with script() as (tf, _):
        # A new thread has a default graph of its own.
        for _ in range(2):
            thread = threading.Thread(target=build)
            thread.start()
            thread.join()
        tf.get_default_graph()

        def build_after_reset():
            build()
            tf.reset_default_graph()
            build()

        thread = threading.Thread(target=build_after_reset)
        thread.start()
        thread.join()
    assert found == ["/device:CPU:1"] * 4


def test_after_the_run_graphs_are_instances_of_tensorflows_class():
    with script() as (tf, _):
        kind = tf.Graph
    made = []
    thread = threading.Thread(target=lambda: made.append(type(real.get_default_graph())))
    thread.start()
    thread.join()
    assert made == [real.Graph] and kind is not real.Graph


def test_every_graph_is_an_instance_of_tf_graph():
    with script() as (tf, _):
        assert isinstance(real.Graph(), tf.Graph) and isinstance(tf.Graph(), real.Graph)
        assert not isinstance(tf.constant, tf.Graph)

        class Mine(tf.Graph):
            pass

        assert isinstance(Mine(), tf.Graph) and not isinstance(tf.Graph(), Mine)


def towers(tf, count=3):
    """Builds towers that dequeue from one queue; returns (enqueue op, losses number * w, gradient of their sum)."""
    queue = tf.FIFOQueue(10, [tf.float32], [[]])
    fill = queue.enqueue_many([[1.0, 2.0, 3.0]])
    losses = []
    for tower in range(count):
        with tf.device("/gpu:{}".format(tower)), tf.variable_scope("model", reuse=tower > 0):
            weight = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
            losses.append(weight * queue.dequeue())
    gradient = tf.gradients(tf.add_n(losses), tf.trainable_variables(), colocate_gradients_with_ops=True)[0]
    return fill, losses, gradient


@pytest.mark.parametrize("arguments", ["", "--num-devices 2", "--soft", "--towers-device /cpu:1"])
def test_towers_run_without_a_gpu(arguments):
    with script(arguments) as (tf, _), tf.Graph().as_default():
        fill, losses, gradient = towers(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(fill)
            values, slope = session.run([losses, gradient])
    assert sorted(values) == [2.0, 4.0, 6.0] and slope == 6.0


def test_each_tower_runs_on_its_own_device():
    from legacy_towers.graph import placement

    with script() as (tf, _), tf.Graph().as_default():
        fill, losses, _ = towers(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(fill)
            rows = placement.placement(session, losses).rows
    ran = {row.name: row.got[-len("/device:CPU:0") :] for row in rows}
    assert [ran[loss.op.name] for loss in losses] == ["/device:CPU:{}".format(tower) for tower in range(3)]


def record_file(tf, folder):
    path = str(folder.join("records") if hasattr(folder, "join") else folder / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(6):
            writer.write(b"record %d" % number)
    return path


def own_readers(tf, path):
    """Builds a queue of file names under one GPU and a reader in each tower."""
    with tf.device("/gpu:1"):
        names = tf.train.string_input_producer([path], shuffle=False)
    found = []
    for tower in (0, 1):
        with tf.device("/gpu:{}".format(tower)):
            found.append(tf.TFRecordReader().read(names)[1])
    return found


def batches(tf, path):
    with tf.device("/gpu:1"):
        _, record = tf.TFRecordReader().read(tf.train.string_input_producer([path], shuffle=False))
    with tf.device("/gpu:0"):
        return tf.train.shuffle_batch([record], 2, 8, 2)


def handles(tf, path):
    """Builds an iterator under one GPU and uses it by its handle under another."""
    with tf.device("/gpu:1"):
        iterator = tf.data.TFRecordDataset(path).make_one_shot_iterator()
    with tf.device("/gpu:0"):
        return tf.data.Iterator.from_string_handle(iterator.string_handle(), tf.string, []).get_next()


@pytest.mark.parametrize("arguments", ["", "--soft", "--towers-device /cpu:1"])
@pytest.mark.parametrize("pipeline", [own_readers, batches, handles], ids=lambda pipeline: pipeline.__name__)
def test_input_pipelines_across_towers_run(pipeline, arguments, tmp_path):
    with script(arguments) as (tf, _), tf.Graph().as_default():
        fetches = pipeline(tf, record_file(tf, tmp_path))
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            values = session.run(fetches)
            coordinator.request_stop()
            for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                session.run(runner.cancel_op)
            coordinator.join(threads, stop_grace_period_secs=60)
    first = [b"record 0", b"record 0"] if pipeline is own_readers else None  # each reader starts at the first record
    found = np.ravel(values).tolist()
    assert all(value.startswith(b"record") for value in found) and first in (None, found)


def test_queues_under_gpu_scopes_are_placed_on_their_tasks_cpu():
    with script("", gpus=2) as (tf, _), tf.Graph().as_default(), tf.device("/job:worker/task:3/gpu:1"):
        queue = tf.FIFOQueue(10, [tf.float32], [[]])
        enqueue, dequeued = queue.enqueue([1.0]), queue.dequeue()
        total = dequeued + 1.0
    on_cpu = "/job:worker/task:3/device:CPU:0"
    assert [queue.queue_ref.device, enqueue.device, dequeued.device] == [on_cpu] * 3
    assert total.device == "/job:worker/task:3/device:GPU:1"


@pytest.mark.parametrize(
    "arguments, gpus, requested, expected",
    [
        ("", 0, "0 1 2", "this machine has no GPU: /gpu:0 to /gpu:2 are the logical CPU devices /cpu:0 to /cpu:2"),
        ("", 0, "0", "this machine has no GPU: /gpu:0 is the logical CPU device /cpu:0"),
        ("--num-devices 2", 0, "0 1 2", "/gpu:0 to /gpu:2 are the logical CPU devices /cpu:0 and /cpu:1"),
        ("--towers-device /cpu:0", 2, "0 1", "--towers-device: /gpu:0 and /gpu:1 are /cpu:0"),
        ("--soft", 0, "0 2", "--soft: this machine has no GPU; TensorFlow places the operations of /gpu:0 and /gpu:2"),
        ("", 1, "0 1 2", "this machine has 1 GPU: /gpu:1 and /gpu:2 are /gpu:0"),
        ("", 0, " ".join(map(str, range(11))), "/gpu:0 to /gpu:10 are the logical CPU devices /cpu:0 to /cpu:10"),
    ],
)
def test_one_line_reports_the_mapped_devices(arguments, gpus, requested, expected, capsys):
    with script(arguments, gpus) as (tf, _), tf.Graph().as_default():
        for index in requested.split():
            device_of_constant(tf, "/gpu:" + index)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("legacy-towers: ")]
    assert len(lines) == 1 and lines[0].endswith(expected)


@pytest.mark.parametrize("arguments, gpus, requested", [("", 2, "/gpu:1"), ("", 0, "/cpu:0"), ("--soft", 2, "/gpu:1")])
def test_nothing_is_printed_if_no_device_is_mapped(arguments, gpus, requested, capsys):
    with script(arguments, gpus) as (tf, _):
        device_of_constant(tf, requested)
    assert "legacy-towers" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, gpus, expected",
    [
        ("--towers-device /gpu:1", 1, "--towers-device /gpu:1: this machine has 1 GPU"),
        ("--towers-device /gpu:0", 0, "--towers-device /gpu:0: this machine has no GPU"),
        ("--num-devices 3", 2, "--num-devices 3: this machine has 2 GPUs"),
    ],
)
def test_an_option_that_names_a_missing_gpu_ends_the_script(arguments, gpus, expected, capsys):
    with pytest.raises(SystemExit) as end, script(arguments, gpus) as (tf, _):
        device_of_constant(tf, "/gpu:0")
        try:
            tf.Session()
        except Exception:  # as in many scripts
            raise AssertionError("the script's handlers must not catch it") from None
    assert end.value.code == 2
    assert "legacy-towers: error: " + expected in capsys.readouterr().err
