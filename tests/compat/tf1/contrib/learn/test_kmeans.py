"""tf.contrib.learn.KMeansClustering; on TensorFlow 1.15 also TensorFlow's own."""
import numpy as np
import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.contrib import learn

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [10.0, 9.0]], np.float32)
CENTERS = [[0.5, 0.0], [9.5, 9.0]]


def _points():
    return tf.train.limit_epochs(tf.constant(POINTS), num_epochs=1), None


@pytest.fixture(autouse=True)
def quiet():
    tf.logging.set_verbosity(tf.logging.ERROR)


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "tf.contrib.learn"])
def test_kmeans_clusters_points(ours, tmp_path):
    module = learn if ours else recorded_cases.module("tensorflow.contrib.learn")
    kmeans = module.KMeansClustering(
        2, str(tmp_path), initial_clusters=POINTS[[0, 2]], use_mini_batch=False, relative_tolerance=1e-4
    )
    kmeans.fit(input_fn=lambda: (tf.constant(POINTS), None), steps=5)
    np.testing.assert_allclose(kmeans.clusters(), CENTERS, rtol=1e-6)
    assert kmeans.score(input_fn=lambda: (tf.constant(POINTS), None), steps=1) == pytest.approx(1.0)
    assert list(kmeans.predict_cluster_idx(input_fn=_points)) == [0, 0, 1, 1]
    distances = kmeans.transform(input_fn=_points)
    expected = np.square(POINTS[:, np.newaxis] - np.array(CENTERS)[np.newaxis]).sum(-1)
    np.testing.assert_allclose(distances, expected, rtol=1e-4)
    assert kmeans.SCORES == "scores" and kmeans.get_variable_names().count("clusters") == 1
