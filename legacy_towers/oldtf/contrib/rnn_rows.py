"""The rows of recurrent networks: tf.contrib.rnn, seq2seq, legacy_seq2seq, crf, cudnn_rnn and what lies near."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_CONTRIB = "tensorflow.contrib."
_HERE = "legacy_towers.oldtf.contrib."

ROWS: Tuple[Row, ...] = (
    Row(_CONTRIB + "crf", _HERE + "crf"),
    Row(_CONTRIB + "crf.python.ops.crf", _HERE + "crf"),
    Row(
        _CONTRIB + "cudnn_rnn",
        _HERE + "cudnn_rnn",
        note="Layers are computed by the compatible cells, on any device; the variables are those that 1.15 wrote to "
        "checkpoints, not one opaque_kernel.",
    ),
    Row(_CONTRIB + "cudnn_rnn.python.layers.cudnn_rnn", _HERE + "cudnn_rnn"),
    Row(_CONTRIB + "cudnn_rnn.python.ops.cudnn_rnn_ops", _HERE + "cudnn_rnn"),
    Row(_CONTRIB + "grid_rnn", _HERE + "grid_rnn"),
    Row(_CONTRIB + "legacy_seq2seq", _HERE + "legacy_seq2seq"),
    Row(_CONTRIB + "legacy_seq2seq.python.ops.seq2seq", _HERE + "legacy_seq2seq.seq2seq_module"),
    Row(_CONTRIB + "seq2seq", _HERE + "seq2seq"),
    Row(_CONTRIB + "rnn", _HERE + "rnn"),
    # Modules of other 1.x versions too: they had the same cells.
    Row(_CONTRIB + "rnn.core_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.core_rnn", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.core_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.core_rnn_cell_impl", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.fused_rnn_cell", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.gru_ops", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.lstm_ops", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.rnn", _HERE + "rnn.core_rnn_cell"),
    Row(_CONTRIB + "rnn.python.ops.rnn_cell", _HERE + "rnn.core_rnn_cell"),
)
ROWS += tuple(
    Row(_CONTRIB + "seq2seq.python.ops." + name, _HERE + "seq2seq.private_names")
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
ROWS += tuple(
    Row(_CONTRIB + "nn." + name, _HERE + "nn_more:" + name)
    for name in ("alpha_dropout", "rank_sampled_softmax_loss", "sampled_sparse_softmax_loss", "scaled_softplus")
)

_OPAQUE = (
    "the layers of tf.contrib.cudnn_rnn have no opaque parameters here: their variables are those that it wrote to "
    "checkpoints, and a plain tf.train.Saver saves and restores them"
)
REASONS: Dict[str, str] = {
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
