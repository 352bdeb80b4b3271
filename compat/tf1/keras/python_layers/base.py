"""tensorflow.python.layers.base."""
from legacy_towers.compat.versions import tf

InputSpec = tf.layers.InputSpec
Layer = tf.layers.Layer
keras_style_scope = tf.layers.experimental.keras_style_scope
set_keras_style = tf.layers.experimental.set_keras_style

__all__ = ["InputSpec", "Layer", "keras_style_scope", "set_keras_style"]
