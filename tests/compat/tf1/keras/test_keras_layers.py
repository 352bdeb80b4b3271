"""tf.keras.layers have the variable names and results of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.keras.keras_cases import CASES

pytestmark = pytest.mark.needs_layers
SLOW = ("copied", "own model", "bidirectional")
NAMES = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in sorted(CASES)]


@pytest.mark.recorded
@pytest.mark.parametrize("name", NAMES)
def test_keras_layers_equal_the_recording_of_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("keras2_keras", name)) == []


def test_recurrent_layers_are_instances_of_keras_classes(fresh_graph):
    tf = recorded_cases.module("tensorflow")
    layers = tf.keras.layers
    assert isinstance(layers.LSTM(2), layers.RNN) and isinstance(layers.ConvLSTM2D(2, 2), layers.Layer)
    assert isinstance(layers.RNN([layers.GRUCell(2), layers.GRUCell(2)]).cell, layers.StackedRNNCells)
    assert layers.LSTM.from_config(layers.LSTM(2, go_backwards=True).get_config()).go_backwards


def test_a_saved_model_can_be_loaded(tmp_path, fresh_graph):
    tf = recorded_cases.module("tensorflow")
    layers = tf.keras.layers
    x = recorded_cases.values((2, 3, 2), "x")
    model = tf.keras.Sequential([layers.Bidirectional(layers.GRU(2), input_shape=(3, 2)), layers.Dense(1)])
    model.save(str(tmp_path / "model.h5"))
    again = tf.keras.models.load_model(str(tmp_path / "model.h5"), compile=False)
    assert again.predict(x).tolist() == model.predict(x).tolist()
