"""Attention mechanisms of tf.contrib.seq2seq: which parts of a memory a query reads."""
import math
from typing import Any, Callable, Optional, Tuple

import numpy as np

from legacy_towers.compat import keras_modules, tf

# (scores [batch, length], the mechanism's last state) -> alignments [batch, length]
ProbabilityFunction = Callable[[Any, Any], Any]


class AttentionMechanism(object):
    """What AttentionWrapper takes for an attention mechanism."""

    @property
    def alignments_size(self) -> Any:
        """Steps of the memory."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """Size of the mechanism's state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """A mechanism with a memory whose keys are made once, by a layer.

    Args:
      query_layer: a layer for queries, or None.
      memory: [batch, length, ...]; what lies behind `memory_sequence_length` is set to zero.
      probability_fn: alignments of scores.
      memory_layer: the layer that makes keys from the memory.
      score_mask_value: the score of what lies behind the length; minus infinity by default.
      custom_key_value_fn: (keys, values) -> (keys, values).
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: ProbabilityFunction,
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Optional[float] = None,
        custom_key_value_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        for what, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, tf.keras.layers.Layer):
                raise TypeError("{} is not a Layer: {}".format(what, type(layer).__name__))
        if not callable(probability_fn):
            raise TypeError("probability_fn must be callable, saw type: {}".format(type(probability_fn).__name__))
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = memory_layer.dtype if memory_layer is not None else tf.nest.flatten(memory)[0].dtype
        if score_mask_value is None:
            score_mask_value = tf.as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        self._probability_fn = lambda score, state: probability_fn(
            mask_scores(score, memory_sequence_length, score_mask_value), state
        )
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._values = prepare_memory(
                memory, memory_sequence_length, check_inner_dims_defined=check_inner_dims_defined
            )
            self._keys = memory_layer(self._values) if memory_layer else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = _size(self._keys, 0)
            self._alignments_size = _size(self._keys, 1)

    @property
    def memory_layer(self) -> Any:
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, zero behind each length."""
        return self._values

    @property
    def keys(self) -> Any:
        return self._keys

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns zeros [batch_size, length]."""
        return keras_modules.cells_module()._zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the state before the first query."""
        return self.initial_alignments(batch_size, dtype)


class LuongAttention(BaseAttentionMechanism):
    """Multiplicative attention (https://arxiv.org/abs/1508.04025); with `scale` the scores get a factor to learn."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None,
        score_mask_value: Optional[float] = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_layer("memory_layer", num_units, dtype),
            memory=memory,
            probability_fn=_of_scores(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns (alignments [batch, length], the next state) of a query [batch, units]."""
        with tf.variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, _scale_variable(query) if self._scale else None)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(BaseAttentionMechanism):
    """Additive attention (https://arxiv.org/abs/1409.0473); `normalize` as in https://arxiv.org/abs/1602.07868."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Optional[Callable[[Any], Any]] = None,
        score_mask_value: Optional[float] = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=_layer("query_layer", num_units, dtype),
            memory_layer=_layer("memory_layer", num_units, dtype),
            memory=memory,
            probability_fn=_of_scores(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        """Returns (alignments [batch, length], the next state) of a query [batch, n]."""
        with tf.variable_scope(None, "bahdanau_attention", [query]):
            score = additive_score(self, query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def luong_score(query: Any, keys: Any, scale: Any) -> Any:
    """Returns the products [batch, length] of `query` [batch, n] with `keys` [batch, length, n], scaled."""
    if query.shape[-1] != keys.shape[-1]:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  Query ({0}) has units: {1}.  Keys ({2}) "
            "have units: {3}.  Perhaps you need to set num_units to the query's dimension ({1})?".format(
                query, query.shape[-1], keys, keys.shape[-1]
            )
        )
    score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True), [1])
    return score if scale is None else scale * score


def bahdanau_score(
    processed_query: Any, keys: Any, attention_v: Any, attention_g: Any = None, attention_b: Any = None
) -> Any:
    """Returns scores [batch, length] of `processed_query` [batch, units] for `keys` [batch, length, units]."""
    mixed = keys + tf.expand_dims(processed_query, 1)
    if attention_g is None or attention_b is None:
        return tf.reduce_sum(attention_v * tf.tanh(mixed), [2])
    direction = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
    return tf.reduce_sum(direction * tf.tanh(mixed + attention_b), [2])


def additive_score(mechanism: Any, query: Any) -> Any:
    """Returns the scores of a Bahdanau mechanism, whose variables are made in the open scope."""
    units = mechanism._num_units
    processed = mechanism.query_layer(query) if mechanism.query_layer else query
    v = tf.get_variable("attention_v", [units], dtype=query.dtype)
    g = b = None
    if mechanism._normalize:
        start = tf.constant_initializer(math.sqrt(1.0 / units))
        g = tf.get_variable("attention_g", shape=(), dtype=query.dtype, initializer=start)
        b = tf.get_variable("attention_b", [units], dtype=query.dtype, initializer=tf.zeros_initializer())
    return bahdanau_score(processed, mechanism._keys, v, g, b)


def prepare_memory(
    memory: Any, memory_sequence_length: Any = None, memory_mask: Any = None, check_inner_dims_defined: bool = True
) -> Any:
    """Returns `memory` [batch, length, ...], nested or not, with zeros behind each length or outside the mask."""
    memory = tf.nest.map_structure(lambda part: tf.convert_to_tensor(part, name="memory"), memory)
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    parts = tf.nest.flatten(memory)
    for part in parts if check_inner_dims_defined else ():
        if not part.shape[2:].is_fully_defined():
            raise ValueError(
                "Expected memory {} to have fully defined inner dims, but saw shape: {}".format(part.name, part.shape)
            )
    if memory_sequence_length is not None:
        mask = tf.sequence_mask(memory_sequence_length, tf.shape(parts[0])[1], dtype=parts[0].dtype)
    elif memory_mask is not None:
        mask = tf.cast(memory_mask, parts[0].dtype)
    else:
        return memory

    def masked(part: Any) -> Any:
        ones = tf.ones([tf.rank(part) - 2], dtype=tf.int32)
        product = part * tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))
        product.set_shape(part.shape)
        return product

    return tf.nest.map_structure(masked, memory)


