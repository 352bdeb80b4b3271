"""The supported names of TensorFlow's tutorials."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.tutorials."
_FILES = "reads the four files of MNIST from the folder that the script names; it does not download them by default"
_UP_TO_0_12 = "TensorFlow 0.6 to 0.12 had it"
_UP_TO_1_14 = "TensorFlow 0.6 to 1.14 had it"

SYMBOLS: Tuple[Symbol, ...] = (
    Symbol("tensorflow.examples.tutorials.mnist.input_data", _HERE + "input_data", on_1_15=True, note=_FILES),
    Symbol("tensorflow.examples.tutorials.mnist.mnist", _HERE + "mnist", on_1_15=True, note=_UP_TO_1_14),
    Symbol("tensorflow.models.rnn.ptb.reader", _HERE + "ptb_reader", on_1_15=True, note=_UP_TO_0_12),
)

_MODELS = "only TensorFlow 0.x had tensorflow.models: copy the file of the model into the script's folder"
_SCRIPT = "it is a script: copy the file into your script's folder"
# Name -> why it is not supported, and what to do.
UNSUPPORTED: Dict[str, str] = {
    "tensorflow.examples.tutorials.mnist.fully_connected_feed": _SCRIPT,
    "tensorflow.examples.tutorials.mnist.mnist_softmax": _SCRIPT,
    "tensorflow.examples.tutorials.word2vec": _SCRIPT,
    "tensorflow.models": _MODELS,
}
