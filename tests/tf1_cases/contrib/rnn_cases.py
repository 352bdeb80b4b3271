"""Cases of tf.contrib.rnn; see recorded_cases.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.rnn_cases
"""
from tf1_cases.recorded_cases import module, values

BATCH, STEPS, WIDTH = 3, 4, 6


def _steps(tf):
    return tf.constant(values((BATCH, STEPS, WIDTH), "steps"))


def _leaves(state):
    if isinstance(state, (tuple, list)):
        return [leaf for each in state for leaf in _leaves(each)]
    return [state]


def _found(outputs, state):
    found = {"state%d" % i: each for i, each in enumerate(_leaves(state))}
    found["output"] = outputs
    return found


def _unrolled(make):
    def case(tf):
        output, state = tf.nn.dynamic_rnn(make(tf.contrib.rnn), _steps(tf), dtype=tf.float32)
        return _found(output, state)

    return case


CELLS = {
    "coupled": lambda rnn: rnn.CoupledInputForgetGateLSTMCell(4, use_peepholes=True, num_proj=3, proj_clip=0.2),
    "coupled_flat": lambda rnn: rnn.CoupledInputForgetGateLSTMCell(
        4, state_is_tuple=False, num_unit_shards=3, layer_norm=True, norm_gain=0.5
    ),
    "layer_norm_basic": lambda rnn: rnn.LayerNormBasicLSTMCell(4, norm_gain=0.8, norm_shift=0.1),
    "layer_norm_basic_off": lambda rnn: rnn.LayerNormBasicLSTMCell(4, layer_norm=False, dropout_keep_prob=1.0 - 1e-9),
    "grouped": lambda rnn: rnn.GLSTMCell(4, number_of_groups=2, num_proj=6),
    "grouped_plain": lambda rnn: rnn.GLSTMCell(6, number_of_groups=3, forget_bias=0.0),
    "update_gate": lambda rnn: rnn.UGRNNCell(4),
    "intersection": lambda rnn: rnn.IntersectionRNNCell(4, num_in_proj=4),
    "intersection_same": lambda rnn: rnn.IntersectionRNNCell(6),
    "simple": lambda rnn: rnn.SRUCell(6),
    "nas": lambda rnn: rnn.NASCell(4, num_proj=3, use_bias=True),
    "nas_plain": lambda rnn: rnn.NASCell(4),
    "independent": lambda rnn: rnn.IndRNNCell(4),
    "independent_gru": lambda rnn: rnn.IndyGRUCell(4),
    "independent_lstm": lambda rnn: rnn.IndyLSTMCell(4, forget_bias=0.5),
    "block": lambda rnn: rnn.LSTMBlockCell(4, forget_bias=0.5),
    "block_peephole": lambda rnn: rnn.LSTMBlockCell(4, use_peephole=True, cell_clip=0.3),
    "block_gru": lambda rnn: rnn.GRUBlockCell(4),
    "block_gru_2": lambda rnn: rnn.GRUBlockCellV2(num_units=4),
    "attention": lambda rnn: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(4), attn_length=3, state_is_tuple=True),
    "attention_flat": lambda rnn: rnn.AttentionCellWrapper(
        rnn.GRUCell(4), attn_length=2, attn_size=3, attn_vec_size=5, input_size=4, state_is_tuple=False
    ),
    "attention_layers": lambda rnn: rnn.MultiRNNCell(
        [rnn.AttentionCellWrapper(rnn.LSTMCell(4), attn_length=2) for _ in range(2)]
    ),
    "highway": lambda rnn: rnn.HighwayWrapper(rnn.BasicLSTMCell(6)),
    "highway_uncoupled": lambda rnn: rnn.HighwayWrapper(rnn.GRUCell(6), couple_carry_transform_gates=False),
    "input_projection": lambda rnn: rnn.InputProjectionWrapper(rnn.GRUCell(4), 3),
    "output_projection": lambda rnn: rnn.OutputProjectionWrapper(rnn.BasicLSTMCell(4), 3),
    "both_projections": lambda rnn: rnn.OutputProjectionWrapper(
        rnn.InputProjectionWrapper(rnn.MultiRNNCell([rnn.BasicLSTMCell(4)] * 1), 5), 2
    ),
    "dropout_stack": lambda rnn: rnn.MultiRNNCell(
        [rnn.DropoutWrapper(rnn.BasicLSTMCell(4), output_keep_prob=1.0) for _ in range(2)], state_is_tuple=True
    ),
    "grid": lambda rnn: rnn.GridLSTMCell(
        3, use_peepholes=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[3]
    ),
    "grid_coupled": lambda rnn: rnn.GridLSTMCell(
        3, use_peepholes=True, share_time_frequency_weights=True, couple_input_forget_gates=True, cell_clip=0.3,
        feature_size=2, frequency_skip=1, num_frequency_blocks=[2, 1], start_freqindex_list=[0, 4],
        end_freqindex_list=[3, 6],
    ),
    "grid_shared": lambda rnn: rnn.GridLSTMCell(
        3, use_peepholes=True, share_time_frequency_weights=True, feature_size=4, frequency_skip=2,
        num_frequency_blocks=[2], num_unit_shards=2,
    ),
    "grid_flat": lambda rnn: rnn.GridLSTMCell(
        3, feature_size=2, frequency_skip=2, num_frequency_blocks=[3], state_is_tuple=False
    ),
    "grid_both_ways": lambda rnn: rnn.BidirectionalGridLSTMCell(
        2, use_peepholes=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[3], backward_slice_offset=1
    ),
}


