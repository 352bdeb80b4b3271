"""tf.contrib.nn: activations, dropout, sampled softmax losses, and cross entropies that take logits before labels."""
import numbers
from typing import Any, Optional

from legacy_towers.compat.versions import tf

__all__ = [
    "alpha_dropout",
    "conv1d_transpose",
    "deprecated_flipped_sigmoid_cross_entropy_with_logits",
    "deprecated_flipped_softmax_cross_entropy_with_logits",
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    "nth_element",
    "rank_sampled_softmax_loss",
    "sampled_sparse_softmax_loss",
    "scaled_softplus",
]

# The value of a dropped unit: -scale * alpha of https://arxiv.org/abs/1706.02515.
_DROPPED = -1.7580993408473766


def nth_element(input: Any, n: Any, reverse: bool = False, name: Optional[str] = None) -> Any:
    """Returns the `n`-th smallest value (`reverse`: the `n`-th greatest) along the last axis, counted from 0."""
    return tf.raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def conv1d_transpose(
    value: Any,
    filter: Any,
    output_shape: Any,
    stride: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    name: Any = None,
) -> Any:
    """Returns the transposed 1-D convolution of `value`, see tf.nn.conv1d_transpose."""
    return tf.nn.conv1d_transpose(value, filter, output_shape, stride, padding, data_format, name=name)


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: Optional[str] = None
) -> Any:
    """Calls tf.nn.softmax_cross_entropy_with_logits; the logits are the first argument."""
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: Optional[str] = None
) -> Any:
    """Calls tf.nn.sparse_softmax_cross_entropy_with_logits; the logits are the first argument."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: Any, targets: Any, name: Optional[str] = None) -> Any:
    """Calls tf.nn.sigmoid_cross_entropy_with_logits; the logits are the first argument."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def alpha_dropout(
    x: Any, keep_prob: Any, noise_shape: Any = None, seed: Optional[int] = None, name: Optional[str] = None
) -> Any:
    """Applies dropout that keeps the mean and variance of self-normalizing networks.

    Klambauer et al., "Self-Normalizing Neural Networks", https://arxiv.org/abs/1706.02515.

    Args:
      x: a float tensor.
      keep_prob: a number in (0, 1] or a scalar tensor, the probability that a unit is kept.
      noise_shape: the shape of the random mask, which is broadcast to the shape of `x`.
      seed: the seed of the mask.
      name: the name of the operations.

    Raises:
      ValueError: `keep_prob` is not in (0, 1].
    """
    with tf.name_scope(name, "alpha_dropout", [x]):
        x = tf.convert_to_tensor(x, name="x")
        if isinstance(keep_prob, numbers.Real) and not 0 < float(keep_prob) <= 1.0:
            raise ValueError(
                "keep_prob must be a scalar tensor or a float in the range (0, 1], got {:g}".format(float(keep_prob))
            )
        keep_prob = tf.convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        keep_prob.shape.assert_has_rank(0)
        if tf.get_static_value(keep_prob) == 1:
            return x
        drawn = tf.random_uniform(tf.shape(x) if noise_shape is None else noise_shape, seed=seed, dtype=x.dtype)
        kept = tf.cast(drawn >= 1 - keep_prob, x.dtype)
        dropped = x * kept + _DROPPED * (1 - kept)
        scale = (keep_prob + keep_prob * (1 - keep_prob) * _DROPPED ** 2) ** -0.5
        return scale * dropped - scale * _DROPPED * (1 - keep_prob)


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: Optional[str] = None) -> Any:
    """Returns alpha * softplus(x / alpha), or the minimum of that and `clip`."""
    with tf.name_scope(name, "scaled_softplus", [x, alpha]):
        x = tf.convert_to_tensor(x, name="x")
        alpha = tf.convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        y = alpha * tf.nn.softplus(x / alpha)
        return y if clip is None else tf.minimum(y, tf.convert_to_tensor(clip, dtype=x.dtype, name="clip"))


def sampled_sparse_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Any:
    """Returns tf.nn.sampled_softmax_loss [batch] for `labels` [batch, 1], one true class per example."""
    return tf.nn.sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true=1,
        sampled_values=sampled_values,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )


def rank_sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    resampling_temperature: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: Optional[str] = None,
) -> Any:
    """Returns tf.nn.sampled_softmax_loss [batch] over the `num_resampled` sampled classes with the highest scores.

    Raises:
      ValueError: num_resampled < num_sampled <= num_classes does not hold, or `partition_strategy` is unknown.
    """
    if num_sampled > num_classes:
        raise ValueError("num_sampled ({}) cannot be greater than num_classes ({})".format(num_sampled, num_classes))
    if num_sampled <= num_resampled:
        raise ValueError("num_resampled ({}) must be less than num_sampled ({})".format(num_resampled, num_sampled))
    if partition_strategy not in ("div", "mod"):
        raise ValueError("unsupported partition_strategy ({})".format(partition_strategy))
    with tf.name_scope(name, "rank_sampled_softmax_loss"):
        if not sampled_values:
            sampled_values = tf.nn.learned_unigram_candidate_sampler(
                true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True, range_max=num_classes
            )
        sampled, true_count, sampled_count = [tf.stop_gradient(each) for each in sampled_values]
        sampled = tf.cast(sampled, tf.int64)
        rows = tf.nn.embedding_lookup(weights, sampled, partition_strategy)
        row_biases = tf.reshape(tf.nn.embedding_lookup(biases, sampled, partition_strategy), [-1])
        scores = tf.reduce_logsumexp(tf.matmul(rows, inputs / resampling_temperature, transpose_b=True), axis=1)
        _, best = tf.nn.top_k(scores + row_biases / resampling_temperature, k=num_resampled, sorted=False)
        return tf.nn.sampled_softmax_loss(
            weights,
            biases,
            labels,
            inputs,
            num_resampled,
            num_classes,
            num_true=num_true,
            sampled_values=(tf.gather(sampled, best), true_count, tf.gather(sampled_count, best)),
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=name or "rank_sampled_softmax_loss",
        )
