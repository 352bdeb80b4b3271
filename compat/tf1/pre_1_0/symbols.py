"""The supported names from before TensorFlow 1.0, which 1.0 dropped, moved or gave other arguments.

They are supported on TensorFlow 1.15 too, which lacks them like 2.x.
"""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.pre_1_0.renamed import RENAMES
from legacy_towers.compat.tf1.pre_1_0.rnn_cell import MOVED
from legacy_towers.compat.tf1.pre_1_0.tables import KEYWORDS, MODULES, NAME_AT, OPERATIONS
from legacy_towers.compat.tf1.symbols import VIEW, Symbol

_HERE = "legacy_towers.compat.tf1.pre_1_0."
_TF = "legacy_towers.compat.versions:tf."
_SINCE = "tf.{} since 1.0"
_CORE = "legacy_towers.compat.tf1.core."
_NO_SHAPES = "has no effect: TensorFlow 1.0 and later do not call shape functions in Python"
_ORDER = "accepts the order of arguments from before 1.0 too; the types of the arguments distinguish the orders"
_LOGITS = "accepts logits and labels by position, in this order, as before 1.0; 1.x accepts them by name only"
_LOSSES = "arguments by position are in the order of 1.x, targets first; a message reports that 0.12 had them second"
_TAGS = "the tag is used as given, without name scopes, as before 1.0"
_SHAPE = "returns a tensor if it gets a shape, as before 1.0; otherwise it is the initializer of 1.x"
_SEQ2SEQ = "tf.contrib.legacy_seq2seq since 1.0"
_MOVED = "1.0 moved it to tf.contrib"
_OPERATION = "one operation, with the arguments of 0.12"
_OLD_ARGUMENTS = "accepts `name` by position and the keywords from before 1.0 too"
_CLASS = "accepts the arguments of 0.12 too"


def _reordered(names: str, note: str) -> Tuple[Symbol, ...]:
    return tuple(
        Symbol("tensorflow." + name, _HERE + "reordered:" + name.rpartition(".")[2], on_1_15=True, note=note)
        for name in names.split()
    )


def _classes(*names: str) -> Tuple[Symbol, ...]:
    return tuple(
        Symbol("tensorflow." + name, _HERE + "classes:" + name.rpartition(".")[2], on_1_15=True, note=_CLASS)
        for name in names
    )


def _summaries(parent: str) -> Tuple[Symbol, ...]:
    return tuple(
        # TensorFlow 1.15 had them in tf.contrib.deprecated.
        Symbol(parent + name, _HERE + "summaries:" + name, on_1_15=".contrib." not in parent, note=_TAGS)
        for name in ("scalar_summary", "histogram_summary", "image_summary", "audio_summary", "merge_summary")
    )


def _cells(parent: str, *names: str) -> Tuple[Symbol, ...]:
    return tuple(Symbol(parent + name, _HERE + "rnn_cell:" + name, on_1_15=True, note=_MOVED) for name in names)


