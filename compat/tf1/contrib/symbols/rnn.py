"""The names of tf.contrib.rnn, grid_rnn, seq2seq, legacy_seq2seq, crf and cudnn_rnn."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_CONTRIB = "tensorflow.contrib."
_HERE = "legacy_towers.compat.tf1.contrib."

SYMBOLS: Tuple[Symbol, ...] = (
    Symbol(_CONTRIB + "crf", _HERE + "crf"),
    Symbol(_CONTRIB + "crf.python.ops.crf", _HERE + "crf"),
    Symbol(
        _CONTRIB + "cudnn_rnn",
        _HERE + "cudnn_rnn",
        note="computed by the CudnnCompatible cells, on any device; the variables are those that TensorFlow 1.15 "
        "writes to checkpoints, instead of opaque_kernel",
    ),
    Symbol(_CONTRIB + "cudnn_rnn.python.layers.cudnn_rnn", _HERE + "cudnn_rnn"),
    Symbol(_CONTRIB + "cudnn_rnn.python.ops.cudnn_rnn_ops", _HERE + "cudnn_rnn"),
    Symbol(_CONTRIB + "grid_rnn", _HERE + "grid_rnn"),
    Symbol(_CONTRIB + "legacy_seq2seq", _HERE + "legacy_seq2seq"),
    Symbol(_CONTRIB + "legacy_seq2seq.python.ops.seq2seq", _HERE + "legacy_seq2seq.seq2seq_module"),
    Symbol(_CONTRIB + "seq2seq", _HERE + "seq2seq"),
    Symbol(_CONTRIB + "rnn", _HERE + "rnn"),
    # Includes modules of other 1.x versions, which had the same cells.
    Symbol(_CONTRIB + "rnn.core_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.core_rnn", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.core_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.core_rnn_cell_impl", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.fused_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.gru_ops", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.lstm_ops", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.rnn", _HERE + "rnn.core_rnn_cell"),
    Symbol(_CONTRIB + "rnn.python.ops.rnn_cell", _HERE + "rnn.core_rnn_cell"),
)
SYMBOLS += tuple(
    Symbol(_CONTRIB + "seq2seq.python.ops." + name, _HERE + "seq2seq.private_names")
    for name in (
        "attention_wrapper",
        "basic_decoder",
        "beam_search_decoder",
        "beam_search_ops",
        "decoder",
        "helper",
        "loss",
    )
)

_OPAQUE = (
    "the layers of tf.contrib.cudnn_rnn have no opaque parameters here: their variables are those that TensorFlow 1.15 "
    "writes to checkpoints, so use tf.train.Saver"
)
UNSUPPORTED: Dict[str, str] = {
    _CONTRIB + "cudnn_rnn." + name: _OPAQUE
    for name in (
        "CudnnGRUSaveable",
        "CudnnLSTMSaveable",
        "CudnnParamsFormatConverterGRU",
        "CudnnParamsFormatConverterLSTM",
        "CudnnParamsFormatConverterRelu",
        "CudnnParamsFormatConverterTanh",
        "CudnnRNNReluSaveable",
        "CudnnRNNTanhSaveable",
    )
}
