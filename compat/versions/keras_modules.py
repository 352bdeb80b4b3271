"""The Keras 2 source modules that define tf.layers, tf.nn.rnn_cell and tf.keras, wherever TensorFlow has them.

Scripts of TensorFlow 1.x import from tensorflow.python.layers, .ops.rnn_cell_impl and .keras. TensorFlow 2.x has
modules of these names, but their classes are others than those of tf.layers and tf.nn.rnn_cell: an LSTMStateTuple of
one is not an LSTMStateTuple of the other. Private: the modules are found from the classes that TensorFlow exports.
Tried on 2.21 with tf_keras and on 1.15; the same holds for the keras of 2.13 to 2.15. Ends when tf.layers does.
"""
import importlib
import sys
from typing import Any


def cells_module() -> Any:
    """Returns the module that defines the cells of tf.nn.rnn_cell, with its private functions."""
    from legacy_towers.compat.versions import tf

    return sys.modules[tf.nn.rnn_cell.RNNCell.__module__]


def keras_source() -> str:
    """Returns the name of the package with the source of tf.keras: "tf_keras.src"."""
    from legacy_towers.compat.versions import tf

    module: str = tf.keras.layers.Dense.__module__
    return module[: module.index(".layers.")]


def source_module(name: str) -> Any:
    """Returns the module `name` ("layers.convolutional") of Keras's source, None if there is none."""
    try:
        return importlib.import_module("{}.{}".format(keras_source(), name))
    except ModuleNotFoundError:
        return None
