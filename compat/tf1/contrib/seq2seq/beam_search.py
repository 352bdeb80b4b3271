"""BeamSearchDecoder of tf.contrib.seq2seq."""
import collections
from typing import Any, Callable, Optional, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.seq2seq import beam_scores
from legacy_towers.compat.tf1.contrib.seq2seq.beams import gather_beams, gather_tree, gather_tree_from_array
from legacy_towers.compat.tf1.contrib.seq2seq.decoding import Decoder, layer_output_size
from legacy_towers.compat.tf1.contrib.seq2seq.helpers import embedding_function
from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import tf


class BeamSearchDecoderState(
    collections.namedtuple(
        "BeamSearchDecoderState", ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs")
    )
):
    """The state of the search; all tensors are [batch, beam, ...]."""


class BeamSearchDecoderOutput(
    collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))
):
    """The scores, ids and parent beams of one step, each [batch, beam]."""


class FinalBeamSearchDecoderOutput(
    collections.namedtuple("FinalBeamDecoderOutput", ["predicted_ids", "beam_search_decoder_output"])
):
    """The ids of the final beams [batch, time, beam], the best beam first, and the outputs of all steps."""


class BeamSearchDecoder(Decoder):
    """Decoder that searches for the most likely sequences with a beam search. It has no gradient.

    Args:
      cell: an RNNCell. Tile its attention memory with `tile_batch`, as well as `initial_state`.
      embedding: a matrix [vocab_size, depth], or a function of ids.
      start_tokens: int32 [batch].
      end_token: int32 scalar.
      output_layer: a layer that maps the cell's outputs to logits.
      length_penalty_weight: 0 disables the penalty.
      coverage_penalty_weight: 0 disables the penalty.
      reorder_tensor_arrays: whether TensorArrays in the cell's state, such as an alignment history, are reordered to
        match the final beams.

    Raises:
      TypeError: `output_layer` is not a layer.
      ValueError: `start_tokens` is not a vector, or `end_token` not a scalar.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: Any = 0.0,
        coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        rnn.assert_like_rnncell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, tf.keras.layers.Layer):
            raise TypeError("output_layer must be a Layer, received: {}".format(type(output_layer)))
        self._cell = cell
        self._output_layer = output_layer
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._embedding_fn = embedding_function(embedding)
        start = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        if start.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(start)
        self._initial_cell_state = self._map_state(self._split, initial_state, 1)
        self._start_tokens = tf.tile(tf.expand_dims(start, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams are reordered in each step."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        beams = tf.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(beams, beams, beams)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        size = layer_output_size(self._cell.output_size, self._output_layer)
        scores = tf.nest.map_structure(lambda _: dtype, size)
        return BeamSearchDecoderOutput(scores, tf.int32, tf.int32)

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, BeamSearchDecoderState]:
        """Returns (finished, inputs, state); only the first beam of each batch element can be continued."""
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        first = tf.zeros([self._batch_size], dtype=tf.int32)
        finished = tf.one_hot(first, self._beam_width, on_value=False, off_value=True, dtype=tf.bool)
        impossible = tf.constant(-np.inf, dtype)
        attention = beam_scores.get_attention_probs(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=tf.one_hot(first, self._beam_width, tf.constant(0.0, dtype), impossible, dtype=dtype),
            finished=finished,
            lengths=tf.zeros([self._batch_size, self._beam_width], dtype=tf.int64),
            accumulated_attention_probs=() if attention is None else attention,
        )
        return finished, self._start_inputs, state

    def step(
        self, time: Any, inputs: Any, state: BeamSearchDecoderState, name: Optional[str] = None
    ) -> Tuple[BeamSearchDecoderOutput, BeamSearchDecoderState, Any, Any]:
        """Runs the cell on all beams and keeps the best continuations."""
        with tf.name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            merged = tf.nest.map_structure(lambda each: self._merge(each, each.shape[2:]), inputs)
            outputs, cell_state = self._cell(merged, self._map_state(self._merge, state.cell_state, 2))
            outputs = tf.nest.map_structure(lambda each: self._split(each, each.shape[1:]), outputs)
            cell_state = self._map_state(self._split, cell_state, 1)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, state = self._search(outputs, cell_state, state)
            next_inputs = tf.cond(
                tf.reduce_all(state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, state, next_inputs, state.finished

    def finalize(
        self, outputs: BeamSearchDecoderOutput, final_state: BeamSearchDecoderState, sequence_lengths: Any
    ) -> Tuple[FinalBeamSearchDecoderOutput, BeamSearchDecoderState]:
        """Follows the parents of the final beams and returns (outputs, state)."""
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder_tensor_arrays:
            cell_state = tf.nest.map_structure(
                lambda part: self._sort_by_beam(part, outputs.parent_ids, final_state.lengths), final_state.cell_state
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _search(
        self, logits: Any, cell_state: Any, state: BeamSearchDecoderState
    ) -> Tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        batch, beams, vocab_size = self._batch_size, self._beam_width, tf.dimension_value(logits.shape[-1])
        vocab_size = tf.shape(logits)[-1] if vocab_size is None else vocab_size
        not_finished = tf.logical_not(state.finished)
        step_log_probs = beam_scores.mask_finished(tf.nn.log_softmax(logits), self._end_token, state.finished)
        log_probs = tf.expand_dims(state.log_probs, 2) + step_log_probs
        # Neither the end token nor the tokens of finished beams add to a length.
        not_end = tf.one_hot(
            tf.fill([batch, beams], self._end_token),
            vocab_size,
            on_value=tf.constant(0, tf.int64),
            off_value=tf.constant(1, tf.int64),
            dtype=tf.int64,
        )
        lengths = tf.expand_dims(state.lengths, 2) + not_end * tf.expand_dims(tf.cast(not_finished, tf.int64), 2)
        attended = beam_scores.get_attention_probs(cell_state, self._coverage_penalty_weight)
        if attended is not None:
            attended *= tf.expand_dims(tf.cast(not_finished, tf.float32), 2)
            attended = state.accumulated_attention_probs + attended
        scores = beam_scores.get_scores(
            log_probs,
            lengths,
            self._length_penalty_weight,
            self._coverage_penalty_weight,
            state.finished,
            attended,
        )
        best, flat_ids = tf.nn.top_k(tf.reshape(scores, [batch, -1]), k=beams)
        for tensor in (best, flat_ids):
            tensor.set_shape([tf.get_static_value(batch), beams])
        word_ids, parents = tf.floormod(flat_ids, vocab_size), tf.floordiv(flat_ids, vocab_size)
        finished = gather_beams(parents, state.finished, batch, beams, [-1])
        next_state = BeamSearchDecoderState(
            cell_state=self._gather_parents(parents, cell_state),
            log_probs=gather_beams(flat_ids, log_probs, batch, beams * vocab_size, [-1]),
            lengths=gather_beams(parents, state.lengths, batch, beams, [-1])
            + tf.cast(tf.logical_not(finished), tf.int64),
            finished=tf.logical_or(finished, tf.equal(word_ids, self._end_token)),
            accumulated_attention_probs=() if attended is None else self._gather_parents(parents, attended),
        )
        return BeamSearchDecoderOutput(best, word_ids, parents), next_state

    def _gather_parents(self, parents: Any, structure: Any) -> Any:
        batch, beams = self._batch_size, self._beam_width

        def gather(part: Any) -> Any:
            if isinstance(part, tf.TensorArray) or part.shape.ndims < 2:
                return part
            return gather_beams(parents, part, batch, beams, [batch * beams, -1])

        return tf.nest.map_structure(gather, structure)

    def _map_state(self, function: Callable[[Any, Any], Any], state: Any, min_rank: int) -> Any:
        """Applies `function(tensor, size)` to the tensors of a cell's state that have a batch dimension."""

        def apply(part: Any, size: Any) -> Any:
            if isinstance(part, tf.TensorArray):
                return part
            if part.shape.ndims is None:
                raise ValueError("Expected tensor ({}) to have known rank, but ndims == None.".format(part))
            return function(part, size) if part.shape.ndims >= min_rank else part

        return tf.nest.map_structure(apply, state, self._cell.state_size)

    def _merge(self, t: Any, size: Any) -> Any:
        """Reshapes [batch, beam, ...] to [batch * beam, ...]."""
        merged = tf.reshape(t, tf.concat([[self._batch_size * self._beam_width], tf.shape(t)[2:]], 0))
        batch = tf.get_static_value(self._batch_size)
        static_batch = tf.TensorShape([None if batch is None else batch * self._beam_width])
        merged.set_shape(static_batch.concatenate(_static(size)))
        return merged

    def _split(self, t: Any, size: Any) -> Any:
        """Reshapes [batch * beam, ...] to [batch, beam, ...]."""
        split = tf.reshape(t, tf.concat([[self._batch_size, self._beam_width], tf.shape(t)[1:]], 0))
        expected = tf.TensorShape([tf.get_static_value(self._batch_size), self._beam_width]).concatenate(_static(size))
        if not split.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                "{}.  We expected it to have shape (batch_size, beam_width, depth) == {}.  Perhaps you forgot to "
                "create a zero_state with batch_size=encoder_batch_size * beam_width?".format(split.shape, expected)
            )
        split.set_shape(expected)
        return split

    def _sort_by_beam(self, part: Any, parent_ids: Any, lengths: Any) -> Any:
        if not isinstance(part, tf.TensorArray):
            return part
        shape = part.element_shape
        batch, beams = tf.get_static_value(self._batch_size), self._beam_width
        if shape.ndims is None or shape.ndims < 1 or not _has_beam_shape(shape, batch, beams):
            tf.logging.warn(
                "A TensorArray in the cell state, with elements of shape %s, is not reordered by beam: its elements "
                "must have the shape [batch_size * beam_width, ...] or [batch_size, beam_width, ...].",
                shape,
            )
            return part
        return gather_tree_from_array(part.stack(), parent_ids, lengths)


def _has_beam_shape(shape: Any, batch: Optional[int], beams: int) -> bool:
    first = tf.dimension_value(shape[0])
    if batch is None or first is None or first == batch * beams:
        return True
    second = tf.dimension_value(shape[1]) if shape.ndims >= 2 else None
    return first == batch and second in (None, beams)


def _static(size: Any) -> Any:
    return tf.TensorShape(tf.get_static_value(size) if tf.is_tensor(size) else size)
