"""tf.layers and tf.nn.rnn_cell, which Keras 3 dropped."""