SYMBOLS: Tuple[Symbol, ...] = (
    tuple(
        Symbol("tensorflow." + old, _HERE + "renamed:" + old, on_1_15=True, note=_SINCE.format(new.split()[0]))
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
    + _reordered("convert_to_tensor convert_to_tensor_or_indexed_slices image.random_crop", _ORDER)
    + _reordered("nn.log_poisson_loss nn.weighted_cross_entropy_with_logits", _LOSSES)
    + tuple(
        Symbol("tensorflow.nn." + name, _HERE + "single_ops:" + name, on_1_15=True, note=_OPERATION)
        for name in OPERATIONS
    )
    + tuple(
        Symbol("tensorflow." + name, _HERE + "old_arguments:" + name, on_1_15=True, note=_OLD_ARGUMENTS)
        for name in sorted(set(NAME_AT) | set(KEYWORDS))
    )
    + tuple(
        Symbol("tensorflow." + old, VIEW + "tensorflow:" + new, on_1_15=True, note="tf." + new)
        for old, new in sorted(MODULES.items())
    )
    + _classes(
        "FixedLengthRecordReader",
        "orthogonal_initializer",
        "train.ExponentialMovingAverage",
        "train.SyncReplicasOptimizer",
        "variable_scope",
    )
    + _summaries("tensorflow.")
    + _summaries("tensorflow.contrib.deprecated.")
    + (Symbol("tensorflow.contrib.deprecated.merge_all_summaries", _HERE + "renamed:merge_all_summaries"),)
    + _cells("tensorflow.nn.rnn_cell.", *(MOVED + ("linear",)))
    + (
        Symbol("tensorflow.RegisterShape", _CORE + "shapes:RegisterShape", on_1_15=True, note=_NO_SHAPES),
        Symbol("tensorflow.contrib.ctc", _HERE + "ctc", on_1_15=True, note="tf.nn since 0.9"),
        Symbol("tensorflow.graph_util.set_cpu0", _HERE + "functions:set_cpu0", on_1_15=True),
        Symbol("tensorflow.models.rnn.linear.linear", _HERE + "rnn_cell:linear", on_1_15=True, note=_MOVED),
        Symbol("tensorflow.models.rnn.rnn_cell", _HERE + "rnn_cell", on_1_15=True, note=_MOVED),
        Symbol("tensorflow.models.rnn.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Symbol("tensorflow.nn.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Symbol("tensorflow.nn.xw_plus_b_v1", _HERE + "functions:xw_plus_b_v1", on_1_15=True),
        Symbol("tensorflow.nn.op_def_pb2", "tensorflow.core.framework.op_def_pb2", on_1_15=True),
        Symbol("tensorflow.ones_initializer", _HERE + "initializers:ones_initializer", on_1_15=True, note=_SHAPE),
        Symbol("tensorflow.python.ops.seq2seq", _HERE + "seq2seq", on_1_15=True, note=_SEQ2SEQ),
        Symbol("tensorflow.train.SummaryWriterCache", _TF + "summary.FileWriterCache", on_1_15=True),
        Symbol("tensorflow.unsupported.constant_value", _HERE + "functions:constant_value", on_1_15=True),
        Symbol("tensorflow.types", _TF + "dtypes", on_1_15=True, note="tf.dtypes since 0.6"),
        Symbol("tensorflow.zeros_initializer", _HERE + "initializers:zeros_initializer", on_1_15=True, note=_SHAPE),
    )
)

_EDITOR = "tensorflow.contrib.graph_editor."
_REROUTE = "tensorflow.contrib.graph_editor.reroute."
_EXCHANGED = "call tf.contrib.graph_editor.{} with the two arguments exchanged"
_SAME_NAME = "use the function of this name in tf.contrib.graph_editor itself"
_MOVED_TO = "import {0} from tensorflow.contrib.layers.python.layers.{1}"
_HASHED = "it ended with 1.0: train again with tf.contrib.layers.embedding_column of a sparse_column_with_hash_bucket"
_ONLY_IMPORTED = "this module only imported it: "
_BY_CUDNN = "it ended with TensorFlow 1.15: use tf.contrib.cudnn_rnn.CudnnLSTM, CudnnGRU or CudnnRNNRelu"
_LSTM = "it ended before TensorFlow 1.15: write the loop over rows and columns with tf.nn.dynamic_rnn"
_NO_KERNEL = "only TensorFlow 1.15 has its compiled operation: "
_MATCHER = "it ended before TensorFlow 1.15: compare op.type and op.inputs"

# Name -> why it is not supported, and what to do.
UNSUPPORTED: Dict[str, str] = {
    "tensorflow.contrib.cmake": "it built TensorFlow 0.12 itself: remove it",
    "tensorflow.contrib.cudnn_rnn.ops": _BY_CUDNN,
    "tensorflow.contrib.factorization.BaseMonitor": _ONLY_IMPORTED + "write a tf.train.SessionRunHook",
    "tensorflow.contrib.factorization.DIAG_COVARIANCE": _ONLY_IMPORTED + "write 'diag'",
    "tensorflow.contrib.factorization.FULL_COVARIANCE": _ONLY_IMPORTED + "write 'full'",
    "tensorflow.contrib.factorization.MEPS": _ONLY_IMPORTED + "write np.finfo(float).eps",
    "tensorflow.contrib.factorization.TransformerMixin": _ONLY_IMPORTED + "it is sklearn.base.TransformerMixin",
    "tensorflow.contrib.factorization.embedding_lookup": _ONLY_IMPORTED + "it is tf.nn.embedding_lookup",
    "tensorflow.contrib.factorization.kmeans_plus_plus_initialization": _NO_KERNEL
    + "use sklearn.cluster.kmeans_plusplus, on arrays",
    "tensorflow.contrib.factorization.nearest_neighbors": _NO_KERNEL + "use tf.nn.top_k of the negative distances",
    "tensorflow.contrib.factorization.wals_compute_partial_lhs_and_rhs": _NO_KERNEL
    + "use the package implicit to factorize matrices",
    "tensorflow.contrib.factorization.with_dependencies": _ONLY_IMPORTED
    + "use tf.control_dependencies and tf.identity",
    "tensorflow.contrib.framework.experimental": "it marked functions as experimental: remove the decorator",
    "tensorflow.contrib.framework.print_op": "use tf.Print, which prints a message and tensors",
    _EDITOR + "OpMatcher": _MATCHER,
    _EDITOR + "match": _MATCHER,
    _EDITOR + "matcher": _MATCHER,
    _EDITOR + "op_type": "compare op.type",
    _EDITOR + "reroute_b2a": _EXCHANGED.format("reroute_ios"),
    _EDITOR + "reroute_b2a_inputs": _EXCHANGED.format("reroute_inputs"),
    _EDITOR + "reroute_b2a_outputs": _EXCHANGED.format("reroute_outputs"),
    _EDITOR + "reroute_b2a_ts": _EXCHANGED.format("reroute_ts"),
    _EDITOR + "transform.edit": "import tf.contrib.graph_editor and use its functions",
    _EDITOR + "transform.transform_op_in_place": "copy the operations with tf.contrib.graph_editor.Transformer",
    _EDITOR + "transform_op_in_place": "copy the operations with tf.contrib.graph_editor.Transformer",
    _REROUTE + "reroute_a2b": _SAME_NAME,
    _REROUTE + "reroute_a2b_inputs": _SAME_NAME,
    _REROUTE + "reroute_a2b_outputs": _SAME_NAME,
    _REROUTE + "reroute_a2b_ts": _SAME_NAME,
    _REROUTE + "reroute_b2a": _EXCHANGED.format("reroute_ios"),
    _REROUTE + "reroute_b2a_inputs": _EXCHANGED.format("reroute_inputs"),
    _REROUTE + "reroute_b2a_outputs": _EXCHANGED.format("reroute_outputs"),
    _REROUTE + "reroute_b2a_ts": _EXCHANGED.format("reroute_ts"),
    _REROUTE + "subgraph": "use tf.contrib.graph_editor.subgraph",
    _REROUTE + "swap": _SAME_NAME,
    _REROUTE + "util": "use tf.contrib.graph_editor.util",
    "tensorflow.contrib.layers.adaptive_clipping_fn": _MOVED_TO.format("adaptive_clipping_fn", "optimizers"),
    "tensorflow.contrib.layers.bucketize": "use tf.raw_ops.Bucketize",
    "tensorflow.contrib.layers.experimental": "it marked functions as experimental: remove the decorator",
    "tensorflow.contrib.layers.hashed_embedding_column": _HASHED,
    "tensorflow.contrib.layers.hashed_embedding_lookup": _HASHED,
    "tensorflow.contrib.layers.hashed_embedding_lookup_sparse": _HASHED,
    "tensorflow.contrib.layers.ops.gen_bucketization_op.bucketize": "use tf.raw_ops.Bucketize",
    "tensorflow.contrib.layers.pool": "use tf.nn.pool",
    "tensorflow.contrib.layers.sparse_feature_cross": "use tf.feature_column.crossed_column; it has another hash "
    "function, so the model must be trained again",
    "tensorflow.contrib.layers.sparse_ops": _ONLY_IMPORTED + "tf.sparse has the functions of sparse tensors",
    "tensorflow.contrib.layers.summarize_biases": _MOVED_TO.format("summarize_biases", "summaries"),
    "tensorflow.contrib.layers.summarize_variables": _MOVED_TO.format("summarize_variables", "summaries"),
    "tensorflow.contrib.layers.summarize_weights": _MOVED_TO.format("summarize_weights", "summaries"),
    "tensorflow.contrib.lookup.BaseSaverBuilder": _ONLY_IMPORTED + "it is private API of tf.train.Saver",
    "tensorflow.contrib.lookup.lookup_ops.BaseSaverBuilder": _ONLY_IMPORTED + "it is private API of tf.train.Saver",
    "tensorflow.contrib.ndlstm": _LSTM,
    "tensorflow.contrib.seq2seq.layers": "use tf.contrib.legacy_seq2seq.rnn_decoder or "
    "tf.contrib.seq2seq.dynamic_decode",
    "tensorflow.contrib.seq2seq.loss": "use tf.contrib.seq2seq.sequence_loss",
    "tensorflow.contrib.slim.hashed_embedding_column": _HASHED,
    "tensorflow.contrib.slim.hashed_embedding_lookup": _HASHED,
    "tensorflow.contrib.slim.hashed_embedding_lookup_sparse": _HASHED,
    "tensorflow.contrib.tensorboard.plugins.projector.PROJECTOR_FILENAME": "write 'projector_config.pbtxt'",
    "tensorflow.contrib.training.FailureTolerator": "use tf.train.MonitoredTrainingSession, which recovers from errors",
    "tensorflow.contrib.training.Feeder": "it ended before TensorFlow 1.15: feed a tf.FIFOQueue from a thread, with "
    "tf.train.Coordinator",
    "tensorflow.nn.conv3d_backprop_input": "its operation ended before TensorFlow 0.12: call "
    "tf.nn.conv3d_backprop_input_v2 with the shape of the input first",
    "tensorflow.sdca": "it had no public functions: use tf.contrib.linear_optimizer.SDCAOptimizer for linear models",
    "tensorflow.python.client.graph_util": "it is tensorflow.python.framework.graph_util since 0.6",
    "tensorflow.python.control_flow_ops": "it is tensorflow.python.ops.control_flow_ops",
}
