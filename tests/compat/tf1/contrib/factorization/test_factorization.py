"""tf.contrib.factorization has the numbers of TensorFlow 1.15."""
import numpy as np
import pytest
from tf1_cases.contrib import factorization_runs as runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.contrib import factorization
from legacy_towers.compat.tf1.contrib.learn.gmm import GMM

IS_1_15 = tf.__version__.startswith("1.15")


def check(found, recorded):
    assert recorded and sorted(found) == sorted(recorded)
    for key in recorded:
        assert np.shape(found[key]) == np.shape(recorded[key]), key
        np.testing.assert_allclose(found[key], recorded[key], rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.recorded
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("name", sorted(runs.OPTIONS))
def test_kmeans_matches_tensorflow_1_15(name, use_resource):
    check(runs.kmeans(factorization, name, use_resource), runs.recorded("kmeans:" + name))


@pytest.mark.parametrize("name", sorted(runs.MIXTURES))
def test_mixture_matches_tensorflow_1_15(name):
    check(runs.mixture(factorization, name), runs.recorded("mixture:" + name))


@pytest.mark.recorded
def test_estimator_matches_tensorflow_1_15(tmp_path):
    check(runs.estimator(factorization, tmp_path), runs.recorded("estimator"))


@pytest.mark.parametrize("name", sorted(runs.RACING))
def test_mini_batch_steps_equal_numpy(name):
    found = runs.kmeans(factorization, name)
    centers = found.get("clusters_updated", found["clusters"])
    np.testing.assert_allclose(centers, runs.batches_in_numpy(name), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not IS_1_15, reason="needs tf.contrib of TensorFlow 1.15")
@pytest.mark.parametrize("name", ["function", "full"])
def test_recording_matches_tensorflows_own_kmeans(name):
    check(runs.kmeans(tf.contrib.factorization, name), runs.recorded("kmeans:" + name))


def test_centers_are_means_of_their_points():
    made = runs.kmeans(factorization, "full")
    for index, center in enumerate(made["clusters"]):
        np.testing.assert_allclose(center, runs.POINTS[made["nearest"] == index].mean(0), rtol=1e-4)


def test_gmm_fits_and_predicts(tmp_path):
    made = GMM(3, str(tmp_path), initial_clusters=runs.POINTS[:3], covariance_type="diag")

    def points():
        return tf.constant(runs.POINTS), None

    made.fit(input_fn=points, steps=5)
    assert made.clusters().shape == (3, 3) and made.covariances().shape == (3, 3)
    np.testing.assert_allclose(made.weights().sum(), 1.0, rtol=1e-5)
    assert np.isfinite(made.score(points, steps=1))
    single = lambda: (tf.train.limit_epochs(tf.constant(runs.POINTS), num_epochs=1), None)  # noqa: E731
    assert len(list(made.predict_assignments(single))) == 60


def test_unknown_arguments_raise():
    with pytest.raises(ValueError, match="initialization algorithm 'best'"):
        factorization.KMeans(tf.constant(runs.POINTS), 3, "best")
    with pytest.raises(ValueError, match="distance metric 'far'"):
        factorization.KMeansClustering(3, distance_metric="far")
    if not tree.is_1_15():  # the error of TensorFlow 1.15 is another one
        message = "initial_clusters must be 'random' or a tensor of means, got 'kmeans_plus_plus'"
        with pytest.raises(ValueError, match=message):
            factorization.gmm(tf.constant(runs.POINTS), "kmeans_plus_plus", 3, 1)
