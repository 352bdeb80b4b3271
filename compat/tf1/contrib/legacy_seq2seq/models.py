"""Models of tf.contrib.legacy_seq2seq: an encoder and a decoder, unrolled over lists of inputs."""
import copy
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.legacy_seq2seq.decoders import (
    check_projection,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    extract_argmax_and_embed,
    rnn_decoder,
)
from legacy_towers.compat.tf1.contrib.rnn.projections import EmbeddingWrapper, OutputProjectionWrapper
from legacy_towers.compat.versions import tf

# A Python bool, or a boolean scalar tensor.
FeedPrevious = Any
Decoded = Tuple[List[Any], Any]


def basic_rnn_seq2seq(
    encoder_inputs: List[Any], decoder_inputs: List[Any], cell: Any, dtype: Any = tf.float32, scope: Any = None
) -> Decoded:
    """Encodes with a copy of `cell` and decodes with `cell` from the encoder's final state.

    Args:
      encoder_inputs: a list of [batch, n].
      decoder_inputs: a list of [batch, n].

    Returns:
      (list of outputs, final state).
    """
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
    """Builds a model like `basic_rnn_seq2seq` whose encoder and decoder share their variables.

    Args:
      encoder_inputs: a list of [batch, n].
      decoder_inputs: a list of [batch, n].
      loop_function: as in `rnn_decoder`.

    Returns:
      (list of outputs, final state).
    """
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
    """Builds a model like `basic_rnn_seq2seq` on symbols, with separate embeddings for encoder and decoder.

    Args:
      encoder_inputs: a list of int32 [batch].
      decoder_inputs: a list of int32 [batch].
      output_projection: as in `embedding_rnn_decoder`; None: the outputs are projected to `num_decoder_symbols`.
      feed_previous: a bool or a bool scalar tensor; see `embedding_rnn_decoder`.

    Returns:
      (list of outputs, final state).
    """
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as variable_scope:
        if dtype is not None:
            variable_scope.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype or variable_scope.dtype)
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

        return _decode(feed_previous, decode, state, len(decoder_inputs), update_embedding_for_previous=False)


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
    """Builds a model like `tied_rnn_seq2seq` on symbols, with one embedding for encoder and decoder.

    The arguments are like those of `embedding_rnn_seq2seq`. Returns (list of outputs, final state).
    """
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as variable_scope:
        dtype = variable_scope.dtype
        check_projection(output_projection, num_symbols, dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in encoder_inputs]
        decoded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feed: bool, update_embedding: bool = True) -> Decoded:
            loop = extract_argmax_and_embed(embedding, output_projection, update_embedding)
            return tied_rnn_seq2seq(encoded, decoded, cell, loop_function=loop if feed else None, dtype=dtype)

        state_structure = None
        if not isinstance(feed_previous, bool):
            size = tf.dimension_value(encoder_inputs[0].shape[0])
            state_structure = cell.zero_state(tf.shape(encoder_inputs[0])[0] if size is None else size, dtype)
        return _decode(feed_previous, decode, state_structure, len(decoder_inputs), update_embedding=False)


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
    """Builds a model on symbols whose decoder attends to all outputs of the encoder.

    The arguments are like those of `embedding_rnn_seq2seq` and `attention_decoder`. Returns (list of outputs, final
    state).
    """
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as variable_scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=variable_scope.dtype)
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

        return _decode(feed_previous, decode, state, len(decoder_inputs), update_embedding_for_previous=False)


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
    """Builds a model on symbols with one encoder and several decoders.

    Args:
      encoder_inputs: a list of int32 [batch].
      decoder_inputs_dict: decoder name -> list of int32 [batch].
      dec_cells_dict: decoder name -> cell.
      num_decoder_symbols_dict: decoder name -> number of symbols.
      feed_previous: a bool or a bool scalar tensor; see `embedding_rnn_decoder`.

    Returns:
      (decoder name -> list of outputs, decoder name -> final state).

    Raises:
      TypeError: a cell is not an RNNCell.
      ValueError: the dicts have different keys.
    """
    for name, cell in [("enc_cell", enc_cell)] + [("dec_cell", each) for each in dec_cells_dict.values()]:
        if not isinstance(cell, tf.nn.rnn_cell.RNNCell):
            raise TypeError("{} is not an RNNCell: {}".format(name, type(cell)))
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decoder_inputs_dict")
    outputs, states = {}, {}
    with tf.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as variable_scope:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=variable_scope.dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with tf.variable_scope("one2many_decoder_" + str(name)):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(feed: bool, inputs: Any = inputs, cell: Any = cell, symbols: int = symbols) -> Decoded:
                    return embedding_rnn_decoder(inputs, state, cell, symbols, embedding_size, feed_previous=feed)

                outputs[name], states[name] = _decode(feed_previous, decode, state, len(inputs))
    return outputs, states


def _decode(
    feed_previous: FeedPrevious,
    decode: Callable[..., Decoded],
    state_structure: Any,
    length: int,
    **conditional_keywords: Any
) -> Decoded:
    """Returns `decode(feed_previous)`, or a tf.cond of both branches where `feed_previous` is a tensor.

    Args:
      decode: bool -> (outputs, state).
      state_structure: a state with the structure of the final one; used with a tensor.
      length: the number of outputs.
      conditional_keywords: further arguments of `decode`, used with a tensor.
    """
    if isinstance(feed_previous, bool):
        return decode(feed_previous)

    def build_branch(feed: bool) -> List[Any]:
        # The branch for True is built first and creates the variables.
        with tf.variable_scope(tf.get_variable_scope(), reuse=None if feed else True):
            outputs, state = decode(feed, **conditional_keywords)
        return outputs + tf.nest.flatten(state)

    outputs_and_state = tf.cond(feed_previous, lambda: build_branch(True), lambda: build_branch(False))
    return outputs_and_state[:length], tf.nest.pack_sequence_as(state_structure, outputs_and_state[length:])
