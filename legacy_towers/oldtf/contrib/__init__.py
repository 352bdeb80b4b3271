"""tf.contrib, a module for each of its modules."""
