"""What is measured of a job: the bytes and rows of its gradients, when they are ready, and its all-reduces."""
import time

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.scaling.job_costs import measure_job

WORDS = np.arange(64).reshape(16, 4) // 8  # a batch of 4 uses 2 different rows


def model_fn(batch, mode):
    table = tf.get_variable("table", [100, 8])
    x = tf.reduce_mean(tf.nn.embedding_lookup(table, batch["word"]), axis=1)
    for layer in range(3):
        x = tf.tanh(tf.matmul(x, tf.get_variable("w{}".format(layer), [8, 8])))
    wide = tf.get_variable("wide", [8, 10000])
    half = tf.cast(tf.get_variable("half", [10], tf.float16), tf.float32)
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(x, wide))) + tf.reduce_sum(half))


def job(**options):
    examples = lt.Examples.from_arrays({"word": WORDS})
    return lt.Job(model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.01), **options)


@pytest.fixture(scope="module")
def costs():
    return measure_job(job(variables="parameter_server"), lt.devices.cpus(2), session_config(logical_cpus=2), 4, 0.05)


def test_costs_of_dense_and_sparse_gradients(costs):
    by_name = {each.name: each for each in costs.variables}
    assert {name: each.bytes for name, each in by_name.items()} == {
        "table": 3200, "w0": 256, "w1": 256, "w2": 256, "wide": 320000, "half": 20,
    }
    # Two towers of 4 examples with 4 words each use 4 rows of 8 values; a worker sends each with its index.
    assert (by_name["table"].rows, by_name["table"].sent_bytes) == (4, 4 * (32 + 8))
    # A tower looks 16 words up, though they are 2 different ones.
    assert (by_name["table"].index_bytes, by_name["table"].read_bytes) == (16 * 8, 16 * 32)
    assert by_name["table"].tower_sent_bytes == 16 * (32 + 8)
    # float16 is summed in float32, but applied as it is.
    assert (by_name["half"].read_bytes, by_name["half"].sent_bytes, by_name["half"].rows) == (20, 40, None)
    assert (by_name["half"].tower_sent_bytes, by_name["half"].index_bytes) == (20, 0)
    assert (costs.towers, costs.examples) == (2, 8)


def test_costs_of_time(costs):
    assert 0 < costs.update_seconds < costs.step_seconds
    assert costs.cpu_seconds > 0
    assert all(0 < each.ready <= 1 for each in costs.variables)
    assert max(each.ready for each in costs.variables) == 1


def test_gradients_are_ready_in_the_order_of_backpropagation():
    @tf.custom_gradient
    def slow_backwards(x):
        def gradient(upstream):
            slow = tf.numpy_function(lambda value: time.sleep(0.03) or value, [upstream], upstream.dtype)
            slow.set_shape(upstream.shape)
            return slow

        return tf.identity(x), gradient

    def layers(batch, mode):
        x = tf.ones([2, 4])
        for name in ("first", "last"):
            x = slow_backwards(tf.tanh(tf.matmul(x, tf.get_variable(name, [4, 4]))))
        return lt.TowerOutput(loss=tf.reduce_sum(x))

    found = measure_job(job().replace(model_fn=layers), lt.devices.cpus(1), session_config(), 4, 0.05)
    ready = {each.name: each.ready for each in found.variables}
    assert ready["last"] < 0.8 < ready["first"] == 1


def test_messages_are_those_of_replicated(costs):
    # Small gradients of one dtype are sent together, "wide" alone.
    dense = sorted(each.bytes for each in costs.messages if not each.sparse_bytes)
    assert dense == [40, 3 * 256 + 4, 320000]
    # Two towers have 16 rows each, with repetitions; the table has 100.
    [sparse] = [each for each in costs.messages if each.sparse_bytes]
    assert (sparse.sparse_bytes, sparse.most_workers) == (32 * (32 + 8), 3)
    assert sparse.bytes == 3200 + 400


def test_given_step_time_replaces_the_measured_one():
    found = measure_job(job(), lt.devices.cpus(1), session_config(logical_cpus=1), 4, step_seconds=2.0)
    assert found.step_seconds == 2.0
    assert 0 < found.update_seconds < 2.0 and found.cpu_seconds > 0.1


def test_objectives_in_turn_are_refused():
    def two(step):
        return [
            lt.Objective(name, tf.train.GradientDescentOptimizer(0.1), variables=name, steps=1) for name in ("a", "b")
        ]

    def losses(batch, mode):
        return lt.TowerOutput(loss={
            name: tf.reduce_sum(tf.square(tf.get_variable(name + "/v", [2]))) for name in ("a", "b")
        })

    alternating = job().replace(model_fn=losses, optimizer=two)
    with pytest.raises(ArgumentError, match="trains its objectives in turn"):
        measure_job(alternating, lt.devices.cpus(1), session_config(), 4)
