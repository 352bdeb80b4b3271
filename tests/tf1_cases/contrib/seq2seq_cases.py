"""Cases of tf.contrib.seq2seq; see recorded_cases.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.seq2seq_cases
"""
import numpy as np
from tf1_cases.recorded_cases import module, values

BATCH, SOURCE, TARGET, WIDTH, WORDS = 3, 5, 4, 6, 7
LENGTHS = [4, 2, 3]
MEMORY_LENGTHS = [5, 2, 3]


def _targets(tf):
    return tf.constant(values((BATCH, TARGET, WIDTH), "targets"))


def _memory(tf):
    return tf.placeholder_with_default(values((BATCH, SOURCE, WIDTH), "memory"), [None, None, WIDTH])


def _tokens(shape, name):
    return (np.abs(values(shape, name)) * WORDS).astype(np.int32)


def _leaves(tf, structure):
    found = []
    for each in tf.contrib.framework.nest.flatten(structure):
        found.append(each.stack() if isinstance(each, tf.TensorArray) else each)
    return found


def _found(tf, result):
    outputs, state, lengths = result
    found = {"output%d" % i: each for i, each in enumerate(_leaves(tf, outputs))}
    found.update(("state%d" % i, each) for i, each in enumerate(_leaves(tf, state)))
    found["lengths"] = lengths
    return found


def _projection(tf):
    return module("tensorflow.python.layers.core").Dense(WORDS, use_bias=False, name="projection")


def _teacher_forced(tf, cell, state=None, layer=None, **keywords):
    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.TrainingHelper(_targets(tf), tf.constant(LENGTHS))
    state = cell.zero_state(BATCH, tf.float32) if state is None else state
    decoder = seq2seq.BasicDecoder(cell, helper, state, output_layer=layer)
    return _found(tf, seq2seq.dynamic_decode(decoder, **keywords))


def training(tf):
    return _teacher_forced(tf, tf.contrib.rnn.BasicLSTMCell(4), layer=_projection(tf))


def training_imputed(tf):
    cell = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.GRUCell(4) for _ in range(2)])
    return _teacher_forced(tf, cell, impute_finished=True, output_time_major=True, scope="decode", swap_memory=True)


def training_cut(tf):
    return _teacher_forced(tf, tf.contrib.rnn.GRUCell(4), maximum_iterations=tf.constant(2))


def _attention(make, layer_size=5, **keywords):
    def case(tf):
        seq2seq = tf.contrib.seq2seq
        mechanism = make(seq2seq, _memory(tf), tf.constant(MEMORY_LENGTHS))
        cell = seq2seq.AttentionWrapper(
            tf.contrib.rnn.LSTMCell(4), mechanism, attention_layer_size=layer_size, **keywords
        )
        return _teacher_forced(tf, cell, layer=_projection(tf), impute_finished=True)

    return case


ATTENTIONS = {
    "luong": _attention(lambda s, memory, lengths: s.LuongAttention(4, memory, lengths)),
    "luong_scaled": _attention(
        lambda s, memory, lengths: s.LuongAttention(4, memory, lengths, scale=True), alignment_history=True
    ),
    "luong_no_length": _attention(lambda s, memory, _: s.LuongAttention(4, memory), None, name="attention"),
    "bahdanau": _attention(lambda s, memory, lengths: s.BahdanauAttention(3, memory, lengths), output_attention=False),
    "bahdanau_normed": _attention(
        lambda s, memory, lengths: s.BahdanauAttention(num_units=3, memory=memory, memory_sequence_length=lengths,
                                                       normalize=True, name="NormedBahdanau"),
        alignment_history=True,
    ),
    "bahdanau_hard": _attention(
        lambda s, memory, lengths: s.BahdanauAttention(3, memory, lengths, probability_fn=s.hardmax)
    ),
    "luong_monotonic": _attention(lambda s, memory, lengths: s.LuongMonotonicAttention(4, memory, lengths, scale=True)),
    "bahdanau_monotonic": _attention(
        lambda s, memory, lengths: s.BahdanauMonotonicAttention(
            3, memory, lengths, normalize=True, mode="recursive", score_bias_init=0.5
        )
    ),
    "bahdanau_monotonic_hard": _attention(
        lambda s, memory, lengths: s.BahdanauMonotonicAttention(3, memory, lengths, mode="hard", score_mask_value=-9.0)
    ),
    "two": _attention(
        lambda s, memory, lengths: [s.LuongAttention(4, memory, lengths), s.BahdanauAttention(3, memory, lengths)],
        [3, 2], alignment_history=True,
    ),
    "own_input": _attention(
        lambda s, memory, lengths: s.LuongAttention(4, memory, lengths),
        cell_input_fn=lambda inputs, attention: inputs * 2.0,
    ),
}


