"""Names of TensorFlow 1.x that 2.x dropped or changed under compat.v1."""
