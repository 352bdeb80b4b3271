"""Helpers of tf.contrib.seq2seq that now and then feed a decoder its own outputs (https://arxiv.org/abs/1506.03099)."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat import rnn, tf
from legacy_towers.oldtf.contrib.seq2seq.helpers import (
    TrainingHelper,
    categorical_sample,
    embedding_function,
    unstacked,
)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """With `sampling_probability`, a scalar or [batch], reads the embedding of an id drawn by the last outputs."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Optional[int] = None,
        scheduling_seed: Optional[int] = None,
        name: Optional[str] = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledEmbeddingSamplingWrapper", [sampling_probability]):
            self._embedding_fn = embedding_function(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None, **unused: Any) -> Any:
        """Returns drawn ids, -1 where the given input is read."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
            chosen = _bernoulli(self._sampling_probability, self.batch_size, self._scheduling_seed)
            drawn = categorical_sample(outputs, seed=self._seed)
            return tf.where(chosen, drawn, tf.fill([self.batch_size], -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Optional[str] = None, **unused: Any
    ) -> Tuple[Any, Any, Any]:
        """Goes on with the embedding of drawn ids, and the given inputs elsewhere."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, sample_ids]):
            finished, given, state = super().next_inputs(time, outputs, state, sample_ids)

            def mixed() -> Any:
                chosen = sample_ids > -1
                return _merged(chosen, self._embedding_fn(tf.boolean_mask(sample_ids, chosen)), given)

            return finished, tf.cond(tf.reduce_all(finished), lambda: given, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """With `sampling_probability`, a scalar or [batch], reads the last outputs themselves.

    Args:
      next_inputs_fn: makes inputs from outputs.
      auxiliary_inputs: [batch, time, n]; stands behind whatever is read.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Optional[int] = None,
        next_inputs_fn: Optional[Callable[[Any], Any]] = None,
        auxiliary_inputs: Any = None,
        name: Optional[str] = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledOutputTrainingHelper", [sampling_probability]):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary: Any = None
            if auxiliary_inputs is not None:
                auxiliary = tf.convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = tf.concat([tf.convert_to_tensor(inputs, name="inputs"), auxiliary], -1)
                self._auxiliary = unstacked(auxiliary if time_major else rnn.transpose_batch_time(auxiliary))
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None, **unused: Any) -> Any:
        """Returns 1 where the outputs are read, 0 where the given input is."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs]):
            return tf.cast(_bernoulli(self._sampling_probability, self.batch_size, self._seed), tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Optional[str] = None, **unused: Any
    ) -> Tuple[Any, Any, Any]:
        """Goes on with the outputs where `sample_ids` is 1, and the given inputs elsewhere."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, sample_ids]):
            finished, given, state = super().next_inputs(time, outputs, state, sample_ids)
            chosen = tf.cast(sample_ids, tf.bool)

            def mixed() -> Any:
                if self._next_inputs_fn is None:
                    return tf.where(chosen, self._extended(outputs, time), given)
                made = self._next_inputs_fn(tf.boolean_mask(outputs, chosen))
                return _merged(chosen, self._extended(made, time, chosen), given)

            nothing_to_do = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(chosen)))
            return finished, tf.cond(nothing_to_do, lambda: given, mixed), state

    def _extended(self, inputs: Any, time: Any, chosen: Any = None) -> Any:
        if self._auxiliary is None:
            return inputs
        auxiliary = self._auxiliary.read(time + 1)
        return tf.concat([inputs, auxiliary if chosen is None else tf.boolean_mask(auxiliary, chosen)], -1)


def _probability(value: Any) -> Any:
    probability = tf.convert_to_tensor(value, name="sampling_probability")
    if probability.shape.ndims not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. saw shape: {}".format(probability.shape)
        )
    return probability


def _bernoulli(probability: Any, batch_size: Any, seed: Optional[int]) -> Any:
    """Returns bool [batch]."""
    if probability.shape.ndims == 0:
        return tf.random_uniform([batch_size], seed=seed, dtype=probability.dtype) < probability
    # With a probability for each sequence, TensorFlow 1.x draws a square and fails for it: one draw each is meant.
    return tf.random_uniform(tf.shape(probability), seed=seed, dtype=probability.dtype) < probability


def _merged(chosen: Any, of_chosen: Any, others: Any) -> Any:
    """Returns `others` [batch, ...] with the rows where `chosen` holds replaced by `of_chosen`, in their order."""
    shape = tf.shape(others)
    here, there = [tf.cast(tf.where(which), tf.int32) for which in (chosen, tf.logical_not(chosen))]
    merged = tf.scatter_nd(here, of_chosen, shape) + tf.scatter_nd(there, tf.gather_nd(others, there), shape)
    merged.set_shape(others.shape)
    return merged
