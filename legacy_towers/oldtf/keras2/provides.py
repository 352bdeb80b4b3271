"""The names that this room serves.

tf.layers, tf.nn.rnn_cell and tf.keras themselves are TensorFlow's, with the Keras that compat/keras.py chose; what
builds models in tf.keras says so where that is Keras 3.
"""
from typing import Tuple

from legacy_towers.oldtf.provided import Row

# What a model is built with. The rest (datasets, utils, initializers, losses) is the same in Keras 3.
BUILDERS = ("Input", "Model", "Sequential", "layers", "models")
# Layers whose variables have the names of 1.15.
RECURRENT = ("RNN", "LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "StackedRNNCells")
_HERE = "legacy_towers.oldtf.keras2."
_SAME = "the classes of tf.layers: TensorFlow 2.x has others under this name"
_CELLS = "the classes of tf.nn.rnn_cell: TensorFlow 2.x has others under this name"

_NAMES = "variables have the names of 1.15, without the cell's"
_KERAS = "tf.keras itself; an error where only Keras 3 is there"
_SPLIT = "TensorFlow dropped it in 2.4; in `run`, logical CPU devices stand for GPUs that the machine lacks"
_DROPPED = "TensorFlow 2.x dropped it"
_FOLDS = "TensorFlow 2.x dropped it; for scikit-learn it is neither classifier nor regressor, as on 1.15"
_RANKS = "called with inputs of any rank that its layers take; an error where only Keras 3 is there"

ROWS: Tuple[Row, ...] = tuple(
    Row("tensorflow.keras." + name, _HERE + "scripts_keras:keras." + name, note=_KERAS)
    for name in BUILDERS
    if name != "Sequential"
) + tuple(
    Row("tensorflow.keras." + name, _HERE + "scripts_keras:keras." + name, note=_RANKS)
    for name in ("Sequential", "models.Sequential", "models.clone_model")
) + tuple(
    Row("tensorflow.python.layers." + name, _HERE + "python_layers." + name, note=_SAME)
    for name in ("base", "core", "convolutional", "layers", "normalization", "pooling")
) + tuple(
    Row("tensorflow.keras.layers." + name, _HERE + "recurrent:" + name, note=_NAMES) for name in RECURRENT
) + (
    Row("tensorflow.python.ops.rnn_cell", _HERE + "python_ops.rnn_cell_impl", note=_CELLS),
    Row("tensorflow.python.ops.rnn_cell_impl", _HERE + "python_ops.rnn_cell_impl", note=_CELLS),
    Row("tensorflow.keras.utils.multi_gpu_model", _HERE + "multi_gpu:multi_gpu_model", note=_SPLIT),
    Row("tensorflow.python.keras.utils.multi_gpu_utils", _HERE + "multi_gpu", note=_SPLIT),
    Row("tensorflow.keras.wrappers", _HERE + "wrappers", note=_DROPPED),
    Row("tensorflow.keras.wrappers.scikit_learn", _HERE + "wrappers.scikit_learn", note=_FOLDS),
    Row("tensorflow.keras.utils.HDF5Matrix", _HERE + "hdf5:HDF5Matrix", note=_DROPPED),
    Row("tensorflow.python.keras.wrappers", _HERE + "wrappers", note=_DROPPED),
    Row("tensorflow.python.keras.wrappers.scikit_learn", _HERE + "wrappers.scikit_learn", note=_FOLDS),
    Row("tensorflow.python.keras.utils.io_utils.HDF5Matrix", _HERE + "hdf5:HDF5Matrix", note=_DROPPED),
    Row("tensorflow.python.keras", _HERE + "python_keras:keras", note="the modules of tf.keras"),
)
