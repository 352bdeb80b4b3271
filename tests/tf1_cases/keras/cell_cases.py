"""Cases of tf.nn.rnn_cell and of the functions that unroll cells, as in scripts.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.keras.cell_cases
"""
from tf1_cases.recorded_cases import module, values

BATCH, STEPS, WIDTH = 3, 4, 5


def _steps(tf, width=WIDTH):
    return tf.constant(values((BATCH, STEPS, width), "steps"))


def _input(tf, width=WIDTH):
    return tf.constant(values((BATCH, width), "input"))


def _flat(tf, outputs, state, name=""):
    found = {name + "output": outputs}
    for i, each in enumerate(_leaves(state)):
        found["{}state{}".format(name, i)] = each
    return found


def _leaves(state):
    if isinstance(state, (tuple, list)):
        return [leaf for each in state for leaf in _leaves(each)]
    return [state]


def _one_step(make):
    def case(tf):
        cell = make(tf)
        state = cell.zero_state(BATCH, tf.float32)
        with tf.variable_scope("net"):
            output, state = cell(_input(tf), state)
            output, state = cell(output[:, :1] + _input(tf), state)
        found = _flat(tf, output, state)
        found["sizes"] = tf.constant([sum(_leaves(cell.state_size)), cell.output_size])
        return found

    return case


def _unrolled(make):
    def case(tf):
        output, state = tf.nn.dynamic_rnn(make(tf), _steps(tf), dtype=tf.float32)
        return _flat(tf, output, state)

    return case


def _cells(tf):
    return tf.nn.rnn_cell


CELLS = {
    "basic_rnn": lambda tf: _cells(tf).BasicRNNCell(4),
    "basic_rnn_relu": lambda tf: _cells(tf).BasicRNNCell(num_units=4, activation=tf.nn.relu, name="mine"),
    "gru": lambda tf: _cells(tf).GRUCell(4, kernel_initializer=tf.orthogonal_initializer()),
    "basic_lstm": lambda tf: _cells(tf).BasicLSTMCell(4, forget_bias=0.0, state_is_tuple=True),
    "basic_lstm_flat": lambda tf: _cells(tf).BasicLSTMCell(4, state_is_tuple=False),
    "lstm": lambda tf: _cells(tf).LSTMCell(4, initializer=tf.random_uniform_initializer(-0.1, 0.1), cell_clip=0.2),
    "lstm_all": lambda tf: _cells(tf).LSTMCell(4, use_peepholes=True, num_proj=3, proj_clip=0.1, forget_bias=0.5),
    "lstm_flat": lambda tf: _cells(tf).LSTMCell(4, use_peepholes=True, num_proj=3, state_is_tuple=False),
    "lstm_shards": lambda tf: _cells(tf).LSTMCell(4, num_proj=2, num_unit_shards=2, num_proj_shards=2),
    "multi": lambda tf: _cells(tf).MultiRNNCell([_cells(tf).BasicLSTMCell(n) for n in (4, 3)]),
    "multi_flat": lambda tf: _cells(tf).MultiRNNCell(
        [_cells(tf).BasicLSTMCell(n, state_is_tuple=False) for n in (4, 3)], state_is_tuple=False
    ),
    "multi_gru": lambda tf: _cells(tf).MultiRNNCell([_cells(tf).GRUCell(3)] + [_cells(tf).GRUCell(3)]),
    "dropout_off": lambda tf: _cells(tf).DropoutWrapper(_cells(tf).LSTMCell(4), input_keep_prob=1.0,
                                                       output_keep_prob=tf.constant(1.0)),
    "dropout_mostly_off": lambda tf: _cells(tf).DropoutWrapper(
        _cells(tf).BasicLSTMCell(4), 1.0 - 1e-9, tf.constant(1.0), 1.0 - 1e-9, seed=3
    ),
    "dropout_variational": lambda tf: _cells(tf).DropoutWrapper(
        _cells(tf).GRUCell(4), tf.constant(1.0), tf.constant(1.0), tf.constant(1.0), variational_recurrent=True,
        input_size=5, dtype=tf.float32, seed=1
    ),
    "residual": lambda tf: _cells(tf).ResidualWrapper(_cells(tf).GRUCell(5)),
    "residual_function": lambda tf: _cells(tf).ResidualWrapper(
        _cells(tf).LSTMCell(4), residual_fn=lambda i, o: o + i[:, :4]
    ),
    "device": lambda tf: _cells(tf).DeviceWrapper(_cells(tf).BasicLSTMCell(4), "/cpu:0"),
    "stack": lambda tf: _cells(tf).MultiRNNCell(
        [
            _cells(tf).DropoutWrapper(_cells(tf).ResidualWrapper(_cells(tf).BasicLSTMCell(5)), output_keep_prob=1.0)
            for _ in range(2)
        ],
        state_is_tuple=True,
    ),
}


