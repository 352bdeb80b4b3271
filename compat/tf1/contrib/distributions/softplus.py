"""Distributions with unconstrained parameters, which softplus or abs makes positive."""
from typing import Any, Callable

from legacy_towers.compat.tf1.contrib.distributions.mixed import probability
from legacy_towers.compat.versions import tf

_distributions = tf.distributions


def BetaWithSoftplusConcentration(concentration1: Any, concentration0: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Beta(softplus(concentration1), softplus(concentration0))."""
    return _distributions.Beta(tf.nn.softplus(concentration1), tf.nn.softplus(concentration0), **options)


def Chi2WithAbsDf(df: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Chi2(floor(abs(df)))."""
    distributions = probability("tf.contrib.distributions.Chi2WithAbsDf").distributions
    return distributions.Chi2(tf.floor(tf.abs(df, name="abs_df"), name="floor_abs_df"), **options)


def ExponentialWithSoftplusRate(rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Exponential(softplus(rate))."""
    return _distributions.Exponential(tf.nn.softplus(rate), **options)


def GammaWithSoftplusConcentrationRate(concentration: Any, rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Gamma(softplus(concentration), softplus(rate))."""
    return _distributions.Gamma(tf.nn.softplus(concentration), tf.nn.softplus(rate), **options)


def InverseGammaWithSoftplusConcentrationRate(concentration: Any, rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns InverseGamma(softplus(concentration), softplus(rate))."""
    distributions = probability("tf.contrib.distributions.InverseGammaWithSoftplusConcentrationRate").distributions
    return distributions.InverseGamma(tf.nn.softplus(concentration), tf.nn.softplus(rate), **options)


def LaplaceWithSoftplusScale(loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Laplace(loc, softplus(scale))."""
    return _distributions.Laplace(loc, tf.nn.softplus(scale), **options)


def MultivariateNormalDiagWithSoftplusScale(loc: Any, scale_diag: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns MultivariateNormalDiag(loc, softplus(scale_diag))."""
    distributions = probability("tf.contrib.distributions.MultivariateNormalDiagWithSoftplusScale").distributions
    return distributions.MultivariateNormalDiag(loc, tf.nn.softplus(scale_diag), **options)


def NormalWithSoftplusScale(loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns Normal(loc, softplus(scale))."""
    return _distributions.Normal(loc, tf.nn.softplus(scale), **options)


def StudentTWithAbsDfSoftplusScale(df: Any, loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns StudentT(floor(abs(df)), loc, softplus(scale))."""
    return _distributions.StudentT(tf.floor(tf.abs(df)), loc, tf.nn.softplus(scale), **options)


def matrix_diag_transform(matrix: Any, transform: Callable[[Any], Any] = tf.identity, name: Any = None) -> Any:
    """Returns `matrix` [..., n, n] with `transform` applied to its diagonal."""
    with tf.name_scope(name, "matrix_diag_transform", [matrix]):
        return tf.matrix_set_diag(matrix, transform(tf.matrix_diag_part(matrix)))
