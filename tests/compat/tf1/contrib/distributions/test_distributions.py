"""tf.contrib.distributions, compared with closed forms."""
import math

import numpy as np
import pytest

from legacy_towers.compat import tf

IS_1_15 = tf.__version__.startswith("1.15")
if not IS_1_15:
    pytest.importorskip("tensorflow_probability")

LOG_ROOT = 0.5 * math.log(2 * math.pi)
# name -> (function of tf.contrib.distributions, expected)
CASES = {
    "normal": (lambda ds: ds.Normal(1.0, 2.0).log_prob(2.0), -0.125 - math.log(2) - LOG_ROOT),
    "categorical": (lambda ds: ds.Categorical(probs=[0.2, 0.8]).entropy(), -0.2 * math.log(0.2) - 0.8 * math.log(0.8)),
    "categorical_mode": (lambda ds: ds.Categorical(logits=[[1.0, 3.0, 2.0]]).mode(), [1]),
    "bernoulli": (lambda ds: ds.Bernoulli(logits=0.0).prob(1), 0.5),
    "diagonal": (
        lambda ds: ds.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]).log_prob([1.0, 1.0]),
        -0.5 - math.log(2) - 2 * LOG_ROOT,
    ),
    "triangular": (
        lambda ds: ds.MultivariateNormalTriL([0.0, 0.0], [[1.0, 0.0], [1.0, 2.0]]).covariance(),
        [[1.0, 1.0], [1.0, 5.0]],
    ),
    "divergence": (lambda ds: ds.kl_divergence(ds.Normal(1.0, 1.0), ds.Normal(0.0, 1.0)), 0.5),
    "divergence_of_vectors": (
        lambda ds: ds.kl_divergence(
            ds.MultivariateNormalDiag([1.0, 2.0], [1.0, 1.0]), ds.MultivariateNormalDiag([0.0, 0.0], [1.0, 1.0])
        ),
        2.5,
    ),
    "transformed": (
        lambda ds: ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.Exp()).log_prob(2.0),
        -0.5 * math.log(2) ** 2 - LOG_ROOT - math.log(2),
    ),
    "affine": (lambda ds: ds.bijectors.Affine(shift=[1.0, 2.0], scale_diag=[3.0, 4.0]).forward([1.0, 1.0]), [4.0, 6.0]),
    "independent": (
        lambda ds: ds.Independent(ds.Normal([0.0, 1.0], [1.0, 1.0]), 1).log_prob([0.0, 1.0]),
        -2 * LOG_ROOT,
    ),
    "mixture": (
        lambda ds: ds.Mixture(ds.Categorical(probs=[0.5, 0.5]), [ds.Normal(-1.0, 1.0), ds.Normal(3.0, 1.0)]).mean(),
        1.0,
    ),
    "softplus": (lambda ds: ds.NormalWithSoftplusScale(0.0, 0.0).stddev(), math.log(2)),
    "poisson": (lambda ds: ds.Poisson(2.0).prob(1.0), 2 * math.exp(-2)),
    "onehot": (lambda ds: ds.OneHotCategorical(probs=[0.3, 0.7]).prob([0.0, 1.0]), 0.7),
    "filled": (lambda ds: ds.fill_triangular([1.0, 2.0, 3.0]), [[3.0, 0.0], [2.0, 1.0]]),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_values_equal_closed_forms(name):
    make, expected = CASES[name]
    with tf.Session() as session:
        found = session.run(make(tf.contrib.distributions))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_samples_have_the_shape_and_mean_of_the_distribution():
    ds = tf.contrib.distributions
    drawn = ds.MultivariateNormalDiag([1.0, -1.0], [0.1, 0.1]).sample(4000, seed=1)
    rows = ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.AffineScalar(5.0, 0.1)).sample([4000], seed=2)
    with tf.Session() as session:
        found, others = session.run([drawn, rows])
    assert found.shape == (4000, 2)
    np.testing.assert_allclose(found.mean(axis=0), [1.0, -1.0], atol=0.02)
    assert abs(others.mean() - 5.0) < 0.02


FACTOR = np.array([[0.5, 0.1], [-0.3, 0.4], [0.2, 0.2]], np.float32)
POINTS = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]], np.float32)


@pytest.mark.parametrize(
    "given, base, weights",
    [
        ({}, np.eye(3), [1.0, 1.0]),
        ({"scale_identity_multiplier": 2.0, "scale_perturb_diag": [3.0, 1.0]}, 2 * np.eye(3), [3.0, 1.0]),
        ({"scale_diag": [1.0, 2.0, 3.0], "scale_identity_multiplier": 0.5}, np.diag([1.5, 2.5, 3.5]), [1.0, 1.0]),
    ],
    ids=["identity", "multiplier and weights", "diagonal"],
)
def test_affine_with_a_low_rank_perturbation(given, base, weights):
    affine = tf.contrib.distributions.bijectors.Affine([1.0, 0.0, -1.0], scale_perturb_factor=FACTOR, **given)
    matrix = base + FACTOR.dot(np.diag(weights)).dot(FACTOR.T)
    moved = POINTS.dot(matrix.T) + [1.0, 0.0, -1.0]
    with tf.Session() as session:
        found = session.run([affine.forward(POINTS), affine.inverse(moved.astype(np.float32))])
        determinant = session.run(affine.forward_log_det_jacobian(POINTS, 1))
    np.testing.assert_allclose(found[0], moved, rtol=1e-5)
    np.testing.assert_allclose(found[1], POINTS, rtol=1e-4)
    np.testing.assert_allclose(determinant, np.linalg.slogdet(matrix)[1], rtol=1e-4)


def test_affine_with_a_perturbed_triangular_matrix_matches_tensorflow_1_15():
    triangle = [[1.2, 9.0, 9.0], [0.3, 0.9, 9.0], [-0.2, 0.1, 1.5]]
    affine = tf.contrib.distributions.bijectors.Affine(scale_tril=triangle, scale_perturb_factor=FACTOR)
    with tf.Session() as session:
        forward, determinant = session.run([affine.forward(POINTS), affine.forward_log_det_jacobian(POINTS, 1)])
    matrix = np.tril(triangle) + FACTOR.dot(FACTOR.T)
    np.testing.assert_allclose(forward, POINTS.dot(matrix.T), rtol=1e-5)
    # The value of TensorFlow 1.15, which assumes a symmetric matrix.
    np.testing.assert_allclose(determinant, 0.9919, atol=1e-4)


def test_chain_accepts_a_name_that_is_not_an_identifier():
    bijectors = tf.contrib.distributions.bijectors
    chain = bijectors.Chain([bijectors.Exp(), bijectors.AffineScalar(1.0, 2.0)], name="2d_flow")
    with tf.Session() as session:
        assert session.run(chain.forward(0.5)) == pytest.approx(math.exp(2.0))
    assert chain.name.endswith("2d_flow")
