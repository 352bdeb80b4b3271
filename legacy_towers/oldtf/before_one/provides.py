"""The names that this room serves: those that TensorFlow 1.0 dropped, gave other arguments or moved.

They stand on TensorFlow 1.15 too, which lacks them as much as 2.x does.
"""
from typing import Dict, Tuple

from legacy_towers.oldtf.before_one.renamed import RENAMES
from legacy_towers.oldtf.before_one.rnn_cell import MOVED
from legacy_towers.oldtf.provided import Row

_HERE = "legacy_towers.oldtf.before_one."
_ORDER = "arguments in the order from before 1.0 are told by their types; the others go to TensorFlow as they are"
_LOGITS = "what has no name is the logits and then the labels, as before 1.0: 1.x takes both by name only"
_TAGS = "the tag is the script's own, without name scopes, as before 1.0"
_SHAPE = "a shape makes the tensor, as before 1.0; otherwise it is the initializer of 1.x"
_SEQ2SEQ = "tf.contrib.legacy_seq2seq since 1.0"
_MOVED = "what 1.0 moved to tf.contrib"


def _reordered(names: str, note: str) -> Tuple[Row, ...]:
    return tuple(
        Row("tensorflow." + name, _HERE + "reordered:" + name.rpartition(".")[2], on_1_15=True, note=note)
        for name in names.split()
    )


def _summaries(parent: str) -> Tuple[Row, ...]:
    return tuple(
        # TensorFlow 1.15 had them in tf.contrib.deprecated.
        Row(parent + name, _HERE + "summaries:" + name, on_1_15=".contrib." not in parent, note=_TAGS)
        for name in ("scalar_summary", "histogram_summary", "image_summary", "audio_summary", "merge_summary")
    )


def _cells(parent: str, *names: str) -> Tuple[Row, ...]:
    return tuple(Row(parent + name, _HERE + "rnn_cell:" + name, on_1_15=True, note=_MOVED) for name in names)


ROWS: Tuple[Row, ...] = (
    tuple(
        Row("tensorflow." + old, _HERE + "renamed:" + old, on_1_15=True, note="tf.{} since 1.0".format(new.split()[0]))
        for old, new in sorted(RENAMES.items())
    )
    + _reordered(
        "concat split reverse sparse_split image.resize_images nn.nce_loss nn.sampled_softmax_loss nn.ctc_loss"
        " python.ops.array_ops.concat python.ops.array_ops.split",
        _ORDER,
    )
    + _reordered(
        "nn.softmax_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits"
        " nn.sigmoid_cross_entropy_with_logits",
        _LOGITS,
    )
    + _summaries("tensorflow.")
    + _summaries("tensorflow.contrib.deprecated.")
    + (Row("tensorflow.contrib.deprecated.merge_all_summaries", _HERE + "renamed:merge_all_summaries"),)
    + _cells("tensorflow.nn.rnn_cell.", *(MOVED + ("linear",)))
    + (
        Row("tensorflow.contrib.ctc", _HERE + "ctc", on_1_15=True, note="tf.nn since 0.9"),
        Row("tensorflow.models.rnn.linear.linear", _HERE + "rnn_cell:linear", on_1_15=True, note=_MOVED),
        Row("tensorflow.models.rnn.rnn_cell", _HERE + "rnn_cell", on_1_15=True, note=_MOVED),
        Row("tensorflow.models.rnn.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Row("tensorflow.nn.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Row("tensorflow.ones_initializer", _HERE + "initializers:ones_initializer", on_1_15=True, note=_SHAPE),
        Row("tensorflow.python.ops.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Row("tensorflow.train.SummaryWriterCache", "legacy_towers.compat:tf.summary.FileWriterCache", on_1_15=True),
        Row("tensorflow.types", "legacy_towers.compat:tf.dtypes", on_1_15=True, note="tf.dtypes since 0.6"),
        Row("tensorflow.zeros_initializer", _HERE + "initializers:zeros_initializer", on_1_15=True, note=_SHAPE),
    )
)

# Name -> why it is not served, and what to do.
REASONS: Dict[str, str] = {
    "tensorflow.python.client.graph_util": "it is tensorflow.python.framework.graph_util since 0.6",
    "tensorflow.python.control_flow_ops": "it is tensorflow.python.ops.control_flow_ops",
}
