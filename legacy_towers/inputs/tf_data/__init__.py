"""Input pipelines with tf.data."""
