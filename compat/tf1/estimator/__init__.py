"""tf.estimator, which ended with TensorFlow 2.15."""
