"""tf.contrib: one module or package for each of its modules."""
