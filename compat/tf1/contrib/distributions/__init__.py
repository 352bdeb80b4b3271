"""tf.contrib.distributions: the distributions of TensorFlow and of the package tensorflow_probability.

Names that tf.distributions has come from there, with the numbers of TensorFlow 1.15; the others need
tensorflow_probability.
"""
from typing import Any, List

from legacy_towers.compat.tf1.contrib.distributions import bijectors
from legacy_towers.compat.tf1.contrib.distributions.mixed import (
    Independent,
    Mixture,
    MixtureSameFamily,
    QuantizedDistribution,
    TransformedDistribution,
    kl_divergence,
    probability,
)
from legacy_towers.compat.tf1.contrib.distributions.softplus import (
    BetaWithSoftplusConcentration,
    Chi2WithAbsDf,
    ExponentialWithSoftplusRate,
    GammaWithSoftplusConcentrationRate,
    InverseGammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale,
    MultivariateNormalDiagWithSoftplusScale,
    NormalWithSoftplusScale,
    StudentTWithAbsDfSoftplusScale,
    matrix_diag_transform,
)
from legacy_towers.compat.versions import tf

Bernoulli = tf.distributions.Bernoulli
Beta = tf.distributions.Beta
Categorical = tf.distributions.Categorical
Dirichlet = tf.distributions.Dirichlet
DirichletMultinomial = tf.distributions.DirichletMultinomial
Distribution = tf.distributions.Distribution
Exponential = tf.distributions.Exponential
FULLY_REPARAMETERIZED = tf.distributions.FULLY_REPARAMETERIZED
Gamma = tf.distributions.Gamma
Laplace = tf.distributions.Laplace
Multinomial = tf.distributions.Multinomial
NOT_REPARAMETERIZED = tf.distributions.NOT_REPARAMETERIZED
Normal = tf.distributions.Normal
RegisterKL = tf.distributions.RegisterKL
ReparameterizationType = tf.distributions.ReparameterizationType
StudentT = tf.distributions.StudentT
Uniform = tf.distributions.Uniform

__all__ = [
    "Bernoulli",
    "Beta",
    "BetaWithSoftplusConcentration",
    "Categorical",
    "Chi2WithAbsDf",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "ExponentialWithSoftplusRate",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "GammaWithSoftplusConcentrationRate",
    "Independent",
    "InverseGammaWithSoftplusConcentrationRate",
    "Laplace",
    "LaplaceWithSoftplusScale",
    "Mixture",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormalDiagWithSoftplusScale",
    "NOT_REPARAMETERIZED",
    "Normal",
    "NormalWithSoftplusScale",
    "QuantizedDistribution",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "StudentTWithAbsDfSoftplusScale",
    "TransformedDistribution",
    "Uniform",
    "bijectors",
    "kl_divergence",
    "matrix_diag_transform",
]

# Name -> its name below tensorflow_probability, if that is not tfp.distributions.NAME.
_RENAMED = {
    "SeedStream": "util.SeedStream",
    "WishartCholesky": "distributions.WishartTriL",
    "assign_log_moving_mean_exp": "stats.assign_log_moving_mean_exp",
    "assign_moving_mean_variance": "stats.assign_moving_mean_variance",
    "auto_correlation": "stats.auto_correlation",
    "fill_triangular": "math.fill_triangular",
    "fill_triangular_inverse": "math.fill_triangular_inverse",
    "percentile": "stats.percentile",
    "reduce_weighted_logsumexp": "math.reduce_weighted_logsumexp",
    "softplus_inverse": "math.softplus_inverse",
}
_FROM_PROBABILITY = {
    "Autoregressive",
    "BatchReshape",
    "Binomial",
    "Cauchy",
    "Chi2",
    "Deterministic",
    "ExpRelaxedOneHotCategorical",
    "Geometric",
    "HalfNormal",
    "InverseGamma",
    "Kumaraswamy",
    "Logistic",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagPlusLowRank",
    "MultivariateNormalFullCovariance",
    "MultivariateNormalTriL",
    "NegativeBinomial",
    "OneHotCategorical",
    "Poisson",
    "PoissonLogNormalQuadratureCompound",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "SinhArcsinh",
    "VectorDeterministic",
    "quadrature_scheme_lognormal_gauss_hermite",
    "quadrature_scheme_lognormal_quantiles",
} | set(_RENAMED)


def __getattr__(name: str) -> Any:
    if name not in _FROM_PROBABILITY:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    value: Any = probability("tf.contrib.distributions." + name)
    for part in _RENAMED.get(name, "distributions." + name).split("."):
        value = getattr(value, part)
    return value


def __dir__() -> List[str]:
    return sorted(set(__all__) | _FROM_PROBABILITY)
