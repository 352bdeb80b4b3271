"""Decoders of tf.contrib.legacy_seq2seq, which run a cell on a list of inputs, one for each time step."""
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat.tf1.core.linear import Linear
from legacy_towers.compat.versions import tf

# (last output, index of the step) -> input of the step
LoopFunction = Callable[[Any, int], Any]


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Optional[LoopFunction] = None, scope: Any = None
) -> Tuple[List[Any], Any]:
    """Runs `cell` once for each of `decoder_inputs`.

    Args:
      decoder_inputs: a list of [batch, n].
      initial_state: the cell's initial state.
      loop_function: (last output, step) -> input, used from the second step on in place of `decoder_inputs`.

    Returns:
      (list of outputs, final state).
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: List[Any] = []
        for step, decoder_input in enumerate(decoder_inputs):
            decoder_input = _next_input(loop_function, outputs, step, decoder_input)
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(decoder_input, state)
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
    """Runs `cell` with attention over `attention_states` (https://arxiv.org/abs/1412.7449).

    Args:
      decoder_inputs: a list of [batch, n].
      initial_state: the cell's initial state.
      attention_states: [batch, length, size].
      output_size: the depth of the outputs; the cell's output size by default.
      num_heads: the number of attention heads.
      loop_function: as in `rnn_decoder`.
      initial_state_attention: whether the first attention is computed from `initial_state`; otherwise it is zero.

    Returns:
      (list of outputs [batch, output_size], final state).

    Raises:
      ValueError: there are no inputs, `num_heads` is less than 1, or a size is unknown.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as variable_scope:
        dtype = variable_scope.dtype
        attention = _Attention(attention_states, num_heads, dtype)
        attentions = attention.zeros(tf.shape(decoder_inputs[0])[0])
        if initial_state_attention:
            attentions = attention(initial_state)
        state = initial_state
        outputs: List[Any] = []
        for step, decoder_input in enumerate(decoder_inputs):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            decoder_input = _next_input(loop_function, outputs, step, decoder_input)
            input_size = tf.dimension_value(decoder_input.shape.with_rank(2)[1])
            if input_size is None:
                raise ValueError("Could not infer input size from input: {}".format(decoder_input.name))
            inputs = [tf.cast(each, dtype) for each in [decoder_input] + attentions]
            cell_output, state = cell(Linear(inputs, input_size, True)(inputs), state)
            # The attention to the initial state has created the attention's variables already.
            reuse = True if step == 0 and initial_state_attention else None
            with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
                attentions = attention(state)
            with tf.variable_scope("AttnOutputProjection"):
                inputs = [tf.cast(cell_output, dtype)] + attentions
                outputs.append(Linear(inputs, output_size or cell.output_size, True)(inputs))
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
    """Runs `rnn_decoder` on the embeddings of symbols.

    Args:
      decoder_inputs: a list of int32 [batch].
      initial_state: the cell's initial state.
      output_projection: (weights [output_size, num_symbols], biases [num_symbols]) for the logits of `feed_previous`;
        None: the outputs are the logits.
      feed_previous: whether each step's input is the argmax symbol of the last output; `decoder_inputs` are then used
        for the first step only.
      update_embedding_for_previous: whether gradients are propagated to the embedding through these symbols.

    Returns:
      (list of outputs, final state).
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder") as variable_scope:
        check_projection(output_projection, num_symbols, variable_scope.dtype)
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
    """Runs `attention_decoder` on the embeddings of symbols.

    The arguments are those of `attention_decoder` and `embedding_rnn_decoder`.
    """
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
    """Returns a loop function that returns the embedding of the argmax symbol of the last output."""

    def loop_function(last: Any, _: int) -> Any:
        if output_projection is not None:
            last = tf.nn.xw_plus_b(last, output_projection[0], output_projection[1])
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(last, 1))
        return embedded if update_embedding else tf.stop_gradient(embedded)

    return loop_function


def check_projection(projection: Any, num_symbols: int, dtype: Any) -> None:
    """Raises ValueError unless `projection` is None or (weights [n, num_symbols], biases [num_symbols])."""
    if projection is None:
        return
    weights, biases = [tf.convert_to_tensor(each, dtype=dtype) for each in projection]
    weights.shape.assert_is_compatible_with([None, num_symbols])
    biases.shape.assert_is_compatible_with([num_symbols])


class _Attention:
    """Attention heads over a set of states.

    Head h has the variables AttnW_h and AttnV_h, and those of the query in the scope Attention_h.
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

    def zeros(self, batch_size: Any) -> List[Any]:
        """Returns zeros [batch, size] for each head."""
        zeros = [tf.zeros(tf.stack([batch_size, self._size]), dtype=self._dtype) for _ in self._heads]
        for each in zeros:
            each.set_shape([None, self._size])
        return zeros

    def __call__(self, query: Any) -> List[Any]:
        """Returns a list with the attention [batch, size] of each head for the cell state `query`."""
        if isinstance(query, (tuple, list)):
            query = tf.concat(tf.nest.flatten(query), 1)
        attentions = []
        for head, (features, score) in enumerate(self._heads):
            with tf.variable_scope("Attention_%d" % head):
                projected = tf.reshape(Linear(query, self._size, True)(query), [-1, 1, 1, self._size])
                scores = tf.reduce_sum(score * tf.tanh(features + tf.cast(projected, self._dtype)), [2, 3])
                weights = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
                context = tf.reduce_sum(tf.reshape(weights, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
                attentions.append(tf.reshape(context, [-1, self._size]))
        return attentions


def _next_input(loop_function: Optional[LoopFunction], outputs: List[Any], step: int, decoder_input: Any) -> Any:
    if loop_function is None or not outputs:
        return decoder_input
    with tf.variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], step)