def time_and_frequency(tf):
    cell = tf.contrib.rnn.TimeFreqLSTMCell(3, use_peepholes=True, feature_size=2, frequency_skip=2, cell_clip=0.4)
    state = tf.zeros([BATCH, 3 * 2 * 3])
    with tf.variable_scope("net"):
        output, state = cell(_steps(tf)[:, 0], state)
        tf.get_variable_scope().reuse_variables()
        output, state = cell(_steps(tf)[:, 1], state)
    return _found(output, state)


def layer_norm_lstm(tf):
    cells = module("tensorflow.contrib.rnn.python.ops.rnn_cell")
    cell = cells.LayerNormLSTMCell(4, use_peepholes=True, num_proj=3, layer_norm=True, cell_clip=0.5)
    output, state = tf.nn.dynamic_rnn(cell, _steps(tf), dtype=tf.float32)
    return _found(output, state)


def _weight_norm(**keywords):
    def case(tf):
        cells = module("tensorflow.contrib.rnn.python.ops.rnn_cell")
        output, state = tf.nn.dynamic_rnn(cells.WeightNormLSTMCell(4, **keywords), _steps(tf), dtype=tf.float32)
        return _found(output, state)

    return case


def phased(tf):
    cell = tf.contrib.rnn.PhasedLSTMCell(4, use_peepholes=True, period_init_min=2.0, period_init_max=10.0)
    times = tf.constant(values((BATCH, STEPS, 1), "times", 5.0).astype("float64"))
    inputs = tf.constant(values((BATCH, STEPS, WIDTH), "steps"))
    output, state = tf.nn.dynamic_rnn(cell, (times, inputs), dtype=tf.float32)
    return _found(output, state)


def _convolutional(cell_name, image, **keywords):
    def case(tf):
        images = tf.constant(values([2, 3] + image, "images"))
        cell = getattr(tf.contrib.rnn, cell_name)(input_shape=image, output_channels=2, **keywords)
        output, state = tf.nn.dynamic_rnn(cell, images, dtype=tf.float32)
        return _found(output, state)

    return case


def _fused(use_peephole, lengths):
    def case(tf):
        cell = tf.contrib.rnn.LSTMBlockFusedCell(4, use_peephole=use_peephole, forget_bias=0.5)
        steps = tf.transpose(_steps(tf), [1, 0, 2])
        output, state = cell(steps, dtype=tf.float32, sequence_length=lengths)
        backwards = tf.contrib.rnn.TimeReversedFusedRNN(tf.contrib.rnn.LSTMBlockFusedCell(3, name="back"))
        second, last = backwards(steps, dtype=tf.float32, sequence_length=lengths)
        return _found(tf.concat([output, second], 2), [state, last])

    return case


def fused_from_state(tf):
    cell = tf.contrib.rnn.LSTMBlockFusedCell(4, cell_clip=0.5)
    given = (tf.ones([BATCH, 4]), tf.zeros([BATCH, 4]))
    return _found(*cell(tf.transpose(_steps(tf), [1, 0, 2]), initial_state=given))


