"""The names that this room serves."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_HERE = "legacy_towers.oldtf.tutorials."
_FILES = "reads the four files of MNIST from the folder that the script names; it downloads nothing by itself"
_OLD = "it came with TensorFlow 0.x"

ROWS: Tuple[Row, ...] = (
    Row("tensorflow.examples.tutorials.mnist.input_data", _HERE + "input_data", on_1_15=True, note=_FILES),
    Row("tensorflow.examples.tutorials.mnist.mnist", _HERE + "mnist", on_1_15=True, note="it came up to 1.14"),
    Row("tensorflow.models.rnn.ptb.reader", _HERE + "ptb_reader", on_1_15=True, note=_OLD),
)

_MODELS = "tensorflow.models came with TensorFlow 0.x only: put the file of the model beside the script"
# Name -> why it is not served, and what to do.
REASONS: Dict[str, str] = {
    "tensorflow.examples.tutorials.mnist.fully_connected_feed": "it is a script: put the file beside yours",
    "tensorflow.examples.tutorials.mnist.mnist_softmax": "it is a script: put the file beside yours",
    "tensorflow.examples.tutorials.word2vec": "it is a script: put the file beside yours",
    "tensorflow.models": _MODELS,
}
