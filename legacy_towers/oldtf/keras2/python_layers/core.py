"""tensorflow.python.layers.core, with the second names that TensorFlow 1.x has there."""
from legacy_towers.compat import tf

Dense = FullyConnected = tf.layers.Dense
Dropout = tf.layers.Dropout
Flatten = tf.layers.Flatten
dense = fully_connected = tf.layers.dense
dropout = tf.layers.dropout
flatten = tf.layers.flatten

__all__ = ["Dense", "Dropout", "Flatten", "FullyConnected", "dense", "dropout", "flatten", "fully_connected"]
