"""TensorFlow's private API that supports tf.contrib."""
