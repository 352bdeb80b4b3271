"""Access to Keras's private API for tf.keras of 1.x."""