def fused_adaptor(tf):
    rnn = tf.contrib.rnn
    steps = tf.transpose(_steps(tf), [1, 0, 2])
    with tf.variable_scope("dynamic"):
        one, state = rnn.FusedRNNCellAdaptor(rnn.GRUCell(3), use_dynamic_rnn=True)(steps, dtype=tf.float32)
    with tf.variable_scope("static"):
        cell = rnn.TimeReversedFusedRNN(rnn.FusedRNNCellAdaptor(rnn.GRUCell(3)))
        two, last = cell(steps, dtype=tf.float32, sequence_length=[4, 3, 1])
    return _found(one + two, [state, last])


def stacked(tf):
    rnn = tf.contrib.rnn
    outputs, forwards, backwards = rnn.stack_bidirectional_rnn(
        [rnn.GRUCell(3), rnn.GRUCell(2)], [rnn.GRUCell(3), rnn.GRUCell(2)], tf.unstack(_steps(tf), axis=1),
        dtype=tf.float32,
    )
    return _found(tf.stack(outputs), [forwards, backwards])


def stacked_dynamic(tf):
    rnn = tf.contrib.rnn
    outputs, forwards, backwards = rnn.stack_bidirectional_dynamic_rnn(
        [rnn.LSTMCell(3) for _ in range(2)], [rnn.LSTMCell(3) for _ in range(2)], _steps(tf), dtype=tf.float32,
        sequence_length=[4, 2, 3], scope="encoder",
    )
    return _found(outputs, [forwards, backwards])


def embedding_wrapper(tf):
    rnn = tf.contrib.rnn
    cell = rnn.EmbeddingWrapper(rnn.GRUCell(3), embedding_classes=7, embedding_size=4)
    ids = [tf.constant([1, 2, 3]), tf.constant([4, 5, 6])]
    outputs, state = rnn.static_rnn(cell, ids, dtype=tf.float32)
    return _found(tf.stack(outputs), state)


def linear_of_2017(tf):
    linear = module("tensorflow.contrib.rnn.python.ops.core_rnn_cell")._linear
    x = _steps(tf)[:, 0]
    with tf.variable_scope("one"):
        one = linear([x, x * 2.0], 3, True)
    with tf.variable_scope("two"):
        two = linear(x, 3, False)
    return {"one": one, "two": two}


def other_functions(tf):
    steps = tf.placeholder_with_default(values((BATCH, STEPS, WIDTH), "steps"), [None, STEPS, WIDTH])
    turned = tf.contrib.rnn.transpose_batch_time(steps)
    return {"turned": turned, "size": tf.contrib.rnn.best_effort_input_batch_size([turned])}


def towers(tf):
    found = {}
    for tower in range(2):
        with tf.device("/cpu:0"), tf.name_scope("tower_%d" % tower):
            with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
                cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3)
                wrapped = tf.contrib.rnn.AttentionCellWrapper(cell, attn_length=2)
                output, _ = tf.nn.dynamic_rnn(wrapped, _steps(tf) * (1.0 + tower), dtype=tf.float32)
                found["tower%d" % tower] = output
    return found


CASES = {"cell_" + name: _unrolled(make) for name, make in CELLS.items()}
CASES.update(
    weight_norm=_weight_norm(use_peepholes=True, num_proj=3, cell_clip=0.3, proj_clip=0.2),
    weight_norm_off=_weight_norm(norm=False),
    fused=_fused(False, None),
    fused_lengths=_fused(True, [4, 0, 2]),
    conv1=_convolutional("Conv1DLSTMCell", [5, 3], kernel_shape=[3]),
    conv2=_convolutional("Conv2DLSTMCell", [4, 4, 2], kernel_shape=[3, 3]),
    conv2_bare=_convolutional("Conv2DLSTMCell", [4, 4, 2], kernel_shape=[3, 3], use_bias=False, forget_bias=0.0),
    conv3=_convolutional("Conv3DLSTMCell", [3, 3, 2, 2], kernel_shape=[2, 2, 2]),
    conv_general=_convolutional("ConvLSTMCell", [5, 3], conv_ndims=1, kernel_shape=[2], name="mine"),
)
CASES.update(
    (case.__name__, case)
    for case in (
        time_and_frequency, layer_norm_lstm, phased, fused_from_state, fused_adaptor, stacked, stacked_dynamic,
        embedding_wrapper, linear_of_2017, other_functions, towers,
    )
)

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_rnn", CASES)