def attention_over_encoder(tf):
    """The encoder and the decoder of the NMT tutorial."""
    seq2seq, rnn = tf.contrib.seq2seq, tf.contrib.rnn
    with tf.variable_scope("encoder"):
        cells = [rnn.BasicLSTMCell(4) for _ in range(2)]
        outputs, states = tf.nn.bidirectional_dynamic_rnn(
            cells[0], cells[1], _memory(tf), sequence_length=MEMORY_LENGTHS, dtype=tf.float32
        )
    with tf.variable_scope("decoder") as scope:
        mechanism = seq2seq.LuongAttention(4, tf.concat(outputs, -1), tf.constant(MEMORY_LENGTHS), scale=True)
        cell = rnn.MultiRNNCell([rnn.DropoutWrapper(rnn.BasicLSTMCell(4), input_keep_prob=1.0) for _ in range(2)])
        cell = rnn.DeviceWrapper(seq2seq.AttentionWrapper(cell, mechanism, 4, name="attention"), "/cpu:0")
        state = cell.zero_state(BATCH, tf.float32).clone(cell_state=states)
        helper = seq2seq.TrainingHelper(tf.transpose(_targets(tf), [1, 0, 2]), tf.constant(LENGTHS), time_major=True)
        result = seq2seq.dynamic_decode(
            seq2seq.BasicDecoder(cell, helper, state), output_time_major=True, swap_memory=True, scope=scope
        )
    return _found(tf, result)


def attention_by_state(tf):
    seq2seq = tf.contrib.seq2seq
    state = tf.constant(values((BATCH, 4), "state"))
    mechanism = seq2seq.BahdanauAttention(3, tf.constant(values((BATCH, SOURCE, WIDTH), "memory")))
    cell = seq2seq.AttentionWrapper(
        tf.contrib.rnn.GRUCell(4), mechanism, initial_cell_state=state, attention_layer=tf.layers.Dense(5, name="mine")
    )
    with tf.variable_scope("twice"):
        outputs, state = tf.nn.dynamic_rnn(cell, _targets(tf), LENGTHS, dtype=tf.float32)
    return {"outputs": outputs, "attention": state.attention, "time": state.time, "alignments": state.alignments}


def own_mechanism(tf):
    private = module("tensorflow.contrib.seq2seq.python.ops.attention_wrapper")

    class Located(private.BahdanauAttention):
        def __init__(self, num_units, memory, **keywords):
            super(Located, self).__init__(num_units=num_units, memory=memory, **keywords)
            self.convolution = tf.layers.Conv1D(2, 3, padding="same", name="located")
            self.layer = tf.layers.Dense(num_units, use_bias=False, name="features")

        def __call__(self, query, state):
            with tf.variable_scope(None, "Located", [query]):
                processed = tf.expand_dims(self.query_layer(query) if self.query_layer else query, 1)
                features = self.layer(self.convolution(tf.expand_dims(state, 2)))
                v = tf.get_variable("v", [self._num_units], dtype=tf.float32)
                energy = tf.reduce_sum(v * tf.tanh(self._keys + processed + features), [2])
            alignments = self._probability_fn(energy, state)
            return alignments, alignments + state

    mechanism = Located(3, _memory(tf), memory_sequence_length=tf.constant(MEMORY_LENGTHS))
    cell = private.AttentionWrapper(tf.contrib.rnn.GRUCell(4), mechanism, attention_layer_size=4)
    return _teacher_forced(tf, cell)


def _embedding(tf):
    return tf.get_variable("embedding", [WORDS, WIDTH])


def greedy(tf):
    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.GreedyEmbeddingHelper(_embedding(tf), tf.fill([BATCH], 1), 2)
    cell = tf.contrib.rnn.GRUCell(4)
    decoder = seq2seq.BasicDecoder(cell, helper, tf.constant(values((BATCH, 4), "state")), _projection(tf))
    return _found(tf, seq2seq.dynamic_decode(decoder, maximum_iterations=5))


def train_and_infer(tf):
    seq2seq = tf.contrib.seq2seq
    embedding, layer, found = _embedding(tf), _projection(tf), {}
    mechanism = seq2seq.LuongAttention(4, _memory(tf), tf.constant(MEMORY_LENGTHS))
    cell = seq2seq.AttentionWrapper(tf.contrib.rnn.BasicLSTMCell(4), mechanism, 4)
    ids = tf.constant(_tokens((BATCH, TARGET), "ids"))
    helpers = [
        seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, ids), tf.constant(LENGTHS)),
        seq2seq.GreedyEmbeddingHelper(embedding, tf.tile([1], [BATCH]), tf.constant(2)),
    ]
    for i, helper in enumerate(helpers):
        with tf.variable_scope("decode", reuse=i > 0):
            decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32), output_layer=layer)
            (outputs, sampled), _, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True, maximum_iterations=4)
            found.update({"outputs%d" % i: outputs, "ids%d" % i: sampled, "lengths%d" % i: lengths})
    weights = tf.sequence_mask(LENGTHS, TARGET, dtype=tf.float32)
    found["loss"] = seq2seq.sequence_loss(found["outputs0"], ids, weights)
    return found


