"""Distributions whose parameters are made positive first."""
from typing import Any, Callable

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.distributions.mixed import probability

_own = tf.distributions


def BetaWithSoftplusConcentration(concentration1: Any, concentration0: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Beta(softplus(concentration1), softplus(concentration0))."""
    return _own.Beta(tf.nn.softplus(concentration1), tf.nn.softplus(concentration0), **options)


def Chi2WithAbsDf(df: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Chi2(floor(abs(df)))."""
    theirs = probability("tf.contrib.distributions.Chi2WithAbsDf").distributions
    return theirs.Chi2(tf.floor(tf.abs(df, name="abs_df"), name="floor_abs_df"), **options)


def ExponentialWithSoftplusRate(rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Exponential(softplus(rate))."""
    return _own.Exponential(tf.nn.softplus(rate), **options)


def GammaWithSoftplusConcentrationRate(concentration: Any, rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Gamma(softplus(concentration), softplus(rate))."""
    return _own.Gamma(tf.nn.softplus(concentration), tf.nn.softplus(rate), **options)


def InverseGammaWithSoftplusConcentrationRate(concentration: Any, rate: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """InverseGamma(softplus(concentration), softplus(rate))."""
    theirs = probability("tf.contrib.distributions.InverseGammaWithSoftplusConcentrationRate").distributions
    return theirs.InverseGamma(tf.nn.softplus(concentration), tf.nn.softplus(rate), **options)


def LaplaceWithSoftplusScale(loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Laplace(loc, softplus(scale))."""
    return _own.Laplace(loc, tf.nn.softplus(scale), **options)


def MultivariateNormalDiagWithSoftplusScale(loc: Any, scale_diag: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """MultivariateNormalDiag(loc, softplus(scale_diag))."""
    theirs = probability("tf.contrib.distributions.MultivariateNormalDiagWithSoftplusScale").distributions
    return theirs.MultivariateNormalDiag(loc, tf.nn.softplus(scale_diag), **options)


def NormalWithSoftplusScale(loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Normal(loc, softplus(scale))."""
    return _own.Normal(loc, tf.nn.softplus(scale), **options)


def StudentTWithAbsDfSoftplusScale(df: Any, loc: Any, scale: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """StudentT(floor(abs(df)), loc, softplus(scale))."""
    return _own.StudentT(tf.floor(tf.abs(df)), loc, tf.nn.softplus(scale), **options)


def matrix_diag_transform(matrix: Any, transform: Callable[[Any], Any] = tf.identity, name: Any = None) -> Any:
    """Returns `matrix` with `transform` of its diagonal."""
    with tf.name_scope(name, "matrix_diag_transform", [matrix]):
        return tf.matrix_set_diag(matrix, transform(tf.matrix_diag_part(matrix)))