def own_cell(tf):
    class Own(tf.nn.rnn_cell.RNNCell):
        def __init__(self, units):
            self._units = units

        @property
        def state_size(self):
            return self._units

        @property
        def output_size(self):
            return self._units

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or type(self).__name__):
                w = tf.get_variable("w", [inputs.get_shape()[1].value, self._units])
                u = tf.get_variable("u", [self._units, self._units], initializer=tf.orthogonal_initializer())
                b = tf.get_variable("b", [self._units], initializer=tf.constant_initializer(0.0))
                output = tf.tanh(tf.matmul(inputs, w) + tf.matmul(state, u) + b)
            return output, output

    output, state = tf.nn.dynamic_rnn(Own(4), _steps(tf), dtype=tf.float32)
    return _flat(tf, output, state)


def own_cell_with_call(tf):
    class Gated(tf.nn.rnn_cell.RNNCell):
        def __init__(self, units, reuse=None):
            super(Gated, self).__init__(_reuse=reuse)
            self._units = units

        @property
        def state_size(self):
            return tf.nn.rnn_cell.LSTMStateTuple(self._units, 1)

        @property
        def output_size(self):
            return self._units

        def call(self, inputs, state):
            c, h = state
            w = tf.get_variable("w", [inputs.shape[1].value, self._units])
            scale = tf.get_variable("scale", [self._units])
            with tf.variable_scope("gate"):
                new = tf.layers.dense(inputs, self._units, tf.sigmoid) * c + tf.matmul(inputs, w) * scale
            return new, tf.nn.rnn_cell.LSTMStateTuple(new, h + 1.0)

    cell = Gated(3)
    with tf.variable_scope("own"):
        output, state = tf.nn.dynamic_rnn(cell, _steps(tf), dtype=tf.float32)
    found = _flat(tf, output, state)
    found["count"] = tf.constant([len(cell.variables), len(cell.trainable_weights)])
    return found


def own_layer_cell(tf):
    implementation = module("tensorflow.python.ops.rnn_cell_impl")

    class Built(implementation.LayerRNNCell):
        def __init__(self, units, name=None):
            super(Built, self).__init__(name=name)
            self._units = units
            self.input_spec = tf.layers.InputSpec(ndim=2)

        state_size = property(lambda self: self._units)
        output_size = property(lambda self: self._units)

        def build(self, shape):
            self._kernel = self.add_variable("kernel", shape=[shape[1].value + self._units, self._units])
            self.built = True

        def call(self, inputs, state):
            new = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), self._kernel))
            return new, new

    assert issubclass(implementation.BasicLSTMCell, tf.nn.rnn_cell.RNNCell)
    assert implementation.LSTMStateTuple is tf.nn.rnn_cell.LSTMStateTuple
    output, state = tf.nn.dynamic_rnn(Built(4), _steps(tf), dtype=tf.float32)
    return _flat(tf, output, state)


def bidirectional(tf):
    forward, backward = tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        forward, backward, _steps(tf), sequence_length=[4, 2, 1], dtype=tf.float32
    )
    return _flat(tf, tf.concat(outputs, 2), states)


def bidirectional_layers(tf):
    x = _steps(tf)
    for layer in range(2):
        with tf.variable_scope("layer%d" % layer):
            cells = [tf.nn.rnn_cell.BasicLSTMCell(3) for _ in range(2)]
            outputs, states = tf.nn.bidirectional_dynamic_rnn(cells[0], cells[1], x, dtype=tf.float32, scope="BLSTM")
            x = tf.concat(outputs, 2)
    return _flat(tf, x, states)


def static(tf):
    inputs = tf.unstack(_steps(tf), axis=1)
    outputs, state = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), inputs, dtype=tf.float32,
                                      sequence_length=tf.constant([4, 2, 1]))
    return _flat(tf, tf.stack(outputs), state)


def static_bidirectional(tf):
    inputs = tf.unstack(_steps(tf), axis=1)
    outputs, forward, backward = tf.nn.static_bidirectional_rnn(
        tf.nn.rnn_cell.BasicLSTMCell(3), tf.nn.rnn_cell.BasicLSTMCell(3), inputs, dtype=tf.float32
    )
    return _flat(tf, tf.stack(outputs), [forward, backward])


def state_saving(tf):
    class Saver(object):
        def __init__(self):
            self.saved = {}

        def state(self, name):
            return tf.zeros([BATCH, 3])

        def save_state(self, name, value):
            self.saved[name] = value
            return tf.identity(value)

    saver = Saver()
    outputs, state = tf.nn.static_state_saving_rnn(
        tf.nn.rnn_cell.LSTMCell(3), tf.unstack(_steps(tf), axis=1), saver, state_name=("c", "h")
    )
    return _flat(tf, tf.stack(outputs), [state, saver.saved["c"], saver.saved["h"]])


def raw(tf):
    cell = tf.nn.rnn_cell.LSTMCell(3)
    inputs = tf.TensorArray(tf.float32, STEPS).unstack(tf.transpose(_steps(tf), [1, 0, 2]))

    def loop(time, output, state, loop_state):
        emitted = output
        following = cell.zero_state(BATCH, tf.float32) if output is None else state
        finished = time >= STEPS
        following_input = tf.cond(finished, lambda: tf.zeros([BATCH, WIDTH]), lambda: inputs.read(time))
        return (tf.fill([BATCH], finished), following_input, following, emitted, None)

    emitted, state, _ = tf.nn.raw_rnn(cell, loop)
    return _flat(tf, emitted.stack(), state)


