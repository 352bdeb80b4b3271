"""The supported names of tf.keras, tf.layers and tf.nn.rnn_cell.

tf.layers, tf.nn.rnn_cell and tf.keras themselves are TensorFlow's, with the Keras that compat/versions/keras.py
chooses. Names of tf.keras that build models raise an error if that is Keras 3.
"""
from typing import Tuple

from legacy_towers.compat.tf1.keras.builders import BUILDERS, RECURRENT, REORDERED
from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.keras."
_SAME = "the classes of tf.layers: TensorFlow 2.x has other classes of these names"
_CELLS = "the classes of tf.nn.rnn_cell: TensorFlow 2.x has other classes of these names"

_METHODS = "under `run`, layers have `apply` and `add_update(inputs=)`"
_NAMES = "variables have the names of 1.15, without that of the cell"
_KERAS = "tf.keras itself; an error if only Keras 3 is installed"
_SPLIT = "TensorFlow dropped it in 2.4; under `run`, logical CPU devices replace GPUs that the machine lacks"
_ORDERS = "under `run`, takes positional arguments in the order of 1.15"
_DROPPED = "TensorFlow 2.x dropped it"
_FOLDS = "TensorFlow 2.x dropped it; for scikit-learn it is neither classifier nor regressor, as on 1.15"
_RANKS = "accepts inputs of any rank that its layers accept; an error if only Keras 3 is installed"

SYMBOLS: Tuple[Symbol, ...] = tuple(
    Symbol("tensorflow.keras." + name, _HERE + "scripts_keras:keras." + name, note=_KERAS)
    for name in BUILDERS
    if name != "Sequential"
) + tuple(
    Symbol("tensorflow.keras." + name, _HERE + "scripts_keras:keras." + name, note=_ORDERS)
    for name in REORDERED
    if not name.startswith("layers.")
) + tuple(
    Symbol("tensorflow.keras." + name, _HERE + "scripts_keras:keras." + name, note=_RANKS)
    for name in ("Sequential", "models.Sequential", "models.clone_model")
) + tuple(
    Symbol("tensorflow.python.layers." + name, _HERE + "python_layers." + name, note=_SAME)
    for name in ("base", "core", "convolutional", "layers", "normalization", "pooling")
) + tuple(
    Symbol("tensorflow.keras.layers." + name, _HERE + "recurrent:" + name, note=_NAMES) for name in RECURRENT
) + (
    Symbol("tensorflow.layers", _HERE + "scripts_layers:layers", note=_METHODS),
    Symbol("tensorflow.layers.Input", _HERE + "scripts_layers:Input", on_1_15=True, note="of TensorFlow 1.4"),
    Symbol("tensorflow.python.ops.rnn_cell", _HERE + "python_ops.rnn_cell_impl", note=_CELLS),
    Symbol("tensorflow.python.ops.rnn_cell_impl", _HERE + "python_ops.rnn_cell_impl", note=_CELLS),
    Symbol("tensorflow.keras.utils.multi_gpu_model", _HERE + "multi_gpu:multi_gpu_model", on_1_15=True, note=_SPLIT),
    Symbol("tensorflow.python.keras.utils.multi_gpu_utils", _HERE + "multi_gpu", on_1_15=True, note=_SPLIT),
    Symbol("tensorflow.keras.wrappers", _HERE + "wrappers", note=_DROPPED),
    Symbol("tensorflow.keras.wrappers.scikit_learn", _HERE + "wrappers.scikit_learn", note=_FOLDS),
    Symbol("tensorflow.keras.utils.HDF5Matrix", _HERE + "hdf5:HDF5Matrix", note=_DROPPED),
    Symbol("tensorflow.python.keras.wrappers", _HERE + "wrappers", note=_DROPPED),
    Symbol("tensorflow.python.keras.wrappers.scikit_learn", _HERE + "wrappers.scikit_learn", note=_FOLDS),
    Symbol("tensorflow.python.keras.utils.io_utils.HDF5Matrix", _HERE + "hdf5:HDF5Matrix", note=_DROPPED),
    Symbol("tensorflow.python.keras", _HERE + "python_keras:keras", note="the modules of tf.keras"),
)
