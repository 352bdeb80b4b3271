"""Whole models of tf.contrib.legacy_seq2seq: an encoder and a decoder, unrolled over lists of inputs."""
import copy
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.legacy_seq2seq.decoders import (
    check_projection,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    extract_argmax_and_embed,
    rnn_decoder,
)
from legacy_towers.oldtf.contrib.rnn.projections import EmbeddingWrapper, OutputProjectionWrapper

# A Python bool, or a boolean tensor for a choice in each run.
FeedPrevious = Any
Decoded = Tuple[List[Any], Any]


def basic_rnn_seq2seq(
    encoder_inputs: List[Any], decoder_inputs: List[Any], cell: Any, dtype: Any = tf.float32, scope: Any = None
) -> Decoded:
    """Encodes with a copy of `cell`, decodes with it from the last state; returns (outputs, last state)."""
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    cell: Any,
    loop_function: Any = None,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> Decoded:
    """`basic_rnn_seq2seq` with the same variables in encoder and decoder."""
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def embedding_rnn_seq2seq(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: FeedPrevious = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """`basic_rnn_seq2seq` of symbols [batch], with an embedding for each side."""
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype or opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool, **keywords: Any) -> Decoded:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feed,
                **keywords
            )

        return _decoded(feed_previous, decode, state, len(decoder_inputs), update_embedding_for_previous=False)


def embedding_tied_rnn_seq2seq(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: FeedPrevious = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """`tied_rnn_seq2seq` of symbols [batch], with one embedding for both sides."""
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        check_projection(output_projection, num_symbols, dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in encoder_inputs]
        decoded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feed: bool, update_embedding: bool = True) -> Decoded:
            loop = extract_argmax_and_embed(embedding, output_projection, update_embedding)
            return tied_rnn_seq2seq(encoded, decoded, cell, loop_function=loop if feed else None, dtype=dtype)

        like = None
        if not isinstance(feed_previous, bool):
            size = tf.dimension_value(encoder_inputs[0].shape[0])
            like = cell.zero_state(tf.shape(encoder_inputs[0])[0] if size is None else size, dtype)
        return _decoded(feed_previous, decode, like, len(decoder_inputs), update_embedding=False)


def embedding_attention_seq2seq(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: FeedPrevious = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Encodes symbols [batch] and decodes with attention to all outputs of the encoder."""
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        attention_states = tf.concat([tf.reshape(each, [-1, 1, cell.output_size]) for each in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool, **keywords: Any) -> Decoded:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                attention_states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feed,
                initial_state_attention=initial_state_attention,
                **keywords
            )

        return _decoded(feed_previous, decode, state, len(decoder_inputs), update_embedding_for_previous=False)


def one2many_rnn_seq2seq(
    encoder_inputs: List[Any],
    decoder_inputs_dict: Dict[Any, List[Any]],
    enc_cell: Any,
    dec_cells_dict: Dict[Any, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Dict[Any, int],
    embedding_size: int,
    feed_previous: FeedPrevious = False,
    dtype: Any = None,
    scope: Any = None,
) -> Tuple[Dict[Any, List[Any]], Dict[Any, Any]]:
    """One encoder and several decoders, by name; returns (name -> outputs, name -> last state)."""
    for name, cell in [("enc_cell", enc_cell)] + [("dec_cell", each) for each in dec_cells_dict.values()]:
        if not isinstance(cell, tf.nn.rnn_cell.RNNCell):
            raise TypeError("{} is not an RNNCell: {}".format(name, type(cell)))
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decoder_inputs_dict")
    outputs, states = {}, {}
    with tf.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as opened:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with tf.variable_scope("one2many_decoder_" + str(name)):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(feed: bool, inputs: Any = inputs, cell: Any = cell, symbols: int = symbols) -> Decoded:
                    return embedding_rnn_decoder(inputs, state, cell, symbols, embedding_size, feed_previous=feed)

                outputs[name], states[name] = _decoded(feed_previous, decode, state, len(inputs))
    return outputs, states


def _decoded(
    feed_previous: FeedPrevious, decode: Callable[..., Decoded], like: Any, length: int, **when_chosen: Any
) -> Decoded:
    """Decodes the way that `feed_previous` says: decided now by a bool, in each run by a tensor.

    Args:
      decode: called with a bool; with the keywords `when_chosen` too where both ways are built.
      like: a state of the structure that the last one has; read where both ways are built.
      length: outputs of the decoder.
    """
    if isinstance(feed_previous, bool):
        return decode(feed_previous)

    def way(feed: bool) -> List[Any]:
        # The way that feeds back is built first, and makes the variables.
        with tf.variable_scope(tf.get_variable_scope(), reuse=None if feed else True):
            outputs, state = decode(feed, **when_chosen)
        return outputs + tf.nest.flatten(state)

    both = tf.cond(feed_previous, lambda: way(True), lambda: way(False))
    return both[:length], tf.nest.pack_sequence_as(like, both[length:])
