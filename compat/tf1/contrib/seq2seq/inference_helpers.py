"""Helpers for inference, which return a decoder's outputs as its next inputs."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.seq2seq.helpers import Helper, ScalarIds, categorical_sample, embedding_function
from legacy_towers.compat.versions import tf


class GreedyEmbeddingHelper(ScalarIds):
    """Helper for inference whose next input is the embedding of the argmax of the outputs.

    Args:
      embedding: a matrix [vocab_size, depth], or a function of ids.
      start_tokens: int32 [batch].
      end_token: int32 scalar, the id that ends a sequence.

    Raises:
      ValueError: `start_tokens` is not a vector, or `end_token` not a scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns the embedding of the start tokens as the first inputs."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Returns the argmax of the outputs, int32 [batch]."""
        return tf.argmax(_check_tensor(outputs), axis=-1, output_type=tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Tuple[Any, Any, Any]:
        """Returns the embedding of `sample_ids` as the next inputs."""
        finished = tf.equal(sample_ids, self._end_token)
        next_inputs = tf.cond(
            tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids)
        )
        return finished, next_inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Helper for inference whose next input is the embedding of an id sampled from the outputs.

    Args:
      embedding: as in GreedyEmbeddingHelper, and `start_tokens` and `end_token` too.
      softmax_temperature: the outputs, logits, are divided by it; None: 1.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: Optional[int] = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Returns ids sampled from the softmax of the outputs, int32 [batch]."""
        logits = _check_tensor(outputs)
        if self._softmax_temperature is not None:
            logits = logits / self._softmax_temperature
        return categorical_sample(logits, seed=self._seed)


class InferenceHelper(Helper):
    """Helper for inference whose next input is a sample, or `next_inputs_fn` of it.

    Args:
      sample_fn: outputs -> samples.
      sample_shape: the samples' shape without the batch.
      sample_dtype: the samples' dtype.
      start_inputs: [batch, ...], the first inputs.
      end_fn: samples -> finished: bool [batch].
      next_inputs_fn: samples -> next inputs; None: the samples are the next inputs.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = tf.TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = tf.shape(start_inputs)[0]
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_dtype

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns `start_inputs` as the first inputs."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Calls `sample_fn`."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Tuple[Any, Any, Any]:
        """Returns the next inputs; `end_fn` determines which sequences are finished."""
        next_inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), next_inputs, state


def _check_tensor(outputs: Any) -> Any:
    if not tf.is_tensor(outputs):
        raise TypeError("Expected outputs to be a single Tensor, got: {}".format(type(outputs)))
    return outputs
