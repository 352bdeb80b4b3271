"""Attention mechanisms of tf.contrib.seq2seq: alignments of a query with a memory."""
import math
from typing import Any, Callable, Optional, Tuple

import numpy as np

from legacy_towers.compat.versions import keras_modules, tf

# (scores [batch, length], the mechanism's last state) -> alignments [batch, length]
ProbabilityFunction = Callable[[Any, Any], Any]


class AttentionMechanism:
    """Interface of attention mechanisms."""

    @property
    def alignments_size(self) -> Any:
        """The number of steps of the memory."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The size of the mechanism's state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """Base of mechanisms, which computes the keys of the memory once.

    Args:
      query_layer: a layer applied to queries, or None.
      memory: [batch, length, ...]; steps after `memory_sequence_length` are set to zero.
      probability_fn: (scores [batch, length], state) -> alignments [batch, length].
      memory_sequence_length: int [batch].
      memory_layer: a layer that computes the keys from the memory; None: the keys are the memory.
      score_mask_value: the score of steps after the sequence's end; -inf by default.
      custom_key_value_fn: (keys, values) -> (keys, values).

    Raises:
      TypeError: a layer is not a layer, or `probability_fn` is not callable.
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
        """The memory, with zeros after each sequence's end."""
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
    """Luong's multiplicative attention (https://arxiv.org/abs/1508.04025).

    Args:
      num_units: the depth of the keys and of queries.
      memory: [batch, length, ...].
      scale: whether scores are multiplied by a trainable scalar.
      probability_fn: scores -> alignments; softmax by default.
    """

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
            probability_fn=_ignore_state(probability_fn),
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
    """Bahdanau's additive attention (https://arxiv.org/abs/1409.0473).

    Args:
      num_units: the depth of the keys and of the projected query.
      memory: [batch, length, ...].
      normalize: whether to use weight normalization (https://arxiv.org/abs/1602.07868).
      probability_fn: scores -> alignments; softmax by default.
    """

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
            probability_fn=_ignore_state(probability_fn),
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
    """Returns the scaled dot products [batch, length] of `query` [batch, n] and `keys` [batch, length, n].

    Raises:
      ValueError: the depths of `query` and `keys` differ.
    """
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
    summed = keys + tf.expand_dims(processed_query, 1)
    if attention_g is None or attention_b is None:
        return tf.reduce_sum(attention_v * tf.tanh(summed), [2])
    direction = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
    return tf.reduce_sum(direction * tf.tanh(summed + attention_b), [2])


def additive_score(mechanism: Any, query: Any) -> Any:
    """Returns the scores of a Bahdanau mechanism; creates its variables in the current variable scope."""
    units = mechanism._num_units
    processed_query = mechanism.query_layer(query) if mechanism.query_layer else query
    v = tf.get_variable("attention_v", [units], dtype=query.dtype)
    g = b = None
    if mechanism._normalize:
        initializer = tf.constant_initializer(math.sqrt(1.0 / units))
        g = tf.get_variable("attention_g", shape=(), dtype=query.dtype, initializer=initializer)
        b = tf.get_variable("attention_b", [units], dtype=query.dtype, initializer=tf.zeros_initializer())
    return bahdanau_score(processed_query, mechanism._keys, v, g, b)


def prepare_memory(
    memory: Any, memory_sequence_length: Any = None, memory_mask: Any = None, check_inner_dims_defined: bool = True
) -> Any:
    """Returns the tensors `memory` [batch, length, ...] with zeros after each sequence's end or outside the mask.

    Raises:
      ValueError: both length and mask are given, or inner dimensions are not statically known.
    """
    memory = tf.nest.map_structure(lambda tensor: tf.convert_to_tensor(tensor, name="memory"), memory)
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    tensors = tf.nest.flatten(memory)
    for tensor in tensors if check_inner_dims_defined else ():
        if not tensor.shape[2:].is_fully_defined():
            raise ValueError(
                "Expected memory {} to have fully defined inner dims, but saw shape: {}".format(
                    tensor.name, tensor.shape
                )
            )
    if memory_sequence_length is not None:
        mask = tf.sequence_mask(memory_sequence_length, tf.shape(tensors[0])[1], dtype=tensors[0].dtype)
    elif memory_mask is not None:
        mask = tf.cast(memory_mask, tensors[0].dtype)
    else:
        return memory

    def apply_mask(tensor: Any) -> Any:
        ones = tf.ones([tf.rank(tensor) - 2], dtype=tf.int32)
        product = tensor * tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))
        product.set_shape(tensor.shape)
        return product

    return tf.nest.map_structure(apply_mask, memory)


def mask_scores(
    score: Any, memory_sequence_length: Any = None, score_mask_value: Any = None, memory_mask: Any = None
) -> Any:
    """Returns `score` [batch, length] with `score_mask_value` after each sequence's end or outside the mask.

    Raises:
      ValueError: both length and mask are given.
    """
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
    """Returns the one-hot vectors of the argmax of `logits` along the last axis."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = tf.dimension_value(logits.shape[-1])
        return tf.one_hot(tf.argmax(logits, -1), tf.shape(logits)[-1] if depth is None else depth, dtype=logits.dtype)


def _scale_variable(query: Any) -> Any:
    return tf.get_variable("attention_g", shape=(), dtype=query.dtype, initializer=tf.ones_initializer())


def _layer(name: str, units: int, dtype: Any) -> Any:
    return tf.layers.Dense(units, name=name, use_bias=False, dtype=tf.float32 if dtype is None else dtype)


def _ignore_state(probability_fn: Optional[Callable[[Any], Any]]) -> ProbabilityFunction:
    function = tf.nn.softmax if probability_fn is None else probability_fn
    return lambda score, _: function(score)


def _size(x: Any, axis: int) -> Any:
    return tf.dimension_value(x.shape[axis]) or tf.shape(x)[axis]
