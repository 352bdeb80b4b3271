"""Distributions of tensorflow_probability that are built from others, which may be those of tf.distributions."""
import importlib
from typing import Any, Optional

from legacy_towers.compat.versions import tf
from legacy_towers.errors import EnvironmentProblem


def probability(name: str) -> Any:
    """Returns the package tensorflow_probability, which implements `name`.

    Raises:
      EnvironmentProblem: it is not installed, or does not support the installed TensorFlow.
    """
    try:
        return importlib.import_module("tensorflow_probability")
    except ImportError as error:
        raise EnvironmentProblem(
            "{} needs the package tensorflow_probability ({}): run pip install --no-deps tensorflow_probability "
            "tf_keras and pip install dm-tree decorator cloudpickle; --no-deps keeps the installed "
            "TensorFlow".format(name, error)
        ) from error


def as_probability(distribution: Any) -> Any:
    """Converts a tf.distributions.Distribution to that of tensorflow_probability; returns others unchanged."""
    if not isinstance(distribution, tf.distributions.Distribution):
        return distribution
    kind = type(distribution).__name__
    distributions = probability("tf.contrib.distributions").distributions
    given = {name: value for name, value in distribution.parameters.items() if value is not None}
    if kind == "Categorical":
        given["dtype"] = distribution.dtype
    return getattr(distributions, kind)(**given)


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: Optional[str] = None
) -> Any:
    """Returns the Kullback-Leibler divergence KL(a || b)."""
    both = distribution_a, distribution_b
    if all(isinstance(one, tf.distributions.Distribution) for one in both):
        return tf.distributions.kl_divergence(*both, allow_nan_stats=allow_nan_stats, name=name)
    distributions = probability("tf.contrib.distributions.kl_divergence").distributions
    converted = [as_probability(one) for one in both]
    return distributions.kl_divergence(*converted, allow_nan_stats=allow_nan_stats, name=name)


def TransformedDistribution(  # pylint: disable=invalid-name
    distribution: Any,
    bijector: Any,
    batch_shape: Any = None,
    event_shape: Any = None,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Returns the distribution of bijector(x), where x is from `distribution` broadcast to the given shapes."""
    distributions = probability("tf.contrib.distributions.TransformedDistribution").distributions
    base = as_probability(distribution)
    if batch_shape is not None or event_shape is not None:
        batch = list(batch_shape or [])
        event = list(event_shape or [])
        base = distributions.Sample(base, sample_shape=event) if event else base
        base = distributions.BatchBroadcast(base, with_shape=batch) if batch else base
    return distributions.TransformedDistribution(base, bijector, validate_args=validate_args, name=name)


def Independent(  # pylint: disable=invalid-name
    distribution: Any, reinterpreted_batch_ndims: Any = None, validate_args: bool = False, name: Optional[str] = None
) -> Any:
    """Returns `distribution` with its last batch axes as event axes; by default all but the first."""
    distributions = probability("tf.contrib.distributions.Independent").distributions
    return distributions.Independent(as_probability(distribution), reinterpreted_batch_ndims, validate_args, name=name)


def Mixture(cat: Any, components: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns the mixture of `components` with the weights of the Categorical `cat`."""
    distributions = probability("tf.contrib.distributions.Mixture").distributions
    return distributions.Mixture(as_probability(cat), [as_probability(one) for one in components], **options)


def MixtureSameFamily(  # pylint: disable=invalid-name
    mixture_distribution: Any, components_distribution: Any, **options: Any
) -> Any:
    """Returns the mixture over the last batch axis of `components_distribution`."""
    distributions = probability("tf.contrib.distributions.MixtureSameFamily").distributions
    return distributions.MixtureSameFamily(
        as_probability(mixture_distribution), as_probability(components_distribution), **options
    )


def QuantizedDistribution(distribution: Any, **options: Any) -> Any:  # pylint: disable=invalid-name
    """Returns the distribution of ceil(x), where x is from `distribution`."""
    distributions = probability("tf.contrib.distributions.QuantizedDistribution").distributions
    return distributions.QuantizedDistribution(as_probability(distribution), **options)
