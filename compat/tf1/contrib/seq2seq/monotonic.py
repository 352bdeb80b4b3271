"""Monotonic attention mechanisms of tf.contrib.seq2seq (https://arxiv.org/abs/1704.00784)."""
import functools
from typing import Any, Optional, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.seq2seq.mechanisms import (
    BaseAttentionMechanism,
    _layer,
    _scale_variable,
    additive_score,
    luong_score,
)
from legacy_towers.compat.versions import tf


class BaseMonotonicAttentionMechanism(BaseAttentionMechanism):
    """Base of monotonic mechanisms, whose initial alignment is the first step of the memory."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns [batch_size, length] with 1 for the first step of the memory and 0 elsewhere."""
        return tf.one_hot(tf.zeros((batch_size,), dtype=tf.int32), self._alignments_size, dtype=dtype)


class BahdanauMonotonicAttention(BaseMonotonicAttentionMechanism):
    """Monotonic attention with Bahdanau's additive scores.

    Args:
      sigmoid_noise: standard deviation of the noise added to the scores before the sigmoid.
      score_bias_init: initial value of the bias added to the scores.
      mode: as in `monotonic_attention`.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Optional[float] = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=_layer("query_layer", num_units, dtype),
            memory_layer=_layer("memory_layer", num_units, dtype),
            memory=memory,
            probability_fn=functools.partial(
                monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns (alignments [batch, length], the next state) of a query [batch, n]."""
        with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = additive_score(self, query) + _score_bias(query, self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(BaseMonotonicAttentionMechanism):
    """Monotonic attention with Luong's multiplicative scores.

    Args:
      sigmoid_noise: standard deviation of the noise added to the scores before the sigmoid.
      score_bias_init: initial value of the bias added to the scores.
      mode: as in `monotonic_attention`.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Optional[float] = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_layer("memory_layer", num_units, dtype),
            memory=memory,
            probability_fn=functools.partial(
                monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns (alignments [batch, length], the next state) of a query [batch, units]."""
        with tf.variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, _scale_variable(query) if self._scale else None)
            score += _score_bias(query, self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the cumulative product of `x`, values in [0, 1], computed in log space so that gradients are finite."""
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Returns the attention [batch, length]: the probability that each step of the memory is attended to.

    Args:
      p_choose_i: [batch, length], the probability that a step is chosen where it is reached.
      previous_attention: [batch, length], the attention of the previous query.
      mode: "recursive" (exact, slow), "parallel" (fast, inexact where probabilities are near 1) or "hard" (for
        probabilities that are 0 or 1).

    Raises:
      ValueError: `mode` is none of these.
    """
    chosen = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        batch_size = tf.dimension_value(chosen.shape[0]) or tf.shape(chosen)[0]
        passed = tf.concat([tf.ones((batch_size, 1)), 1 - chosen[:, :-1]], 1)
        reached = tf.scan(
            lambda x, step: tf.reshape(step[0] * x + step[1], (batch_size,)),
            [tf.transpose(passed), tf.transpose(previous)],
            tf.zeros((batch_size,)),
        )
        return chosen * tf.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - chosen, axis=1, exclusive=True)
        return chosen * passed * tf.cumsum(previous / tf.clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        allowed = chosen * tf.cumsum(previous, axis=1)
        return allowed * tf.cumprod(1 - allowed, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def monotonic_probability_fn(
    score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: Optional[int] = None
) -> Any:
    """Returns `monotonic_attention` for scores [batch, length], with Gaussian noise added before the sigmoid."""
    if sigmoid_noise > 0:
        score += sigmoid_noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
    chosen = tf.cast(score > 0, score.dtype) if mode == "hard" else tf.sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)


def _score_bias(query: Any, initial_value: float) -> Any:
    return tf.get_variable("attention_score_bias", dtype=query.dtype, initializer=initial_value)