def sampled(tf):
    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.SampleEmbeddingHelper(
        lambda ids: tf.one_hot(ids, WORDS) * 3.0, tf.fill([BATCH], 1), 2, softmax_temperature=1e-4, seed=5
    )
    decoder = seq2seq.BasicDecoder(tf.contrib.rnn.GRUCell(WORDS), helper, tf.zeros([BATCH, WORDS]))
    return _found(tf, seq2seq.dynamic_decode(decoder, maximum_iterations=4))


def custom(tf):
    seq2seq = tf.contrib.seq2seq
    inputs = _targets(tf)

    def following(time, outputs, state, sample_ids):
        finished = time + 1 >= tf.constant(LENGTHS)
        return finished, inputs[:, tf.minimum(time + 1, TARGET - 1)] + outputs[:, :1], state

    helper = seq2seq.CustomHelper(
        initialize_fn=lambda: (tf.tile([False], [BATCH]), inputs[:, 0]),
        sample_fn=lambda time, outputs, state: tf.cast(tf.argmax(outputs, 1), tf.int32),
        next_inputs_fn=following,
    )
    decoder = seq2seq.BasicDecoder(tf.contrib.rnn.GRUCell(4), helper, tf.zeros([BATCH, 4]))
    return _found(tf, seq2seq.dynamic_decode(decoder))


def inference(tf):
    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.InferenceHelper(
        sample_fn=lambda outputs: outputs[:, :WIDTH], sample_shape=[WIDTH], sample_dtype=tf.float32,
        start_inputs=tf.ones([BATCH, WIDTH]), end_fn=lambda ids: tf.reduce_sum(ids, 1) > 100.0,
        next_inputs_fn=lambda ids: ids * 2.0,
    )
    decoder = seq2seq.BasicDecoder(tf.contrib.rnn.GRUCell(8), helper, tf.zeros([BATCH, 8]))
    return _found(tf, seq2seq.dynamic_decode(decoder, maximum_iterations=3))


def _scheduled_embedding(probability):
    def case(tf):
        seq2seq = tf.contrib.seq2seq
        helper = seq2seq.ScheduledEmbeddingTrainingHelper(
            _targets(tf), tf.constant(LENGTHS), _embedding(tf), probability, seed=1, scheduling_seed=2
        )
        layer = lambda_layer(tf)
        decoder = seq2seq.BasicDecoder(tf.contrib.rnn.GRUCell(4), helper, tf.zeros([BATCH, 4]), layer)
        # One iteration at a time: parallel iterations would sample in any order.
        return _found(tf, seq2seq.dynamic_decode(decoder, parallel_iterations=1))

    return case


def lambda_layer(tf):
    """Returns a projection with large outputs, so that sampling nearly always returns the argmax."""

    class Sharp(tf.layers.Dense):
        def call(self, inputs):
            return 1e2 * tf.layers.Dense.call(self, inputs)

    return Sharp(WORDS, name="sharp")


def _scheduled_output(probability, **keywords):
    def case(tf):
        seq2seq = tf.contrib.seq2seq
        if keywords.get("auxiliary"):
            options = {"auxiliary_inputs": tf.constant(values((BATCH, TARGET, 2), "auxiliary"))}
        else:
            options = {}
        if keywords.get("function"):
            options["next_inputs_fn"] = lambda outputs: outputs * 0.5
        helper = seq2seq.ScheduledOutputTrainingHelper(
            _targets(tf), tf.constant(LENGTHS), probability, seed=3, **options
        )
        decoder = seq2seq.BasicDecoder(tf.contrib.rnn.GRUCell(WIDTH), helper, tf.zeros([BATCH, WIDTH]))
        return _found(tf, seq2seq.dynamic_decode(decoder, parallel_iterations=1))

    return case


