"""tf.contrib.learn.models compared with NumPy; on TensorFlow 1.15 the tests check TensorFlow's own functions."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")
RANDOM = np.random.RandomState(3)
X, W = RANDOM.rand(5, 4).astype(np.float32), RANDOM.rand(4, 3).astype(np.float32)
LOGITS = X.dot(W) + np.float32(0.5)
ONE_HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 1, 0]]


def evaluate(outputs, scope):
    """Returns the values of `outputs` with weights W and biases of 0.5."""
    weights, bias = tf.global_variables()
    assert [weights.name, bias.name] == [scope + "/weights:0", scope + "/bias:0"]
    with tf.Session() as session:
        session.run([weights.assign(W[:, : weights.shape[1]]), bias.assign(tf.fill(bias.shape, 0.5))])
        return session.run(list(outputs))


@pytest.mark.parametrize("labels", [ONE_HOT, ONE_HOT[:, 0]], ids=["three", "flat"])
def test_linear_regression(labels):
    prediction, loss = evaluate(
        tf.contrib.learn.models.linear_regression(tf.constant(X), tf.constant(labels)), "linear_regression"
    )
    expected = LOGITS if labels.ndim == 2 else LOGITS[:, 0]
    np.testing.assert_allclose(prediction, expected, rtol=1e-6)
    np.testing.assert_allclose(loss, np.mean((expected - labels) ** 2), rtol=1e-6)
    names = [operation.name for operation in tf.get_default_graph().get_operations()]
    assert "linear_regression/linear_regression.weights" in names
    assert "linear_regression/mean_squared_error_regressor/xw_plus_b" in names


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression(weighted):
    if weighted:
        tf.constant([1.0, 2.0, 0.5], name="class_weight")
    probability, loss = evaluate(
        tf.contrib.learn.models.logistic_regression(tf.constant(X), tf.constant(ONE_HOT)), "logistic_regression"
    )
    logits = LOGITS * ([1.0, 2.0, 0.5] if weighted else 1.0)
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(probability, expected, rtol=1e-5)
    np.testing.assert_allclose(loss, -np.mean(np.log((expected * ONE_HOT).sum(1))), rtol=1e-5)


def test_zero_init_creates_variables_of_zeros():
    models = tf.contrib.learn.models
    outputs = models.linear_regression_zero_init(tf.constant(X), tf.constant(ONE_HOT))
    outputs += models.logistic_regression_zero_init(tf.constant(X), tf.constant(ONE_HOT))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        zeros, _, thirds, _ = session.run(outputs)
    np.testing.assert_allclose(zeros, 0 * LOGITS)
    np.testing.assert_allclose(thirds, np.full([5, 3], 1 / 3), rtol=1e-6)
