"""tensorflow.python.layers.normalization, with its aliases of TensorFlow 1.x."""
from legacy_towers.compat.versions import tf

BatchNormalization = BatchNorm = tf.layers.BatchNormalization
batch_normalization = batch_norm = tf.layers.batch_normalization

__all__ = ["BatchNorm", "BatchNormalization", "batch_norm", "batch_normalization"]
