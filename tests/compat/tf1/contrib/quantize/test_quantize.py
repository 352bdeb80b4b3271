"""tf.contrib.quantize rewrites graphs with the names and numbers of TensorFlow 1.15."""
import json
import re

import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib import quantize_runs as runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.contrib import quantize

pytestmark = pytest.mark.needs_layers
QUICK = ("mobile", "plain")


def cases(names):
    return [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in names]


def comparable(names):
    """Returns `names` with the names of tf.nn.dropout on TensorFlow 2.x replaced by those on 1.15."""
    names = json.loads(json.dumps(names))
    dropout_names = {"dropout/Mul": "dropout/mul", "dropout/SelectV2": "dropout/mul_1"}
    for old, new in dropout_names.items():
        for key in ("training", "evaluation"):
            names[key] = [[name, re.sub(old + "$", new, source)] + rest for name, source, *rest in names[key]]
            for _, _, readers, *_ in names[key]:
                readers[:] = sorted(re.sub(old + "$", new, reader) for reader in readers)
    return names


def check(found, recorded):
    names, numbers = found
    expected_names, expected = recorded
    assert comparable(names) == comparable(expected_names)
    assert sorted(numbers) == sorted(expected)
    close = []
    for key, value in expected.items():
        largest = max(1e-3, np.max(np.abs(value), initial=0.0))
        # A difference in the last bit may round to the next of 256 values.
        np.testing.assert_allclose(numbers[key], value, atol=0.02 * largest, err_msg=key)
        close.append(np.allclose(numbers[key], value, atol=1e-5 * largest, rtol=1e-5))
    assert not expected or np.mean(close) > 0.5


@pytest.mark.recorded
@pytest.mark.parametrize("name", cases(runs.CASES))
def test_rewritten_graph_matches_tensorflow_1_15(name):
    check(runs.run(quantize, name), runs.recorded(name))


@pytest.mark.recorded
@pytest.mark.skipif(not recorded_cases.is_1_15(), reason="needs tf.contrib of TensorFlow 1.15")
@pytest.mark.parametrize("name", cases(["mobile", "residual symmetric", "layers unfused", "towers"]))
def test_recording_matches_tensorflows_own_quantize(name):
    check(runs.run(tf.contrib.quantize, name), runs.recorded(name))


def fake_quantized(values, low, high, bits=8, first=0):
    """Returns fake-quantized `values`, computed by the formula in its documentation."""
    last = 2**bits - 1
    scale = (high - low) / (last - first)
    zero = np.clip(np.round(first - low / scale), first, last)
    low, high = (first - zero) * scale, (last - zero) * scale
    return np.round((np.clip(values, low, high) - low) / scale) * scale + low


def test_weights_and_activations_are_quantized_as_in_numpy():
    inputs = recorded_cases.values([6, 5], "inputs", 2.0)
    with tf.variable_scope("layer"):
        weights = tf.get_variable("weights", initializer=recorded_cases.values([5, 4], "weights"))
        outputs = tf.identity(tf.nn.relu(tf.matmul(tf.constant(inputs), weights) + 0.25), name="end")
    quantize.create_eval_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ranges = {"layer/weights_quant/min": -0.8, "layer/weights_quant/max": 0.7, "layer/act_quant/max": 3.0}
        session.run([each.assign(ranges.get(each.op.name, 0.0)) for each in tf.global_variables()[1:]])
        found, made = session.run([outputs, weights])
    linear = inputs @ fake_quantized(made, -0.8, 0.7, first=1) + 0.25
    expected = fake_quantized(np.maximum(linear, 0), 0.0, 3.0)
    assert len(np.unique(expected)) > 5
    np.testing.assert_allclose(found, expected, atol=3.0 / 255 + 1e-5)
    assert np.mean(np.abs(found - expected) < 1e-5) > 0.9
    assert not np.allclose(found, np.maximum(inputs @ made + 0.25, 0), atol=1e-4)


def test_quant_delay():
    weights = tf.get_variable("weights", initializer=recorded_cases.values([5, 4], "weights"))
    outputs = tf.identity(tf.nn.relu(tf.matmul(tf.ones([2, 5]), weights) + 0.1))
    before = tf.nn.relu(tf.reduce_sum(weights, 0) + 0.1)
    quantize.create_training_graph(quant_delay=3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        differs = [bool(np.max(np.abs(np.subtract(*session.run([outputs, before])))) > 1e-5) for _ in range(4)]
    assert differs == [False, False, True, True]


def test_graph_with_an_optimizer_raises():
    value = tf.get_variable("value", [])
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(value))
    with pytest.raises(ValueError, match="Training op found in graph, exiting .*ApplyGradientDescent"):
        quantize.create_training_graph()


def test_batch_norm_without_updates_of_moving_averages_raises():
    with tf.variable_scope("layer"):
        weights = tf.get_variable("weights", [1, 1, 2, 2])
        net = tf.nn.conv2d(tf.ones([2, 3, 3, 2]), weights, [1, 1, 1, 1], "SAME")
        tf.nn.relu(tf.nn.fused_batch_norm(net, tf.ones([2]), tf.zeros([2]))[0])
    with pytest.raises(ValueError, match="cannot fold the batch norm of layer 'layer/Conv2D' for training"):
        quantize.create_training_graph()


@pytest.mark.skipif(recorded_cases.is_1_15(), reason="TensorFlow 1.15 fails for these graphs")
@pytest.mark.parametrize("fused", [True, False], ids=["fused", "unfused"])
def test_folded_batch_norm_gives_the_same_output(fused):
    """Checks dilated convolutions and a batch norm without activation, which TensorFlow 1.15 does not support."""
    slim = tf.contrib.slim
    images = tf.constant(recorded_cases.values([2, 8, 8, 3], "images"))

    def model():
        with slim.arg_scope([slim.batch_norm], is_training=False, fused=fused, scale=True):
            net = slim.conv2d(images, 4, 3, rate=2, normalizer_fn=slim.batch_norm, activation_fn=None, scope="conv")
        return tf.nn.softplus(net)

    expected = model()
    graph = tf.Graph()
    with tf.Session() as session:
        session.run([each.assign(0.5 + 0.1 * recorded_cases.values(each.shape.as_list(), each.op.name))
                     for each in tf.global_variables()])  # fmt: skip
        values = session.run({each.op.name: each for each in tf.global_variables()})
        expected = session.run(expected)
    with graph.as_default():
        images = tf.constant(recorded_cases.values([2, 8, 8, 3], "images"))
        found = model()
        # Folds only: no operation is in this scope.
        quantize.experimental_create_eval_graph(scope="nowhere")
        assert [each.name for each in graph.get_operations() if each.name.endswith("mul_fold")] == ["conv/mul_fold"]
        with tf.Session() as session:
            session.run([each.assign(values[each.op.name]) for each in tf.global_variables()])
            np.testing.assert_allclose(session.run(found), expected, rtol=1e-5, atol=1e-5)


def test_modules_of_scripts():
    if recorded_cases.is_1_15():
        assert callable(tf.contrib.quantize.create_training_graph)
        return
    assert tree.module("tensorflow.contrib.quantize").create_training_graph is quantize.create_training_graph
    module = tree.module("tensorflow.contrib.quantize.python.quantize_graph")
    assert module.experimental_create_eval_graph is quantize.experimental_create_eval_graph
