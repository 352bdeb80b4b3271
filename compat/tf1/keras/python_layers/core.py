"""tensorflow.python.layers.core, with its aliases of TensorFlow 1.x."""
from legacy_towers.compat.versions import tf

Dense = FullyConnected = tf.layers.Dense
Dropout = tf.layers.Dropout
Flatten = tf.layers.Flatten
dense = fully_connected = tf.layers.dense
dropout = tf.layers.dropout
flatten = tf.layers.flatten

__all__ = ["Dense", "Dropout", "Flatten", "FullyConnected", "dense", "dropout", "flatten", "fully_connected"]
