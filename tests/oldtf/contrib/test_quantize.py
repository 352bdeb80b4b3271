"""tf.contrib.quantize rewrites graphs as TensorFlow 1.15's does: the same names, and the same numbers."""
import json
import re

import numpy as np
import pytest
from oldtf import recorded_cases
from oldtf.contrib import quantize_runs as runs

from legacy_towers.compat import tf
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.contrib import quantize

pytestmark = pytest.mark.needs_layers
QUICK = ("mobile", "plain")


def cases(names):
    return [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in names]


def comparable(names):
    """Returns the names without those of the operations in tf.nn.dropout, which are others in TensorFlow 2.x."""
    names = json.loads(json.dumps(names))
    of_dropout = {"dropout/Mul": "dropout/mul", "dropout/SelectV2": "dropout/mul_1"}
    for old, new in of_dropout.items():
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
        # A sum that is not the same in its last bit may be rounded to the next of 256 values.
        np.testing.assert_allclose(numbers[key], value, atol=0.02 * largest, err_msg=key)
        close.append(np.allclose(numbers[key], value, atol=1e-5 * largest, rtol=1e-5))
    assert not expected or np.mean(close) > 0.5


@pytest.mark.parametrize("name", cases(runs.CASES))
def test_as_on_1_15(name):
    check(runs.run(quantize, name), runs.recorded(name))


@pytest.mark.skipif(not recorded_cases.is_1_15(), reason="the real one is on TensorFlow 1.15")
@pytest.mark.parametrize("name", cases(["mobile", "residual symmetric", "layers unfused", "towers"]))
def test_the_recording_is_what_the_real_one_does(name):
    check(runs.run(tf.contrib.quantize, name), runs.recorded(name))


def rounded_by_hand(values, low, high, bits=8, first=0):
    """Returns what fake quantization makes of `values`, as its documentation says."""
    last = 2**bits - 1
    scale = (high - low) / (last - first)
    zero = np.clip(np.round(first - low / scale), first, last)
    low, high = (first - zero) * scale, (last - zero) * scale
    return np.round((np.clip(values, low, high) - low) / scale) * scale + low


def test_weights_and_activations_are_rounded_as_numpy_does_it():
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
    by_hand = inputs @ rounded_by_hand(made, -0.8, 0.7, first=1) + 0.25
    expected = rounded_by_hand(np.maximum(by_hand, 0), 0.0, 3.0)
    assert len(np.unique(expected)) > 5
    np.testing.assert_allclose(found, expected, atol=3.0 / 255 + 1e-5)
    assert np.mean(np.abs(found - expected) < 1e-5) > 0.9
    assert not np.allclose(found, np.maximum(inputs @ made + 0.25, 0), atol=1e-4)


def test_nothing_is_rounded_before_its_time():
    weights = tf.get_variable("weights", initializer=recorded_cases.values([5, 4], "weights"))
    outputs = tf.identity(tf.nn.relu(tf.matmul(tf.ones([2, 5]), weights) + 0.1))
    before = tf.nn.relu(tf.reduce_sum(weights, 0) + 0.1)
    quantize.create_training_graph(quant_delay=3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        far = [bool(np.max(np.abs(np.subtract(*session.run([outputs, before])))) > 1e-5) for _ in range(4)]
    assert far == [False, False, True, True]


def test_a_graph_with_an_optimizer_is_refused():
    value = tf.get_variable("value", [])
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(value))
    with pytest.raises(ValueError, match="Training op found in graph, exiting .*ApplyGradientDescent"):
        quantize.create_training_graph()


def test_averages_that_are_not_updated_are_named():
    with tf.variable_scope("layer"):
        weights = tf.get_variable("weights", [1, 1, 2, 2])
        net = tf.nn.conv2d(tf.ones([2, 3, 3, 2]), weights, [1, 1, 1, 1], "SAME")
        tf.nn.relu(tf.nn.fused_batch_norm(net, tf.ones([2]), tf.zeros([2]))[0])
    with pytest.raises(ValueError, match="the batch norm behind 'layer/Conv2D' can't be folded for training"):
        quantize.create_training_graph()


@pytest.mark.skipif(recorded_cases.is_1_15(), reason="there the real one stands, which fails at these")
@pytest.mark.parametrize("fused", [True, False], ids=["fused", "unfused"])
def test_a_batch_norm_folded_gives_what_it_gave(fused):
    """Dilated convolutions, and a batch norm that no activation follows: the real one knows neither."""
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
        # Only folded: nothing is in this scope.
        quantize.experimental_create_eval_graph(scope="nowhere")
        assert [each.name for each in graph.get_operations() if each.name.endswith("mul_fold")] == ["conv/mul_fold"]
        with tf.Session() as session:
            session.run([each.assign(values[each.op.name]) for each in tf.global_variables()])
            np.testing.assert_allclose(session.run(found), expected, rtol=1e-5, atol=1e-5)


def test_scripts_find_it():
    if recorded_cases.is_1_15():
        assert callable(tf.contrib.quantize.create_training_graph)
        return
    assert tree.module("tensorflow.contrib.quantize").create_training_graph is quantize.create_training_graph
    module = tree.module("tensorflow.contrib.quantize.python.quantize_graph")
    assert module.experimental_create_eval_graph is quantize.experimental_create_eval_graph