def _beam(attention=False, layers=1, output_layer=True, history=False, **keywords):
    def case(tf):
        seq2seq, rnn, beams = tf.contrib.seq2seq, tf.contrib.rnn, 3
        memory = seq2seq.tile_batch(_memory(tf), multiplier=beams)
        lengths = seq2seq.tile_batch(tf.constant(MEMORY_LENGTHS), multiplier=beams)
        cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(4) for _ in range(layers)]) if layers > 1 else rnn.GRUCell(4)
        if attention:
            mechanism = seq2seq.LuongAttention(4, memory, lengths)
            cell = seq2seq.AttentionWrapper(cell, mechanism, 4, alignment_history=history)
            state = cell.zero_state(BATCH * beams, tf.float32)
        else:
            state = seq2seq.tile_batch(tf.constant(values((BATCH, 4), "state")), beams)
            if layers > 1:
                state = tuple(rnn.LSTMStateTuple(state, state * 0.5) for _ in range(layers))
        decoder = seq2seq.BeamSearchDecoder(
            cell=cell, embedding=_embedding(tf), start_tokens=tf.fill([BATCH], 1), end_token=2, initial_state=state,
            beam_width=beams, output_layer=_projection(tf) if output_layer else None, **keywords
        )
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
        found = {"lengths": lengths, "log_probs": state.log_probs, "finished": state.finished}
        found["ids"] = outputs.predicted_ids
        found["scores"] = outputs.beam_search_decoder_output.scores
        found["parents"] = outputs.beam_search_decoder_output.parent_ids
        found.update(("state%d" % i, each) for i, each in enumerate(_leaves(tf, state.cell_state)))
        return found

    return case


def trees(tf):
    steps = tf.constant(_tokens((6, BATCH, 4), "steps") % 5)
    parents = tf.constant(_tokens((6, BATCH, 4), "parents") % 4)
    gathered = tf.contrib.seq2seq.gather_tree(
        step_ids=steps, parent_ids=parents, max_sequence_lengths=[6, 3, 0], end_token=4
    )
    private = module("tensorflow.contrib.seq2seq.python.ops.beam_search_decoder")
    lengths = tf.constant([[6, 2, 3, 0], [1, 1, 2, 3], [4, 5, 6, 6]])
    array = tf.constant(values((6, BATCH * 4, 2), "array"))
    return {"tree": gathered, "array": private.gather_tree_from_array(array, parents, lengths)}


def losses(tf):
    loss = tf.contrib.seq2seq.sequence_loss
    logits = tf.constant(values((BATCH, TARGET, WORDS), "logits"))
    targets = tf.constant(_tokens((BATCH, TARGET), "ids"))
    weights = tf.sequence_mask([4, 0, 3], TARGET, dtype=tf.float32)
    return {
        "mean": loss(logits, targets, weights),
        "by_sequence": loss(logits, targets, weights, average_across_batch=False),
        "by_step": loss(logits, targets, weights, average_across_timesteps=False),
        "none": loss(logits, targets, weights, False, False),
        "sum": loss(logits, targets, weights, False, False, True, True),
        "sum_steps": loss(logits, targets, weights, False, False, True),
        "own": loss(logits, targets, weights, softmax_loss_function=lambda labels, logits: tf.reduce_sum(logits, 1)),
    }


def small_functions(tf):
    seq2seq = tf.contrib.seq2seq
    probabilities = tf.nn.sigmoid(tf.constant(values((BATCH, SOURCE), "p")))
    previous = tf.nn.softmax(tf.constant(values((BATCH, SOURCE), "previous")))
    found = {
        "hardmax": seq2seq.hardmax(probabilities),
        "cumprod": seq2seq.safe_cumprod(probabilities, axis=1, exclusive=True),
        "tiled": seq2seq.tile_batch(probabilities, 2),
    }
    found.update(
        (mode, seq2seq.monotonic_attention(probabilities, previous, mode)) for mode in ("recursive", "parallel", "hard")
    )
    return found


CASES = {"attention_" + name: case for name, case in ATTENTIONS.items()}
CASES.update(
    scheduled_embedding_never=_scheduled_embedding(0.0),
    scheduled_embedding_always=_scheduled_embedding(1.0),
    scheduled_embedding_half=_scheduled_embedding(0.5),
    scheduled_output_always=_scheduled_output(1.0),
    scheduled_output_half=_scheduled_output(0.5, function=True),
    scheduled_output_auxiliary=_scheduled_output(0.5, auxiliary=True),
    beam=_beam(),
    beam_layers=_beam(layers=2, length_penalty_weight=0.6),
    beam_attention=_beam(attention=True, length_penalty_weight=0.2, coverage_penalty_weight=0.3),
    beam_attention_history=_beam(attention=True, layers=2, history=True),
)
CASES.update(
    (case.__name__, case)
    for case in (
        training, training_imputed, training_cut, attention_over_encoder, attention_by_state, own_mechanism, greedy,
        train_and_infer, sampled, custom, inference, trees, losses, small_functions,
    )
)

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_seq2seq", CASES)
