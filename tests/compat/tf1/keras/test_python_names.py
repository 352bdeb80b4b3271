"""Names below tensorflow.python are the classes of tf.layers, tf.nn.rnn_cell and tf.keras."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

pytestmark = pytest.mark.needs_layers

SAME = [
    ("python.layers.core", "Dense", "layers.Dense"),
    ("python.layers.convolutional", "Convolution2D", "layers.Conv2D"),
    ("python.layers.normalization", "BatchNorm", "layers.BatchNormalization"),
    ("python.layers.pooling", "MaxPool2D", "layers.MaxPooling2D"),
    ("python.layers.base", "Layer", "layers.Layer"),
    ("python.layers.layers", "conv2d", "layers.conv2d"),
    ("python.ops.rnn_cell", "LSTMStateTuple", "nn.rnn_cell.LSTMStateTuple"),
    ("python.ops.rnn_cell_impl", "RNNCell", "nn.rnn_cell.RNNCell"),
    ("python.keras.layers", "Dense", "keras.layers.Dense"),
    ("python.keras.models", "Model", "keras.models.Model"),
    ("python.keras.callbacks", "EarlyStopping", "keras.callbacks.EarlyStopping"),
    ("python.keras.engine.base_layer", "InputSpec", "keras.layers.InputSpec"),
    ("contrib.keras.api.keras.models", "Sequential", "keras.models.Sequential"),
    ("keras.layers", "LSTM", "keras.layers.LSTM"),
    ("python.keras.layers", "GRU", "keras.layers.GRU"),
    ("python.keras.layers.recurrent", "LSTM", "keras.layers.LSTM"),
    ("python.keras.layers.wrappers", "Bidirectional", "keras.layers.Bidirectional"),
]


def _attribute(view, path):
    for name in path.split("."):
        view = getattr(view, name)
    return view


@pytest.mark.parametrize("module, name, public", SAME, ids=[row[0] + "." + row[1] for row in SAME])
def test_private_and_public_name_are_one_class(module, name, public):
    tf = tree.module("tensorflow")
    assert getattr(tree.module("tensorflow." + module), name) is _attribute(tf, public)


@pytest.mark.parametrize("module", ["backend", "layers.convolutional", "utils.np_utils", "datasets.mnist"])
def test_modules_of_keras_can_be_imported(module):
    assert tree.module("tensorflow.python.keras." + module) is not None


def test_an_unknown_name_is_an_error():
    with pytest.raises((AttributeError, ImportError), match="no_such_layer"):
        _ = tree.module("tensorflow.python.keras").layers.no_such_layer


def test_set_session_makes_keras_use_the_session_of_the_script(fresh_graph):
    tf = tree.module("tensorflow")
    session = tf.Session(graph=fresh_graph)
    with session.as_default():
        tree.module("tensorflow.keras.backend").set_session(session)
        model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(2,))])
        model.compile(optimizer="sgd", loss="mse")
        x = np.array([[1.0, 0.0], [0.0, 2.0]], np.float32)
        model.fit(x, np.array([[1.0], [2.0]]), epochs=1, batch_size=2, verbose=0)
        kernel, bias = session.run(model.weights)
    # one step of 0.01 on mean((y - 0)^2): dw = -2 * mean(y * x), db = -2 * mean(y)
    np.testing.assert_allclose(kernel[:, 0], [0.01, 0.04], rtol=1e-5)
    np.testing.assert_allclose(bias, [0.03], rtol=1e-5)
