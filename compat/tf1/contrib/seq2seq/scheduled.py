"""Helpers of tf.contrib.seq2seq for scheduled sampling (https://arxiv.org/abs/1506.03099)."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.seq2seq.helpers import (
    TrainingHelper,
    categorical_sample,
    embedding_function,
    unstack_to_array,
)
from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import tf


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Training helper whose next input is, with a probability, the embedding of an id sampled from the outputs.

    Args:
      inputs: as in TrainingHelper, and `sequence_length` too.
      embedding: a matrix [vocab_size, depth], or a function of ids.
      sampling_probability: float scalar or [batch].
      scheduling_seed: seed of the choice between sampling and the given inputs.

    Raises:
      ValueError: `sampling_probability` is neither a scalar nor a vector.
    """

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
        """Returns sampled ids [batch], -1 for sequences that read their given input."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
            is_sampled = _bernoulli(self._sampling_probability, self.batch_size, self._scheduling_seed)
            sampled_ids = categorical_sample(outputs, seed=self._seed)
            return tf.where(is_sampled, sampled_ids, tf.fill([self.batch_size], -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Optional[str] = None, **unused: Any
    ) -> Tuple[Any, Any, Any]:
        """Returns the embedding of the sampled ids, and the given inputs where `sample_ids` is -1."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, sample_ids]):
            finished, base_inputs, state = super().next_inputs(time, outputs, state, sample_ids)

            def mix_inputs() -> Any:
                is_sampled = sample_ids > -1
                embedded = self._embedding_fn(tf.boolean_mask(sample_ids, is_sampled))
                return _replace_rows(is_sampled, embedded, base_inputs)

            return finished, tf.cond(tf.reduce_all(finished), lambda: base_inputs, mix_inputs), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Training helper whose next input is, with a probability, the last output.

    Args:
      inputs: as in TrainingHelper, and `sequence_length` too.
      sampling_probability: float scalar or [batch].
      next_inputs_fn: outputs -> next inputs; None: the outputs are the next inputs.
      auxiliary_inputs: [batch, time, n], appended to the inputs in each case.

    Raises:
      ValueError: `sampling_probability` is neither a scalar nor a vector.
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
                self._auxiliary = unstack_to_array(auxiliary if time_major else rnn.transpose_batch_time(auxiliary))
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None, **unused: Any) -> Any:
        """Returns int32 [batch]: 1 for sequences that read their output, 0 for those that read their given input."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs]):
            return tf.cast(_bernoulli(self._sampling_probability, self.batch_size, self._seed), tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Optional[str] = None, **unused: Any
    ) -> Tuple[Any, Any, Any]:
        """Returns the outputs where `sample_ids` is 1, and the given inputs elsewhere."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, sample_ids]):
            finished, base_inputs, state = super().next_inputs(time, outputs, state, sample_ids)
            is_sampled = tf.cast(sample_ids, tf.bool)

            def mix_inputs() -> Any:
                if self._next_inputs_fn is None:
                    return tf.where(is_sampled, self._append_auxiliary_inputs(outputs, time), base_inputs)
                sampled = self._next_inputs_fn(tf.boolean_mask(outputs, is_sampled))
                return _replace_rows(is_sampled, self._append_auxiliary_inputs(sampled, time, is_sampled), base_inputs)

            uses_given_inputs = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(is_sampled)))
            return finished, tf.cond(uses_given_inputs, lambda: base_inputs, mix_inputs), state

    def _append_auxiliary_inputs(self, inputs: Any, time: Any, is_sampled: Any = None) -> Any:
        if self._auxiliary is None:
            return inputs
        auxiliary = self._auxiliary.read(time + 1)
        return tf.concat([inputs, auxiliary if is_sampled is None else tf.boolean_mask(auxiliary, is_sampled)], -1)


def _probability(value: Any) -> Any:
    probability = tf.convert_to_tensor(value, name="sampling_probability")
    if probability.shape.ndims not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. saw shape: {}".format(probability.shape)
        )
    return probability


def _bernoulli(probability: Any, batch_size: Any, seed: Optional[int]) -> Any:
    """Samples bool [batch]."""
    if probability.shape.ndims == 0:
        return tf.random_uniform([batch_size], seed=seed, dtype=probability.dtype) < probability
    # Where TensorFlow 1.x gets a probability for each sequence, it samples [batch, batch] and fails.
    return tf.random_uniform(tf.shape(probability), seed=seed, dtype=probability.dtype) < probability


def _replace_rows(is_sampled: Any, sampled_rows: Any, others: Any) -> Any:
    """Returns `others` [batch, ...] with `sampled_rows` in place of the rows where `is_sampled` is true."""
    shape = tf.shape(others)
    sampled, kept = [tf.cast(tf.where(mask), tf.int32) for mask in (is_sampled, tf.logical_not(is_sampled))]
    merged = tf.scatter_nd(sampled, sampled_rows, shape) + tf.scatter_nd(kept, tf.gather_nd(others, kept), shape)
    merged.set_shape(others.shape)
    return merged
