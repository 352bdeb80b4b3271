"""Decoders of tf.contrib.legacy_seq2seq: networks that read a list of inputs, one for each step."""
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn.linear import Linear

# (last output, number of the step) -> the step's input
LoopFunction = Callable[[Any, int], Any]


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Optional[LoopFunction] = None, scope: Any = None
) -> Tuple[List[Any], Any]:
    """Runs `cell` once for each of `decoder_inputs` [batch, n].

    Args:
      loop_function: gives the inputs from the second on, of the last output; the given ones are not read then.

    Returns:
      (outputs, the last state).
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: List[Any] = []
        for step, given in enumerate(decoder_inputs):
            given = _next_input(loop_function, outputs, step, given)
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def attention_decoder(
    decoder_inputs: List[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: Optional[int] = None,
    num_heads: int = 1,
    loop_function: Optional[LoopFunction] = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Tuple[List[Any], Any]:
    """Runs `cell` with attention to `attention_states` [batch, length, size] (https://arxiv.org/abs/1412.7449).

    Args:
      num_heads: how many attentions there are; each reads all states.
      initial_state_attention: the first step attends by the initial state, not to nothing.

    Returns:
      (outputs [batch, output_size], the last state).
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        dtype = opened.dtype
        attention = _Attention(attention_states, num_heads, dtype)
        attended = attention.nothing(tf.shape(decoder_inputs[0])[0])
        if initial_state_attention:
            attended = attention(initial_state)
        state = initial_state
        outputs: List[Any] = []
        for step, given in enumerate(decoder_inputs):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            given = _next_input(loop_function, outputs, step, given)
            input_size = tf.dimension_value(given.shape.with_rank(2)[1])
            if input_size is None:
                raise ValueError("Could not infer input size from input: {}".format(given.name))
            read = [tf.cast(each, dtype) for each in [given] + attended]
            cell_output, state = cell(Linear(read, input_size, True)(read), state)
            # The weights of an attention to the initial state are there already in the first step.
            reuse = True if step == 0 and initial_state_attention else None
            with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
                attended = attention(state)
            with tf.variable_scope("AttnOutputProjection"):
                read = [tf.cast(cell_output, dtype)] + attended
                outputs.append(Linear(read, output_size or cell.output_size, True)(read))
    return outputs, state


def embedding_rnn_decoder(
    decoder_inputs: List[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """`rnn_decoder` of symbols [batch]; with `feed_previous` each step reads the best symbol of the one before.

    Args:
      output_projection: (weights [output_size, num_symbols], biases) that make scores of symbols from outputs.
      update_embedding_for_previous: whether gradients reach the embedding of symbols that were fed back.
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder") as opened:
        check_projection(output_projection, num_symbols, opened.dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
        embedded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop if feed_previous else None)


def embedding_attention_decoder(
    decoder_inputs: List[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Tuple[List[Any], Any]:
    """`attention_decoder` of symbols [batch]; the arguments are those of `embedding_rnn_decoder`."""
    if output_projection is not None:
        biases = tf.convert_to_tensor(output_projection[1], dtype=dtype)
        biases.shape.assert_is_compatible_with([num_symbols])
    with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
        return attention_decoder(
            [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=cell.output_size if output_size is None else output_size,
            num_heads=num_heads,
            loop_function=loop if feed_previous else None,
            initial_state_attention=initial_state_attention,
        )


def extract_argmax_and_embed(
    embedding: Any, output_projection: Any = None, update_embedding: bool = True
) -> LoopFunction:
    """Returns the loop function that feeds back the embedding of the best symbol of the last output."""

    def loop_function(last: Any, _: int) -> Any:
        if output_projection is not None:
            last = tf.nn.xw_plus_b(last, output_projection[0], output_projection[1])
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(last, 1))
        return embedded if update_embedding else tf.stop_gradient(embedded)

    return loop_function


def check_projection(projection: Any, num_symbols: int, dtype: Any) -> None:
    """Raises ValueError unless `projection` is None or (weights, biases) for `num_symbols` symbols."""
    if projection is None:
        return
    weights, biases = [tf.convert_to_tensor(each, dtype=dtype) for each in projection]
    weights.shape.assert_is_compatible_with([None, num_symbols])
    biases.shape.assert_is_compatible_with([num_symbols])


class _Attention(object):
    """Attentions of several heads to one set of states.

    Variables of head h: AttnW_h and AttnV_h, and those of the query below Attention_h.
    """

    def __init__(self, states: Any, num_heads: int, dtype: Any) -> None:
        self._size = tf.dimension_value(states.shape[2])
        if self._size is None:
            raise ValueError("Shape[2] of attention_states must be known: {}".format(states.shape))
        self._length = tf.dimension_value(states.shape[1]) or tf.shape(states)[1]
        self._hidden = tf.reshape(states, [-1, self._length, 1, self._size])
        self._dtype = dtype
        self._heads = []
        for head in range(num_heads):
            kernel = tf.get_variable("AttnW_%d" % head, [1, 1, self._size, self._size], dtype=dtype)
            features = tf.nn.conv2d(self._hidden, kernel, [1, 1, 1, 1], "SAME")
            self._heads.append((features, tf.get_variable("AttnV_%d" % head, [self._size], dtype=dtype)))

    def nothing(self, batch_size: Any) -> List[Any]:
        """Returns zeros [batch, size] for each head."""
        zeros = [tf.zeros(tf.stack([batch_size, self._size]), dtype=self._dtype) for _ in self._heads]
        for each in zeros:
            each.set_shape([None, self._size])
        return zeros

    def __call__(self, query: Any) -> List[Any]:
        """Returns what each head reads [batch, size] for the state `query` of a cell."""
        if isinstance(query, (tuple, list)):
            query = tf.concat(tf.nest.flatten(query), 1)
        read = []
        for head, (features, score) in enumerate(self._heads):
            with tf.variable_scope("Attention_%d" % head):
                mapped = tf.reshape(Linear(query, self._size, True)(query), [-1, 1, 1, self._size])
                scores = tf.reduce_sum(score * tf.tanh(features + tf.cast(mapped, self._dtype)), [2, 3])
                weights = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
                summed = tf.reduce_sum(tf.reshape(weights, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
                read.append(tf.reshape(summed, [-1, self._size]))
        return read


def _next_input(loop_function: Optional[LoopFunction], outputs: List[Any], step: int, given: Any) -> Any:
    if loop_function is None or not outputs:
        return given
    with tf.variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], step)
