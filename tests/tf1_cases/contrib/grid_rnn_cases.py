"""Cases of tf.contrib.grid_rnn.

To record again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.grid_rnn_cases
"""
from tf1_cases.recorded_cases import values

BATCH = 2


def _leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def _two_steps(make):
    def case(tf):
        cell = make(tf, tf.contrib.grid_rnn)
        sizes = _leaves(cell.state_size)
        states = [tf.constant(values((BATCH, size), "state%d" % i)) for i, size in enumerate(sizes)]
        state = tf.contrib.framework.nest.pack_sequence_as(cell.state_size, states)
        # On TensorFlow 1.15 non-recurrent dimensions have no default initializer.
        with tf.variable_scope("grid", initializer=tf.random_uniform_initializer()) as scope:
            _, state = cell(tf.constant(values((BATCH, 4), "first")), state)
            scope.reuse_variables()
            output, state = cell(tf.constant(values((BATCH, 4), "second")), state)
        found = {"output%d" % i: each for i, each in enumerate(_leaves(output))}
        found.update(("state%d" % i, each) for i, each in enumerate(_leaves(state)))
        return found

    return case


CASES = {
    "basic_1": _two_steps(lambda tf, grid: grid.Grid1BasicRNNCell(3)),
    "basic_2": _two_steps(lambda tf, grid: grid.Grid2BasicRNNCell(3)),
    "basic_2_not_recurrent": _two_steps(lambda tf, grid: grid.Grid2BasicRNNCell(3, non_recurrent_fn=tf.nn.relu)),
    "basic_lstm_1": _two_steps(lambda tf, grid: grid.Grid1BasicLSTMCell(3, forget_bias=0.5)),
    "basic_lstm_2": _two_steps(lambda tf, grid: grid.Grid2BasicLSTMCell(3, output_is_tuple=False)),
    "lstm_1": _two_steps(lambda tf, grid: grid.Grid1LSTMCell(3, use_peepholes=True)),
    "lstm_2": _two_steps(lambda tf, grid: grid.Grid2LSTMCell(3, use_peepholes=True, non_recurrent_fn=tf.tanh)),
    "lstm_2_tied": _two_steps(lambda tf, grid: grid.Grid2LSTMCell(3, tied=True)),
    "lstm_3": _two_steps(lambda tf, grid: grid.Grid3LSTMCell(3)),
    "gru_2": _two_steps(lambda tf, grid: grid.Grid2GRUCell(3)),
    "general": _two_steps(
        lambda tf, grid: grid.GridRNNCell(
            3, num_dims=3, input_dims=[0, 1], output_dims=[0, 1, 2], priority_dims=[1, 2], non_recurrent_dims=1,
            cell_fn=lambda n: tf.contrib.rnn.LSTMCell(n), state_is_tuple=False, output_is_tuple=False,
        )
    ),
}

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_grid_rnn", CASES)
