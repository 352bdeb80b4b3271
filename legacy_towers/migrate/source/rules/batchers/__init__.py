"""Rules of tf.train.batch and its kin."""
