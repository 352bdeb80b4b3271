"""Canned estimators have the variables, steps, metrics and predictions that TensorFlow 1.15 recorded."""
import numpy as np
import pytest
from tf1_cases.estimator import canned_runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.estimator import api

# The runs of linear and dnn are not slow; the others are.
MARKS = {"dnn": (), "linear": (), "dnn_batch_norm": (pytest.mark.slow, pytest.mark.needs_layers)}
NAMES = [pytest.param(name, marks=MARKS.get(name, (pytest.mark.slow,))) for name in canned_runs.NAMES]
IS_1_15 = tf.__version__.startswith("1.15")


@pytest.fixture(autouse=True)
def quiet():
    tf.logging.set_verbosity(tf.logging.ERROR)


def check(found, recorded):
    assert sorted(found) == sorted(recorded)
    for key in recorded:
        if recorded[key].dtype.kind in "fiu":
            np.testing.assert_allclose(found[key], recorded[key], rtol=2e-5, atol=1e-6, err_msg=key)
        else:
            np.testing.assert_array_equal(found[key], recorded[key], err_msg=key)


@pytest.mark.recorded
@pytest.mark.parametrize("name", NAMES)
def test_training_from_a_checkpoint_of_1_15_equals_the_recording(name, tmp_path):
    recorded = canned_runs.recorded(name)
    first = {key[len("first/") :]: value for key, value in recorded.items() if key.startswith("first/")}
    check(canned_runs.run(api, name, str(tmp_path), first), recorded)


@pytest.mark.recorded
@pytest.mark.slow
@pytest.mark.skipif(not IS_1_15, reason="the real tf.estimator is on TensorFlow 1.15")
@pytest.mark.parametrize("name", canned_runs.NAMES[:3])
def test_the_recording_equals_the_real_estimators(name, tmp_path):
    recorded = canned_runs.recorded(name)
    first = {key[len("first/") :]: value for key, value in recorded.items() if key.startswith("first/")}
    check(canned_runs.run(tf.estimator, name, str(tmp_path), first), recorded)


class Losses(tf.train.SessionRunHook):
    """Fetches the tensors that hooks of public scripts log, by their names on TensorFlow 1.15."""

    names = ("linear/head/weighted_loss/Sum:0", "linear/head/truediv:0", "linear/head/labels:0")
    values = ()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(list(self.names))

    def after_run(self, run_context, run_values):
        self.values = run_values.results


@pytest.mark.parametrize("estimators", [api] + ([tf.estimator] if IS_1_15 else []))
def test_losses_and_labels_of_heads_have_the_names_of_1_15(estimators, tmp_path):
    labels = np.array([[0], [1], [1], [0]], np.int64)
    column = tf.feature_column.numeric_column("x")
    estimator = estimators.LinearClassifier([column], str(tmp_path))
    seen = Losses()
    batch = ({"x": np.ones((4, 1), np.float32)}, labels)
    estimator.train(lambda: tf.data.Dataset.from_tensors(batch), [seen], steps=1)
    loss, mean_loss, as_given = seen.values
    # With all weights 0, both classes have probability 0.5.
    np.testing.assert_allclose([loss, mean_loss], [4 * np.log(2), np.log(2)], rtol=1e-6)
    np.testing.assert_array_equal(as_given, labels)
