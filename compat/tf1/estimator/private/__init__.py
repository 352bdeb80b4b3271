"""Access to TensorFlow's private API for tf.estimator."""
