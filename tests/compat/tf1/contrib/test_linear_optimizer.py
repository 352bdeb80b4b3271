"""tf.contrib.linear_optimizer, LinearSDCA and tf.contrib.learn.SVM have the numbers of TensorFlow 1.15."""
import json

import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib import sdca_runs as runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.contrib import linear_optimizer

IS_1_15 = recorded_cases.is_1_15()
OURS = runs.cases(linear_optimizer)
MODELS = [name for name in OURS if name.startswith("model")]
ESTIMATORS = [pytest.param(name, marks=pytest.mark.slow) for name in OURS if not name.startswith("model")]


def check(found, recorded):
    names, numbers = found
    expected_names, expected = recorded
    assert json.loads(json.dumps(names)) == expected_names
    assert sorted(numbers) == sorted(expected)
    for key, value in expected.items():
        assert np.shape(numbers[key]) == value.shape, key
        np.testing.assert_allclose(numbers[key], value, rtol=1e-5, atol=1e-6, err_msg=key)


@pytest.mark.recorded
@pytest.mark.parametrize("name", MODELS)
def test_model_matches_tensorflow_1_15(name):
    check(OURS[name](), runs.recorded(name))


@pytest.mark.recorded
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_matches_tensorflow_1_15(name):
    """On TensorFlow 1.15, compares TensorFlow's own estimators with the recording."""
    cases = runs.cases(tf.contrib.linear_optimizer) if IS_1_15 else OURS
    check(cases[name](), runs.recorded(name))


@pytest.mark.recorded
@pytest.mark.skipif(not IS_1_15, reason="needs tf.contrib of TensorFlow 1.15")
@pytest.mark.parametrize("name", MODELS)
def test_recording_matches_tensorflows_own_model(name):
    check(runs.cases(tf.contrib.linear_optimizer)[name](), runs.recorded(name))


def ridge(l2):
    """Returns the weights that minimize sum of weight * error^2 / 2 + l2 * |weights|^2 / 2."""
    values = 1.0 + 0.5 * np.arange(runs.COUNT)
    inputs = np.zeros([runs.COUNT, 6])
    inputs[np.arange(runs.COUNT), [ord(word) - ord(b"a") for word in runs.WORDS]] = values
    inputs[:, 4:] = runs.DENSE
    weighted = inputs.T * runs.WEIGHTS
    return np.linalg.solve(weighted @ inputs + l2 * np.eye(6), weighted @ runs.NUMBERS)


@pytest.mark.parametrize(
    "options",
    [dict(), dict(adaptive=True), dict(resources=True), dict(parts=2), dict(num_table_shards=2)],
    ids=["batches", "adaptive", "resources", "parts", "shards"],
)
def test_mini_batches_converge_to_the_optimum(options):
    batches = [[0, 1, 2], [3, 4, 5]] * 60
    names, found = runs.model(
        linear_optimizer, "squared_loss", batches, symmetric_l1_regularization=0.0, symmetric_l2_regularization=2.0,
        **options
    )  # fmt: skip
    words = np.concatenate([found[name] for name in ("word_0", "word_1") if name in found])
    np.testing.assert_allclose(np.concatenate([words, found["dense"]]), ridge(2.0), atol=2e-3)
    assert abs(found["gap"]) < 1e-3


def test_l1_regularization_gives_zero_weights():
    options = dict(symmetric_l1_regularization=8.0, symmetric_l2_regularization=1.0)
    names, found = runs.model(linear_optimizer, "logistic_loss", [list(range(6))] * 20, **options)
    assert not np.any(found["word_0"]) and not np.any(found["dense"])
    assert np.any(found["word_0_unshrinked/SDCAOptimizer"])


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(loss_type="absolute"), "Unsupported loss_type"),
        (dict(symmetric_l1_regularization=-1.0), "symmetric_l1_regularization should be non-negative"),
    ],
    ids=["loss", "l1"],
)
def test_invalid_options_raise(changes, message):
    options = dict(loss_type="hinge_loss", symmetric_l1_regularization=0.0, symmetric_l2_regularization=1.0)
    examples = dict(
        sparse_features=[], dense_features=[[[1.0]]], example_labels=[1.0], example_weights=[1.0], example_ids=["a"]
    )
    variables = dict(sparse_features_weights=[], dense_features_weights=[tf.get_variable("weight", [1])])
    with pytest.raises(ValueError, match=message):
        linear_optimizer.SdcaModel(examples, variables, dict(options, **changes))


@pytest.mark.skipif(IS_1_15, reason="checks the errors of legacy_towers")
def test_estimators_reject_models_that_sdca_cannot_train():
    estimator, learn = tree.module("tensorflow.estimator"), tree.module("tensorflow.contrib.learn")
    columns = [tf.feature_column.numeric_column("x")]
    optimizer = estimator.experimental.LinearSDCA("id")
    with pytest.raises(ValueError, match="LinearSDCA cannot be used in a multi-class setting"):
        estimator.LinearClassifier(columns, n_classes=3, optimizer=optimizer)
    with pytest.raises(ValueError, match='sparse_combiner must be "sum"'):
        estimator.LinearRegressor(columns, optimizer=optimizer, sparse_combiner="mean")
    with pytest.raises(AssertionError, match="SDCA only applies to binary classification"):
        learn.LinearClassifier(columns, n_classes=3, optimizer=linear_optimizer.SDCAOptimizer("id"))
    with pytest.raises(ValueError, match="Kernel SVMs are not currently supported"):
        learn.SVM("id", columns, kernels=["rbf"])
