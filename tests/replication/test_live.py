"""lt.replicate_graph: graphs that a program builds, and MetaGraph files."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError

X = np.random.RandomState(1).rand(10, 3)


def model():
    x = tf.placeholder(tf.float64, [None, 3], "x")
    weights = tf.get_variable("w", [3, 1], tf.float64, tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - 1.0), name="loss")
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_or_create_global_step(), name="train")
    return x, loss, train


def losses(session, run, steps=3):
    session.run(tf.global_variables_initializer())
    return [run(["train", "loss:0"], {"x:0": X})[1] for _ in range(steps)]


def test_a_live_graph_trains_on_towers_with_the_numbers_of_one_device():
    x, loss, train = model()
    replicated = lt.replicate_graph([train, loss], lt.devices.cpus(2))
    assert "'x' of each step is split along dimension 0" in str(replicated.plan)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        one = losses(session, session.run)
        assert len(set(one)) == 3
        two = losses(session, lambda fetches, feeds: replicated.run(session, fetches, feeds))
        np.testing.assert_allclose(two, one, rtol=1e-12)
        assert session.run("global_step:0") == 3
        assert replicated.compare(session, {x: X}).largest <= 1e-12
        assert "compared with one device" in str(replicated.plan)


def test_sparse_tensors_are_split_where_they_are_named():
    x, y = tf.sparse_placeholder(tf.float64, [None, 3], "wide"), tf.placeholder(tf.float64, [None, 1], "y")
    factor, table = tf.placeholder(tf.float64, [], "factor"), tf.placeholder(tf.float64, [2], "table")
    weights = tf.get_variable("w", [3, 1], tf.float64, tf.ones_initializer())
    loss = factor * table[0] * tf.reduce_mean(tf.square(tf.sparse_tensor_dense_matmul(x, weights) - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with pytest.raises(TowerError, match="it feeds the indices of a sparse tensor, .* feed the tf.SparseTensor"):
        lt.replicate_graph([train, loss], lt.devices.cpus(2))
    replicated = lt.replicate_graph([train, loss], lt.devices.cpus(2), feeds=[x, y, factor, table])
    plan = str(replicated.plan)
    assert "'y' and 'wide' of each step are split along dimension 0" in plan
    assert "each tower gets the whole of 'factor' and 'table', which are fed" in plan
    places = np.stack([np.arange(10), np.arange(10) % 3], 1)
    feeds = {x: tf.SparseTensorValue(places, np.arange(10.0) / 10, [10, 3]), y: X[:, :1],
             factor: 0.5, table: [2.0, 3.0]}
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        assert replicated.compare(session, feeds).largest <= 1e-12
        two = [replicated.run(session, [train, loss], feeds)[1] for _ in range(3)]
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(two, [session.run([train, loss], feeds)[1] for _ in range(3)], rtol=1e-12)


def test_a_meta_graph_trains_on_towers_under_the_names_of_its_file(tmp_path):
    path = str(tmp_path / "model.meta")
    x, loss, train = model()
    with tf.Session() as session:
        one = losses(session, session.run)
        tf.train.export_meta_graph(path)
    replicated = lt.replicate_graph(["train", "loss:0"], lt.devices.cpus(3), graph=path)
    with replicated.graph.as_default(), tf.Session(config=lt.session_config(logical_cpus=3)) as session:
        two = losses(session, lambda fetches, feeds: replicated.run(session, fetches, feeds))
    np.testing.assert_allclose(two, one, rtol=1e-12)


def test_what_is_not_fetched_is_not_run_on_towers():
    _, loss, train = model()
    replicated = lt.replicate_graph(train, lt.devices.cpus(2))
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        session.run(loss, {"x:0": X}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
        ran = {node.node_name for each in metadata.step_stats.dev_stats for node in each.node_stats}
        assert not any("replicate/" in name for name in ran)
        replicated.run(session, train, {"x:0": X})
        assert session.run("global_step:0") == 1


@pytest.mark.parametrize("arguments, error", [
    (dict(keep="all"), "keep must be 'global' or 'per-tower', got 'all'"),
    (dict(devices="/cpu:0"), "devices must be a list of device strings"),
    (dict(devices=[]), "devices must be a list of device strings"),
], ids=["keep", "a string", "none"])
def test_wrong_arguments(arguments, error):
    _, loss, train = model()
    with pytest.raises(ArgumentError, match=error):
        lt.replicate_graph(**dict(dict(fetches=train, devices=["/cpu:0"]), **arguments))


def test_fetches_without_a_training_step_are_refused():
    _, loss, _ = model()
    with pytest.raises(TowerError, match="no operation that it fetches changes a variable by a gradient"):
        lt.replicate_graph(loss, lt.devices.cpus(2))


def test_the_graph_of_a_refused_step_still_trains():
    x = tf.placeholder(tf.float64, [None, 3])
    weights = tf.get_variable("w", [3, 1], tf.float64, tf.ones_initializer())
    loss = tf.sqrt(tf.reduce_mean(tf.square(tf.matmul(x, weights))))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with pytest.raises(TowerError, match="Sqrt comes after the reduction"):
        lt.replicate_graph(train, lt.devices.cpus(2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before, _ = session.run([loss, train], {x: X})
        assert session.run(loss, {x: X}) < before
