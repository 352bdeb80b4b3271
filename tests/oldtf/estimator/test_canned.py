"""Canned estimators against the real ones: the same variables by name, steps, metrics and predictions."""
import numpy as np
import pytest
from oldtf.estimator import canned_runs

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import api

# These two are enough for every run.
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


@pytest.mark.parametrize("name", NAMES)
def test_ours_goes_on_from_a_checkpoint_of_1_15_as_1_15_does(name, tmp_path):
    recorded = canned_runs.recorded(name)
    first = {key[len("first/") :]: value for key, value in recorded.items() if key.startswith("first/")}
    check(canned_runs.run(api, name, str(tmp_path), first), recorded)


@pytest.mark.slow
@pytest.mark.skipif(not IS_1_15, reason="the real tf.estimator is on TensorFlow 1.15")
@pytest.mark.parametrize("name", canned_runs.NAMES[:3])
def test_the_recording_is_what_the_real_one_does(name, tmp_path):
    recorded = canned_runs.recorded(name)
    first = {key[len("first/") :]: value for key, value in recorded.items() if key.startswith("first/")}
    check(canned_runs.run(tf.estimator, name, str(tmp_path), first), recorded)
