"""tf.contrib.factorization gives the numbers of TensorFlow 1.15."""
import numpy as np
import pytest
from oldtf.contrib import factorization_runs as runs

from legacy_towers.compat import tf
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.contrib import factorization

IS_1_15 = tf.__version__.startswith("1.15")


def check(found, recorded):
    assert recorded and sorted(found) == sorted(recorded)
    for key in recorded:
        assert np.shape(found[key]) == np.shape(recorded[key]), key
        np.testing.assert_allclose(found[key], recorded[key], rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("name", sorted(runs.OPTIONS))
def test_kmeans_as_on_1_15(name, use_resource):
    check(runs.kmeans(factorization, name, use_resource), runs.recorded("kmeans:" + name))


@pytest.mark.parametrize("name", sorted(runs.MIXTURES))
def test_a_mixture_as_on_1_15(name):
    check(runs.mixture(factorization, name), runs.recorded("mixture:" + name))


def test_the_estimator_as_on_1_15(tmp_path):
    check(runs.estimator(factorization, tmp_path), runs.recorded("estimator"))


@pytest.mark.parametrize("name", sorted(runs.RACING))
def test_batches_as_in_numpy(name):
    found = runs.kmeans(factorization, name)
    centers = found.get("clusters_updated", found["clusters"])
    np.testing.assert_allclose(centers, runs.batches_in_numpy(name), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not IS_1_15, reason="the real one is on TensorFlow 1.15")
@pytest.mark.parametrize("name", ["function", "full"])
def test_the_recording_is_what_the_real_one_does(name):
    check(runs.kmeans(tf.contrib.factorization, name), runs.recorded("kmeans:" + name))


def test_centers_are_the_means_of_their_points():
    made = runs.kmeans(factorization, "full")
    for index, center in enumerate(made["clusters"]):
        np.testing.assert_allclose(center, runs.POINTS[made["nearest"] == index].mean(0), rtol=1e-4)


def test_gmm_fits_and_predicts(tmp_path):
    made = factorization.GMM(3, str(tmp_path), initial_clusters=runs.POINTS[:3], covariance_type="diag")

    def points():
        return tf.constant(runs.POINTS), None

    made.fit(input_fn=points, steps=5)
    assert made.clusters().shape == (3, 3) and made.covariances().shape == (3, 3)
    np.testing.assert_allclose(made.weights().sum(), 1.0, rtol=1e-5)
    assert np.isfinite(made.score(points, steps=1))
    single = lambda: (tf.train.limit_epochs(tf.constant(runs.POINTS), num_epochs=1), None)  # noqa: E731
    assert len(list(made.predict_assignments(single))) == 60


def test_what_is_unknown_is_refused():
    with pytest.raises(ValueError, match="initialization algorithm 'best'"):
        factorization.KMeans(tf.constant(runs.POINTS), 3, "best")
    with pytest.raises(ValueError, match="distance metric 'far'"):
        factorization.KMeansClustering(3, distance_metric="far")
    if not tree.is_1_15():  # which fails inside of TensorFlow
        with pytest.raises(ValueError, match="initial_clusters is 'kmeans_plus_plus'"):
            factorization.gmm(tf.constant(runs.POINTS), "kmeans_plus_plus", 3, 1)