def mask_scores(
    score: Any, memory_sequence_length: Any = None, score_mask_value: Any = None, memory_mask: Any = None
) -> Any:
    """Returns `score` [batch, length] with `score_mask_value` behind each length or outside the mask."""
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_sequence_length is not None:
        message = "All values in memory_sequence_length must be greater than zero."
        with tf.control_dependencies([tf.assert_positive(memory_sequence_length, message=message)]):
            memory_mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(score)[1])
    if memory_mask is None:
        return score
    return tf.where(memory_mask, score, score_mask_value * tf.ones_like(score))


def hardmax(logits: Any, name: Optional[str] = None) -> Any:
    """Returns 1 at the largest of `logits` along the last axis, 0 elsewhere."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = tf.dimension_value(logits.shape[-1])
        return tf.one_hot(tf.argmax(logits, -1), tf.shape(logits)[-1] if depth is None else depth, dtype=logits.dtype)


def _scale_variable(query: Any) -> Any:
    return tf.get_variable("attention_g", shape=(), dtype=query.dtype, initializer=tf.ones_initializer())


def _layer(name: str, units: int, dtype: Any) -> Any:
    return tf.layers.Dense(units, name=name, use_bias=False, dtype=tf.float32 if dtype is None else dtype)


def _of_scores(probability_fn: Optional[Callable[[Any], Any]]) -> ProbabilityFunction:
    chosen = tf.nn.softmax if probability_fn is None else probability_fn
    return lambda score, _: chosen(score)


def _size(x: Any, axis: int) -> Any:
    return tf.dimension_value(x.shape[axis]) or tf.shape(x)[axis]
