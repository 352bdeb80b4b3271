"""The modules below tensorflow.python.estimator that scripts import, compared with the real ones on TensorFlow 1.15."""
import importlib

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.estimator import keys

IS_1_15 = tf.__version__.startswith("1.15")
INSIDE = "tensorflow.python.estimator."


@pytest.mark.parametrize(
    "module, names",
    [
        ("canned.baseline", "BaselineClassifier BaselineRegressor"),
        ("canned.dnn", "DNNClassifier DNNRegressor dnn_logit_fn_builder"),
        ("canned.dnn_linear_combined", "DNNLinearCombinedClassifier DNNLinearCombinedRegressor"),
        ("canned.head", "LossSpec _binary_logistic_head_with_sigmoid_cross_entropy_loss"
         " _multi_class_head_with_softmax_cross_entropy_loss _regression_head"),
        ("canned.linear", "LinearClassifier LinearRegressor linear_logit_fn_builder"),
        ("canned.metric_keys", "MetricKeys"),
        ("canned.optimizers", "get_optimizer_instance"),
        ("canned.parsing_utils", "classifier_parse_example_spec regressor_parse_example_spec"),
        ("canned.prediction_keys", "PredictionKeys"),
        ("export.export_output", "PredictOutput ClassificationOutput RegressionOutput"),
        ("exporter", "Exporter FinalExporter LatestExporter BestExporter"),
        ("inputs.numpy_io", "numpy_input_fn"),
        ("inputs.pandas_io", "pandas_input_fn"),
        ("util", "fn_args"),
    ],
)
def test_modules_have_their_names(module, names):
    tree.install()
    found = importlib.import_module("legacy_towers.compat.tf1.importable.tensorflow.python.estimator." + module)
    for name in names.split():
        assert callable(getattr(found, name)), name


@pytest.mark.skipif(not IS_1_15, reason="the real ones are on TensorFlow 1.15")
@pytest.mark.parametrize("name", ["MetricKeys", "PredictionKeys"])
def test_keys_equal_the_real_ones(name):
    module = {"MetricKeys": "metric_keys", "PredictionKeys": "prediction_keys"}[name]
    real = getattr(importlib.import_module(INSIDE + "canned." + module), name)
    ours = getattr(keys, name)
    assert {key: value for key, value in vars(ours).items() if key.isupper()} == {
        key: value for key, value in vars(real).items() if key.isupper()
    }


def losses_of_heads(head_module):
    """Returns the losses of a batch by the three heads, whose arguments are positional, as in scripts."""
    logits = tf.constant([[0.3], [-1.0]])
    three = tf.constant([[0.3, 0.1, 0.0], [-1.0, 0.5, 2.0]])
    labels = tf.constant([[1], [0]], tf.int64)
    losses = []
    for head, inputs in (
        (head_module._binary_logistic_head_with_sigmoid_cross_entropy_loss("w", (0.5,)), logits),
        (head_module._multi_class_head_with_softmax_cross_entropy_loss(3, "w"), three),
        (head_module._regression_head("w", 1), logits),
    ):
        features = {"w": tf.constant([[1.0], [3.0]])}
        spec = head.create_estimator_spec(features, "eval", inputs, labels)
        losses.append(spec.loss)
    with tf.Session() as session:
        return session.run(losses)


def test_the_private_functions_of_1_15_make_heads():
    tree.install()
    module = "legacy_towers.compat.tf1.importable.tensorflow.python.estimator.canned.head"
    found = losses_of_heads(importlib.import_module(module))
    softmax = [np.log(np.exp(row).sum()) - row[at] for row, at in (([0.3, 0.1, 0.0], 1), ([-1.0, 0.5, 2.0], 0))]
    binary = np.log1p(np.exp(-0.3)) + 3 * np.log1p(np.exp(-1.0))
    np.testing.assert_allclose(
        found, [binary, softmax[0] + 3 * softmax[1], 0.7**2 + 3 * 1.0], rtol=1e-5
    )
