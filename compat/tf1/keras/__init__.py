"""tf.keras, tf.layers and tf.nn.rnn_cell of TensorFlow 1.x, and the package `keras` of Keras 2."""
