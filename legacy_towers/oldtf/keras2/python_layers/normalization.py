"""tensorflow.python.layers.normalization, with the second names that TensorFlow 1.x has there."""
from legacy_towers.compat import tf

BatchNormalization = BatchNorm = tf.layers.BatchNormalization
batch_normalization = batch_norm = tf.layers.batch_normalization

__all__ = ["BatchNorm", "BatchNormalization", "batch_norm", "batch_normalization"]
