"""Cases of tf.keras.layers: names of variables, which checkpoints need, and results.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.keras.keras_cases
"""
from tf1_cases.recorded_cases import record, values

STEPS = (2, 4, 3)
IMAGE = (2, 6, 6, 3)


def _on(shape, make):
    def case(tf):
        return {"output": make(tf.keras.layers)(tf.constant(values(shape, "input")))}

    return case


def _row(shape, *make):
    def case(tf):
        model = tf.keras.Sequential([each(tf.keras.layers) for each in make])
        return {"output": model(tf.constant(values(shape, "input")))}

    return case


def _with_states(tf):
    layer = tf.keras.layers.LSTM(3, return_sequences=True, return_state=True, name="mine")
    output, hidden, cell = layer(tf.constant(values(STEPS, "input")))
    again = layer(output, initial_state=[hidden, cell])[0]
    return {"output": output, "hidden": hidden, "cell": cell, "again": again}


def _scopes(tf):
    x = tf.constant(values(STEPS, "input"))
    with tf.variable_scope("a"):
        first = tf.keras.layers.Dense(2)(tf.keras.layers.LSTM(3)(x))
    with tf.name_scope("b"):
        second = tf.keras.layers.Dense(2, name="named")(tf.keras.layers.GRU(3)(x))
    return {"first": first, "second": second}


def _single_cells(tf):
    layers = tf.keras.layers
    x = tf.constant(values((2, 3), "input"))
    around = layers.LSTM(2)(tf.constant(values(STEPS, "steps")))
    lstm, _ = layers.LSTMCell(3)(x, [tf.zeros([2, 3]), tf.ones([2, 3])])
    gru, _ = layers.GRUCell(3)(x, [tf.ones([2, 3])])
    stacked, _ = layers.StackedRNNCells([layers.GRUCell(3), layers.LSTMCell(2)])(
        x, [tf.ones([2, 3]), [tf.ones([2, 2]), tf.zeros([2, 2])]]
    )
    return {"around": around, "lstm": lstm, "gru": gru, "stacked": stacked}


def _own_model(tf):
    layers = tf.keras.layers

    class Tagger(tf.keras.Model):
        def __init__(self):
            super(Tagger, self).__init__()
            self.lstm = layers.Bidirectional(layers.LSTM(3, return_sequences=True))
            self.gru = layers.GRU(2)
            self.cell = layers.LSTMCell(2)
            self.dense = layers.Dense(1)

        def call(self, x):
            found = self.gru(self.lstm(x))
            return self.dense(self.cell(found, [tf.zeros([2, 2]), tf.zeros([2, 2])])[0])

    return {"output": Tagger()(tf.constant(values(STEPS, "input")))}


def _copied(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Bidirectional(layers.LSTM(2), input_shape=STEPS[1:]), layers.Dense(1)])
    x = tf.constant(values(STEPS, "input"))
    again = tf.keras.models.model_from_json(model.to_json())
    return {"output": model(x), "again": again(x), "cloned": tf.keras.models.clone_model(model)(x)}


CASES = {
    "dense": _row((2, 3), lambda layers: layers.Dense(3), lambda layers: layers.Dense(2)),
    "conv": _row(
        IMAGE,
        lambda layers: layers.Conv2D(2, 3),
        lambda layers: layers.DepthwiseConv2D(2),
        lambda layers: layers.SeparableConv2D(2, 2),
        lambda layers: layers.Conv2DTranspose(2, 2),
    ),
    "conv1d": _row(STEPS, lambda layers: layers.Conv1D(2, 2), lambda layers: layers.SeparableConv1D(2, 2)),
    "conv3d": _on((1, 3, 3, 3, 2), lambda layers: layers.Conv3D(2, 2)),
    "locally connected": _on((2, 3, 3, 1), lambda layers: layers.LocallyConnected2D(1, 2)),
    "batch normalization": _on(IMAGE, lambda layers: layers.BatchNormalization()),
    "layer normalization": _on(IMAGE, lambda layers: layers.LayerNormalization()),
    "prelu": _on(STEPS, lambda layers: layers.PReLU()),
    "lstm": _row(STEPS, lambda layers: layers.LSTM(3, return_sequences=True), lambda layers: layers.LSTM(2)),
    "gru": _row(STEPS, lambda layers: layers.GRU(3, return_sequences=True), lambda layers: layers.GRU(2)),
    "gru reset after": _on(STEPS, lambda layers: layers.GRU(3, reset_after=True)),
    "simple rnn": _on(STEPS, lambda layers: layers.SimpleRNN(3, unroll=True)),
    "rnn of cells": _on(STEPS, lambda layers: layers.RNN([layers.GRUCell(3), layers.LSTMCell(2)])),
    "rnn of one cell": _on(STEPS, lambda layers: layers.RNN(layers.SimpleRNNCell(3, name="mine"))),
    "bidirectional": _row(
        STEPS,
        lambda layers: layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
        lambda layers: layers.Bidirectional(layers.RNN(layers.GRUCell(2)), merge_mode="sum"),
    ),
    "time distributed": _on((2, 2, 4, 3), lambda layers: layers.TimeDistributed(layers.LSTM(2))),
    "conv lstm": _on((1, 2, 4, 4, 2), lambda layers: layers.ConvLSTM2D(2, 2)),
    "conv lstm with a name": _on((1, 2, 4, 4, 2), lambda layers: layers.ConvLSTM2D(2, 2, name="mine")),
    "states": _with_states,
    "scopes": _scopes,
    "single cells": _single_cells,
    "own model": _own_model,
    "copied": _copied,
}

if __name__ == "__main__":
    record("keras2_keras", CASES)
