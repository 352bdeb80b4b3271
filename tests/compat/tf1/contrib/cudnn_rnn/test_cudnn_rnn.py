"""tf.contrib.cudnn_rnn on a CPU, compared with NumPy; its cells and tf.contrib.nn, compared with TensorFlow 1.15."""
import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.cudnn_and_nn_cases import CASES

from legacy_towers.compat import tf

pytestmark = pytest.mark.needs_layers
only_2 = pytest.mark.skipif(recorded_cases.is_1_15(), reason="TensorFlow 1.15 computes these layers on GPUs only")

BATCH, STEPS, WIDTH, UNITS = 2, 3, 4, 5


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_cudnn_and_nn", name)) == []


def _sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def _lstm(steps, kernel, bias):
    c = h = np.zeros((BATCH, UNITS))
    outputs = []
    for x in steps:
        i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
        c = c * _sigmoid(f) + _sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * _sigmoid(o)
        outputs.append(h)
    return np.stack(outputs), h, c


def _simple(steps, kernel, bias, activation):
    h = np.zeros((BATCH, UNITS))
    outputs = []
    for x in steps:
        h = activation(np.concatenate([x, h], 1) @ kernel + bias)
        outputs.append(h)
    return np.stack(outputs), h


def _run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():
            variable.load(recorded_cases.values(variable.shape.as_list(), variable.name), session)
        return session.run((fetches, {variable.op.name: variable for variable in tf.trainable_variables()}))


@only_2
def test_bidirectional_lstm_with_two_layers():
    steps = recorded_cases.values((STEPS, BATCH, WIDTH), "steps")
    layer = tf.contrib.cudnn_rnn.CudnnLSTM(2, UNITS, direction="bidirectional")
    (outputs, (h, c)), weights = _run(layer(tf.constant(steps), training=False))
    inputs, ends = steps, []
    for number in range(2):
        prefix = "cudnn_lstm/stack_bidirectional_rnn/cell_%d/bidirectional_rnn/" % number
        both = []
        for direction, order in (("fw", 1), ("bw", -1)):
            name = prefix + direction + "/cudnn_compatible_lstm_cell/"
            one, *end = _lstm(inputs[::order], weights.pop(name + "kernel"), weights.pop(name + "bias"))
            both.append(one[::order])
            ends.append(end)
        inputs = np.concatenate(both, 2)
    assert not weights
    np.testing.assert_allclose(outputs, inputs, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(h, [end[0] for end in ends], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(c, [end[1] for end in ends], rtol=1e-5, atol=1e-6)


@only_2
@pytest.mark.parametrize(
    "name, activation", [("CudnnRNNTanh", np.tanh), ("CudnnRNNRelu", lambda x: np.maximum(x, 0.0))]
)
def test_simple_rnn(name, activation):
    steps = recorded_cases.values((BATCH, STEPS, WIDTH), "steps")
    layer = getattr(tf.contrib.cudnn_rnn, name)(1, UNITS, name="net")
    (outputs, (h,)), weights = _run(layer(tf.constant(steps), time_major=False))
    name = "net/rnn/multi_rnn_cell/cell_0/basic_rnn_cell/"
    one, end = _simple(np.swapaxes(steps, 0, 1), weights[name + "kernel"], weights[name + "bias"], activation)
    np.testing.assert_allclose(outputs, np.swapaxes(one, 0, 1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(h, end[None], rtol=1e-5, atol=1e-6)


@only_2
def test_gru_with_sequence_lengths_reuses_variables_in_a_second_call():
    steps = tf.constant(recorded_cases.values((STEPS, BATCH, WIDTH), "steps"))
    layer = tf.contrib.cudnn_rnn.CudnnGRU(num_layers=2, num_units=UNITS)
    first, state = layer(steps, sequence_lengths=tf.constant([3, 1]))
    _, again = layer(steps, initial_state=state)
    assert len(tf.trainable_variables()) == len(layer.trainable_variables) == 12
    assert all(variable.op.name.startswith("cudnn_gru/rnn/multi_rnn_cell/") for variable in layer.variables)
    (first, state, again), _ = _run((first, state[0], again[0]))
    np.testing.assert_array_equal(first[1:, 1], np.zeros((2, UNITS)))
    np.testing.assert_allclose(state[1], np.stack([first[2, 0], first[0, 1]]), rtol=1e-6)
    assert again.shape == (2, BATCH, UNITS)


@only_2
def test_dropout_is_between_layers_and_in_training_only():
    steps = tf.constant(recorded_cases.values((STEPS, BATCH, WIDTH), "steps"))
    layer = tf.contrib.cudnn_rnn.CudnnLSTM(2, UNITS, dropout=0.5, seed=1)
    (trained, tested, plain), _ = _run(
        [layer(steps, training=True)[0], layer(steps, training=False)[0], layer(steps, training=False)[0]]
    )
    np.testing.assert_array_equal(tested, plain)
    assert not np.allclose(trained, tested)


@only_2
def test_errors_for_features_that_need_cudnn():
    with pytest.raises(ValueError, match="input_mode 'skip_input' needs cuDNN; use one of linear_input, auto_select"):
        tf.contrib.cudnn_rnn.CudnnLSTM(1, UNITS, input_mode="skip_input")
    with pytest.raises(AttributeError, match="have no opaque parameters here"):
        _ = tf.contrib.cudnn_rnn.CudnnLSTMSaveable


@only_2
def test_kernels_are_initialized_per_gate():
    tf.contrib.cudnn_rnn.CudnnLSTM(1, 50)(tf.zeros([STEPS, BATCH, 30]))
    kernel = tf.trainable_variables()[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(kernel)
    # glorot_uniform of [50, 30] and of [50, 50], not of the whole [80, 200]
    assert np.sqrt(6 / 80) * 0.9 < np.abs(value[:30]).max() <= np.sqrt(6 / 80)
    assert np.sqrt(6 / 100) * 0.9 < np.abs(value[30:]).max() <= np.sqrt(6 / 100)