def towers(tf):
    found = {}
    for tower in range(2):
        with tf.device("/cpu:0"), tf.name_scope("tower_%d" % tower):
            with tf.variable_scope(tf.get_variable_scope(), reuse=tower > 0):
                cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(3) for _ in range(2)])
                output, state = tf.nn.dynamic_rnn(cell, _steps(tf) + float(tower), dtype=tf.float32)
                found.update(_flat(tf, tf.layers.dense(output, 2, name="logits"), state, "tower%d_" % tower))
    return found


def towers_reuse_variables(tf):
    found = {}
    for tower in range(2):
        with tf.variable_scope("lm"):
            if tower > 0:
                tf.get_variable_scope().reuse_variables()
            cell = tf.nn.rnn_cell.GRUCell(3)
            output, state = tf.nn.dynamic_rnn(cell, _steps(tf), dtype=tf.float32, time_major=True)
            found.update(_flat(tf, output, state, "tower%d_" % tower))
    return found


def manual_steps(tf):
    def one():
        reuse = tf.get_variable_scope().reuse
        return tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=0.0, state_is_tuple=True, reuse=reuse)

    with tf.variable_scope("Model", reuse=None, initializer=tf.random_uniform_initializer(-0.1, 0.1)):
        cell = tf.nn.rnn_cell.MultiRNNCell([one() for _ in range(2)], state_is_tuple=True)
        state = cell.zero_state(BATCH, tf.float32)
        inputs, outputs = _steps(tf), []
        with tf.variable_scope("RNN"):
            for step in range(STEPS):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(inputs[:, step, :], state)
                outputs.append(output)
    return _flat(tf, tf.stack(outputs, 1), state)


def cell_called_with_scope(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    state = cell.zero_state(BATCH, tf.float32)
    first, state = cell(_input(tf), state, scope="decoder")
    with tf.variable_scope("later") as scope:
        second, state = tf.nn.rnn_cell.LSTMCell(3)(
            _input(tf), tf.nn.rnn_cell.LSTMStateTuple(state, state), scope=scope
        )
    return _flat(tf, first + second, state)


def same_cell_twice(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    with tf.variable_scope("encoder"):
        first, state = tf.nn.dynamic_rnn(cell, _steps(tf), dtype=tf.float32)
    with tf.variable_scope("encoder", reuse=True):
        second, state = tf.nn.dynamic_rnn(cell, _steps(tf), initial_state=state)
    with tf.variable_scope("other"):
        third, state = tf.nn.dynamic_rnn(cell, _steps(tf), initial_state=state)
    return _flat(tf, tf.concat([first, second, third], 1), state)


def one_cell_many_times(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    output, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell([cell] * 2), _steps(tf), dtype=tf.float32)
    return _flat(tf, output, state)


def state_from_placeholders(tf):
    init = tf.placeholder_with_default(values((2, 2, BATCH, 3), "init"), [2, 2, BATCH, 3])
    layers = tf.unstack(init, axis=0)
    state = tuple(tf.nn.rnn_cell.LSTMStateTuple(layers[i][0], layers[i][1]) for i in range(2))
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3, state_is_tuple=True) for _ in range(2)])
    output, state = tf.nn.dynamic_rnn(cell, _steps(tf), initial_state=state)
    return _flat(tf, output, state)


def zero_states(tf):
    batch = tf.shape(_steps(tf))[0]
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)])
    state = cell.zero_state(batch, tf.float32)
    given = cell.get_initial_state(_input(tf))
    return {"state%d" % i: each for i, each in enumerate(_leaves(state) + _leaves(given))}


def private_names(tf):
    implementation = module("tensorflow.python.ops.rnn_cell_impl")
    rnn_cell = module("tensorflow.python.ops.rnn_cell")
    zeros = implementation._zero_state_tensors([3, 2], BATCH, tf.float32)
    assert rnn_cell.BasicRNNCell is tf.nn.rnn_cell.BasicRNNCell
    implementation.assert_like_rnncell("cell", rnn_cell.GRUCell(2))
    return {"concat": implementation._concat(tf.constant(2), [3]), "zeros": zeros[0], "zeros2": zeros[1]}


def scope_regularizer(tf):
    with tf.variable_scope("decayed", regularizer=lambda w: 0.5 * tf.nn.l2_loss(w)):
        output, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3), _steps(tf), dtype=tf.float32)
    return _flat(tf, output, state)


CASES = {"step_" + name: _one_step(make) for name, make in CELLS.items()}
CASES.update(("unrolled_" + name, _unrolled(make)) for name, make in CELLS.items())
CASES.update(
    (case.__name__, case)
    for case in (
        own_cell, own_cell_with_call, own_layer_cell, bidirectional, bidirectional_layers, static, static_bidirectional,
        state_saving, raw, towers, towers_reuse_variables, manual_steps, cell_called_with_scope, same_cell_twice,
        one_cell_many_times, state_from_placeholders, zero_states, private_names, scope_regularizer,
    )
)

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("keras2_cells", CASES)
