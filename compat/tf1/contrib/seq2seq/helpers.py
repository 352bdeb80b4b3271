"""Helpers of tf.contrib.seq2seq, which sample ids and return a decoder's next inputs."""
import abc
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import tf


class Helper(abc.ABC):
    """Interface of helpers, which a BasicDecoder calls to sample ids and to get its next inputs."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> Any:
        """The number of sequences in the batch, a scalar tensor."""

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> Any:
        """The shape of the sampled ids, without the batch."""

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> Any:
        """The dtype of the sampled ids."""

    @abc.abstractmethod
    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns (finished: bool [batch], first inputs)."""

    @abc.abstractmethod
    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Returns ids sampled from the outputs of a step."""

    @abc.abstractmethod
    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Tuple[Any, Any, Any]:
        """Returns (finished: bool [batch], next inputs, next state)."""


class ScalarIds(Helper):
    """Base of helpers whose ids are int32 scalars."""

    @property
    def sample_ids_shape(self) -> Any:
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        return tf.int32


class CustomHelper(Helper):
    """Helper made of three functions, called with the arguments of the methods of the same names."""

    def __init__(
        self,
        initialize_fn: Callable[[], Tuple[Any, Any]],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Tuple[Any, Any, Any]],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_ids_dtype

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Calls `initialize_fn`, whose `finished` has the batch size."""
        with tf.name_scope(name, type(self).__name__ + "Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Calls `sample_fn`."""
        with tf.name_scope(name, type(self).__name__ + "Sample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Tuple[Any, Any, Any]:
        """Calls `next_inputs_fn`."""
        with tf.name_scope(name, type(self).__name__ + "NextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(ScalarIds):
    """Helper for training, which returns given inputs.

    Args:
      inputs: [batch, time, ...], or [time, batch, ...] where `time_major` is true.
      sequence_length: int32 [batch].

    Raises:
      ValueError: `sequence_length` is not a vector.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: Optional[str] = None
    ) -> None:
        with tf.name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = tf.convert_to_tensor(inputs, name="inputs")
            self._inputs = inputs
            if not time_major:
                inputs = rnn.transpose_batch_time(inputs)
            self._input_array = unstack_to_array(inputs)
            self._sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but its shape is {}".format(self._sequence_length.shape)
                )
            self._zero_inputs = tf.zeros_like(inputs[0, :])
            self._batch_size = tf.size(sequence_length)

    @property
    def inputs(self) -> Any:
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        return self._sequence_length

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns the inputs of the first step; sequences of length 0 are finished."""
        with tf.name_scope(name, "TrainingHelperInitialize"):
            finished = tf.equal(0, self._sequence_length)
            return finished, self._read(0, finished)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None, **unused: Any) -> Any:
        """Returns the argmax of the outputs, int32 [batch]."""
        with tf.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any = None,
        name: Optional[str] = None,
        **unused: Any
    ) -> Tuple[Any, Any, Any]:
        """Returns the inputs of the next step."""
        with tf.name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            finished = time + 1 >= self._sequence_length
            return finished, self._read(time + 1, finished), state

    def _read(self, time: Any, finished: Any) -> Any:
        # After the last step there is nothing to read; the zeros are not used.
        return tf.cond(tf.reduce_all(finished), lambda: self._zero_inputs, lambda: self._input_array.read(time))


def unstack_to_array(inputs: Any) -> Any:
    """Returns a TensorArray with the steps of `inputs` [time, ...]."""
    array = tf.TensorArray(dtype=inputs.dtype, size=tf.shape(inputs)[0], element_shape=inputs.shape[1:])
    return array.unstack(inputs)


def embedding_function(embedding: Any) -> Callable[[Any], Any]:
    """Returns `embedding` if it is a function of ids; otherwise the lookup in the matrix `embedding`."""
    if callable(embedding):
        return embedding
    return lambda ids: tf.nn.embedding_lookup(embedding, ids)


def categorical_sample(logits: Any, seed: Optional[int] = None) -> Any:
    """Samples an int32 id for each row of `logits` [..., classes] from its softmax."""
    logits = tf.convert_to_tensor(logits, name="logits")
    rows = tf.reshape(logits, [-1, tf.shape(logits)[-1]])
    ids = tf.reshape(tf.multinomial(rows, 1, seed=seed, output_dtype=tf.int32), tf.shape(logits)[:-1])
    ids.set_shape(logits.shape[:-1])
    return ids
