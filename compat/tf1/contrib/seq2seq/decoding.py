"""Decoder, BasicDecoder and dynamic_decode of tf.contrib.seq2seq."""
import abc
import collections
from typing import Any, Optional, Tuple

from legacy_towers.compat.tf1.contrib.seq2seq.helpers import Helper
from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import keras_modules, tf


class Decoder(abc.ABC):
    """Interface of decoders, which `dynamic_decode` runs step by step."""

    @property
    def batch_size(self) -> Any:
        """The number of sequences in the batch."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The structure of a step's outputs, with their sizes or their shapes without the batch."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The structure of a step's outputs, with their dtypes."""
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, Any]:
        """Returns (finished: bool [batch], first inputs, initial state)."""

    @abc.abstractmethod
    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Tuple[Any, Any, Any, Any]:
        """Returns (outputs, next state, next inputs, finished: bool [batch])."""

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Tuple[Any, Any]:
        """Returns the outputs and the state that `dynamic_decode` returns; optional."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` returns the finished state of all sequences: a beam search reorders its beams."""
        return False


class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """The cell's outputs and the ids that the helper sampled."""


class BasicDecoder(Decoder):
    """Decoder whose helper samples ids and returns the next inputs.

    Args:
      cell: an RNNCell.
      helper: a Helper.
      initial_state: the cell's initial state.
      output_layer: a layer applied to the cell's outputs before sampling, such as tf.layers.Dense.

    Raises:
      TypeError: an argument has the wrong type.
    """

    def __init__(self, cell: Any, helper: Helper, initial_state: Any, output_layer: Any = None) -> None:
        rnn.assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError("helper must be a Helper, received: {}".format(type(helper)))
        if output_layer is not None and not isinstance(output_layer, tf.keras.layers.Layer):
            raise TypeError("output_layer must be a Layer, received: {}".format(type(output_layer)))
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        size = layer_output_size(self._cell.output_size, self._output_layer)
        return BasicDecoderOutput(rnn_output=size, sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        outputs = tf.nest.map_structure(lambda _: dtype, self.output_size.rnn_output)
        return BasicDecoderOutput(outputs, self._helper.sample_ids_dtype)

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, Any]:
        """Returns (finished, first inputs, initial state)."""
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Tuple[Any, Any, Any, Any]:
        """Runs the cell; the helper samples ids and returns the next inputs."""
        with tf.name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, next_inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, next_inputs, finished


def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any
) -> Tuple[Any, Any, Any]:
    """Runs `decoder` until all sequences are finished.

    Args:
      output_time_major: whether outputs are [time, batch, ...] instead of [batch, time, ...].
      impute_finished: whether finished sequences keep their state and output zeros.
      maximum_iterations: an int or an int32 scalar, the maximum number of steps.

    Returns:
      (outputs, final state, lengths of the sequences: int32 [batch]).

    Raises:
      TypeError: `decoder` is not a Decoder.
      ValueError: `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError("Expected decoder to be type Decoder, but saw: {}".format(type(decoder)))
    if kwargs:
        raise TypeError("dynamic_decode has no argument {}".format(", ".join(sorted(kwargs))))
    with tf.variable_scope(scope, "decoder") as opened:
        rnn.cache_variables_of_loop(opened)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, dtype=tf.int32, name="maximum_iterations")
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, 0 >= maximum_iterations)
        loop = _Loop(decoder, impute_finished)
        loop_vars = (
            tf.constant(0, dtype=tf.int32),
            loop.empty_outputs(),
            state,
            inputs,
            finished,
            tf.zeros_like(finished, dtype=tf.int32),
        )
        final_vars = tf.while_loop(
            lambda *values: tf.logical_not(tf.reduce_all(values[4])),
            loop.step,
            loop_vars=loop_vars,
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), final_vars[1])
        state, lengths = final_vars[2], final_vars[5]
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = tf.nest.map_structure(rnn.transpose_batch_time, outputs)
    return outputs, state, lengths


def layer_output_size(size: Any, layer: Any) -> Any:
    """Returns the shapes, without the batch, of `layer` applied to outputs of `size`; `size` if `layer` is None."""
    if layer is None:
        return size
    shapes = tf.nest.map_structure(lambda each: tf.TensorShape([None]).concatenate(each), size)
    return tf.nest.map_structure(lambda each: tf.TensorShape(each)[1:], layer.compute_output_shape(shapes))


def create_zero_outputs(size: Any, dtype: Any, batch_size: Any) -> Any:
    """Returns zeros for the outputs of one step, in the structure of `size` and `dtype`."""
    zeros = keras_modules.cells_module()._zero_state_tensors
    return tf.nest.map_structure(lambda each, of: zeros(each, batch_size, of), size, dtype)


class _Loop:
    """The body of the while loop of `dynamic_decode`."""

    def __init__(self, decoder: Decoder, impute_finished: bool) -> None:
        self._decoder = decoder
        self._impute_finished = impute_finished
        self._zero_outputs = create_zero_outputs(decoder.output_size, decoder.output_dtype, decoder.batch_size)

    def empty_outputs(self) -> Any:
        """Returns an empty TensorArray for each output."""

        def array(size: Any, dtype: Any) -> Any:
            shape = None
            if isinstance(size, tf.TensorShape) and size.ndims != 0:
                batch_size = tf.get_static_value(tf.convert_to_tensor(self._decoder.batch_size))
                shape = tf.TensorShape([batch_size]).concatenate(size)
            return tf.TensorArray(dtype=dtype, size=0, dynamic_size=True, element_shape=shape)

        return tf.nest.map_structure(array, self._decoder.output_size, self._decoder.output_dtype)

    def step(self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Tuple[Any, ...]:
        """Returns the loop variables after one more step."""
        outputs, next_state, next_inputs, next_finished = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            next_finished = tf.logical_or(next_finished, finished)
        lengths = tf.where(tf.logical_not(finished), tf.fill(tf.shape(lengths), time + 1), lengths)
        for before, after in ((state, next_state), (arrays, outputs), (inputs, next_inputs)):
            tf.nest.assert_same_structure(before, after)
        if self._impute_finished:
            outputs = tf.nest.map_structure(
                lambda output, zero: tf.where(finished, zero, output), outputs, self._zero_outputs
            )
            next_state = tf.nest.map_structure(
                lambda new, old: self._keep_if_finished(finished, new, old), next_state, state
            )
        arrays = tf.nest.map_structure(lambda array, output: array.write(time, output), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, next_finished, lengths

    @staticmethod
    def _keep_if_finished(finished: Any, new: Any, old: Any) -> Any:
        if isinstance(old, tf.TensorArray):
            return new
        new.set_shape(old.shape)
        return new if new.shape.ndims == 0 else tf.where(finished, old, new)
