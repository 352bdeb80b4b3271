"""Every session that is made while a script runs has the devices that were promised: where operations ran shows it."""
import numpy as np
import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real

KERAS = pytest.mark.needs_layers


def devices_that_ran(tf, session, fetch):
    """Returns the devices of all nodes that `session.run(fetch)` executes, such as "CPU:1"."""
    metadata = tf.RunMetadata()
    session.run(fetch, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    nodes = [node for part in metadata.partition_graphs for node in part.node]
    return {node.device.rpartition("device:")[2] for node in nodes if node.device}


def by_library(tf):
    with real.Session() as session:
        yield session


def by_library_with_config(tf):
    with real.Session(config=real.ConfigProto(device_count={"CPU": 1})) as session:
        yield session


def by_library_interactive_session(tf):
    session = real.InteractiveSession()
    yield session
    session.close()


def by_monitored_training_session(tf):
    with tf.train.MonitoredTrainingSession() as session:
        yield session


def by_supervisor(tf):
    with tf.train.Supervisor(logdir=None, summary_op=None).managed_session() as session:
        yield session


def by_keras(tf):
    yield tf.keras.backend.get_session()


CREATORS = [
    by_library, by_library_with_config, by_library_interactive_session, by_monitored_training_session, by_supervisor,
    pytest.param(by_keras, marks=KERAS),
]


@pytest.mark.parametrize("creator", CREATORS)
def test_operations_run_on_the_logical_devices_of_missing_gpus(creator):
    with script() as (tf, run), tf.Graph().as_default():
        with tf.device("/gpu:0"):
            first = tf.Variable(1.0, use_resource=True)
        with tf.device("/gpu:2"):
            total = tf.add(tf.random.uniform([], name="drawn"), first, name="total")
        step = tf.train.get_or_create_global_step()
        for session in creator(tf):
            if creator in (by_library, by_library_with_config, by_library_interactive_session, by_keras):
                session.run([first.initializer, step.initializer])
            found = devices_that_ran(tf, session, total)
        assert run.runtime.sessions
    assert found == {"CPU:0", "CPU:2"}


def test_the_session_of_an_estimator_trains_on_all_devices(tmp_path):
    with script() as (tf, _):
        found = []

        class Look(tf.train.SessionRunHook):
            def before_run(self, context):
                return tf.train.SessionRunArgs([], options=tf.RunOptions(output_partition_graphs=True))

            def after_run(self, context, values):
                nodes = [node for part in values.run_metadata.partition_graphs for node in part.node]
                found.append({node.device.rpartition("device:")[2] for node in nodes if "MatMul" in node.op})

        def model(features, labels, mode):
            weight = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
            loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weight))
            step = tf.train.get_or_create_global_step()
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(loss, step))

        def data():
            ones = np.ones([8, 2], np.float32)
            return tf.data.Dataset.from_tensor_slices((ones, ones[:, :1])).repeat().batch(2)

        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=3)
        config = tf.estimator.RunConfig(str(tmp_path), train_distribute=strategy)
        tf.estimator.Estimator(model, config=config).train(data, hooks=[Look()], steps=2)
    assert found == [{"CPU:0", "CPU:1", "CPU:2"}] * 2


@KERAS
@pytest.mark.parametrize("compiled_with", ["scope", "distribute"])
def test_fit_of_keras_computes_on_all_devices(compiled_with, monkeypatch):
    from tensorflow.python.client import session as session_module

    base, metadata = session_module.BaseSession, []
    make = base._make_callable_from_options

    def traced(self, options):
        options.run_options.output_partition_graphs = True
        call = make(self, options)

        def run(*values, **keywords):
            metadata.append(real.RunMetadata())
            return call(*values, run_metadata=metadata[-1])

        return run

    monkeypatch.setattr(base, "_make_callable_from_options", traced)
    with script() as (tf, run), tf.Graph().as_default():
        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=3)
        layers = [tf.keras.layers.Dense(4, input_shape=(2,)), tf.keras.layers.Dense(1)]
        if compiled_with == "scope":
            with strategy.scope():
                model = tf.keras.Sequential(layers)
                model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        else:
            model = tf.keras.Sequential(layers)
            model.compile(tf.train.GradientDescentOptimizer(0.1), "mse", distribute=strategy)
        ones = np.ones([12, 2], np.float32)
        model.fit(ones, ones[:, :1], batch_size=2, epochs=1, verbose=0)
    nodes = [node for each in metadata for part in each.partition_graphs for node in part.node]
    assert {node.device.rpartition("device:")[2] for node in nodes if "MatMul" in node.op} == {
        "CPU:0", "CPU:1", "CPU:2"}


def test_devices_of_a_strategy_are_those_of_a_session_that_is_made_before_any_operation():
    with script() as (tf, _), tf.Graph().as_default():
        tf.contrib.distribute.MirroredStrategy(num_gpus=3)
        with tf.Session() as session:
            assert len([each for each in session.list_devices() if each.device_type == "CPU"]) == 3
    with real.Session() as session:
        assert len([each for each in session.list_devices() if each.device_type == "CPU"]) == 1


def test_operations_of_a_graph_that_a_library_made_run_on_the_logical_devices():
    with script() as (tf, run), real.Graph().as_default() as graph:
        assert type(graph) is real.Graph
        with tf.device("/gpu:1"):
            value = tf.random_uniform([4]) * 2.0
        with tf.Session() as session:
            assert "CPU:1" in devices_that_ran(tf, session, value)
        # A second session of the graph counts none again.
        tf.Session().close()
        moved = run.devices["/device:GPU:1", "/device:CPU:1"]
        assert moved == len([each for each in graph.get_operations() if each.device])


def test_an_estimator_runs_operations_on_the_logical_devices(tmp_path):
    found = []

    def model_fn(features, labels, mode):
        with tf.device("/gpu:1"):
            total = tf.reduce_sum(features * tf.random_uniform([1]))
        loss = tf.identity(total)
        train_op = tf.train.get_global_step().assign_add(1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(train_op, loss))

    with script() as (tf, _):
        class Hook(tf.train.SessionRunHook):
            def after_create_session(self, session, coord):
                found.append(devices_that_ran(tf, session, session.graph.get_tensor_by_name("Sum:0")))

        estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
        estimator.train(lambda: tf.data.Dataset.from_tensors([1.0, 2.0]), steps=1, hooks=[Hook()])
    assert found and "CPU:1" in found[0]
