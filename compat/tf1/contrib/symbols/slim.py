"""The names of tf.contrib.slim, layers, framework, losses, metrics and training, and of their modules."""
from typing import Dict, List, Tuple

from legacy_towers.compat.tf1.symbols import VIEW, Symbol

_OURS = "legacy_towers.compat.tf1.contrib."
_TF_SLIM = _OURS + "slim_library.tf_slim"
_PARTS = ("framework", "layers", "losses", "metrics", "slim", "training")

# Module below tensorflow.contrib -> target.
_BELOW: Dict[str, str] = {
    "framework.python.framework": _OURS + "framework",
    "framework.python.framework.checkpoint_utils": _OURS + "framework.checkpoint_utils",
    "framework.python.framework.graph_util": _OURS + "framework",
    "framework.python.framework.tensor_util": _OURS + "framework.tensors",
    "framework.python.ops": _OURS + "framework",
    "framework.python.ops.audio_ops": _OURS + "framework.audio_ops",
    "framework.python.ops.checkpoint_ops": _OURS + "framework.checkpoint_utils",
    "framework.python.ops.ops": _TF_SLIM + ".ops.framework_ops",
    "framework.python.ops.prettyprint_ops": _OURS + "framework.printing",
    "framework.python.ops.print_op": _OURS + "framework.printing:print_op",
    "framework.python.ops.script_ops": _OURS + "framework.functions",
    "framework.python.ops.sort_ops": _OURS + "framework",
    "framework.python.ops.variables": _TF_SLIM + ".ops.variables",
    "layers.python.layers": _OURS + "layers",
    "layers.python.layers.feature_column": _OURS + "layers.feature_column",
    "layers.python.ops.sparse_feature_cross_op": _OURS + "layers.crosses",
    "layers.python.layers.feature_column_ops": _OURS + "layers.feature_column",
    "layers.python.layers.initializers": _TF_SLIM + ".layers.initializers",
    "layers.python.layers.embedding_ops": _OURS + "layers.embeddings",
    "layers.python.layers.encoders": _OURS + "layers.embeddings",
    "layers.python.layers.layers": _TF_SLIM + ".layers.layers",
    "layers.python.layers.normalization": _TF_SLIM + ".layers.normalization",
    "layers.python.layers.optimizers": _TF_SLIM + ".layers.optimizers",
    "layers.python.layers.regularizers": _TF_SLIM + ".layers.regularizers",
    "layers.python.layers.rev_block_lib": _TF_SLIM + ".layers.rev_block_lib",
    "layers.python.layers.summaries": _TF_SLIM + ".layers.summaries",
    "layers.python.layers.utils": _TF_SLIM + ".layers.utils",
    "layers.python.ops.bucketization_op": _TF_SLIM + ".layers.bucketization_op",
    "layers.python.ops.sparse_ops": _TF_SLIM + ".layers.sparse_ops",
    "losses.python.losses": _OURS + "losses",
    "losses.python.losses.loss_ops": _TF_SLIM + ".losses.loss_ops",
    "losses.python.metric_learning": _TF_SLIM + ".losses.metric_learning",
    "losses.python.metric_learning.metric_loss_ops": _TF_SLIM + ".losses.metric_learning",
    "metrics.python.metrics": _OURS + "metrics",
    "metrics.python.metrics.classification": _TF_SLIM + ".metrics.classification",
    "metrics.python.ops": _OURS + "metrics",
    "metrics.python.ops.confusion_matrix_ops": _OURS + "metrics",
    "metrics.python.ops.histogram_ops": _TF_SLIM + ".metrics.histogram_ops",
    "metrics.python.ops.metric_ops": _TF_SLIM + ".metrics.metric_ops",
    "metrics.python.ops.set_ops": _OURS + "metrics",
    "training.python.training": _OURS + "training",
    "training.python.training.bucket_ops": _OURS + "training.bucket_ops",
    "training.python.training.device_setter": _OURS + "training.device_setter",
    "training.python.training.evaluation": _TF_SLIM + ".training.evaluation",
    "training.python.training.feeding_queue_runner": _OURS + "training.feeding",
    "training.python.training.hparam": _OURS + "training.hparam",
    "training.python.training.resample": _OURS + "training.resample",
    "training.python.training.sampling_ops": _OURS + "training.sampling_ops",
    "training.python.training.sequence_queueing_state_saver": _OURS + "training.sequence_states",
    "training.python.training.training": _TF_SLIM + ".training.training",
    "slim.nets": _OURS + "slim.nets",
    "slim.python.slim": _OURS + "slim",
    "slim.python.slim.data.data_decoder": _TF_SLIM + ".data.data_decoder",
    "slim.python.slim.data.data_provider": _TF_SLIM + ".data.data_provider",
    "slim.python.slim.data.dataset": _TF_SLIM + ".data.dataset",
    "slim.python.slim.data.dataset_data_provider": _TF_SLIM + ".data.dataset_data_provider",
    "slim.python.slim.data.parallel_reader": _TF_SLIM + ".data.parallel_reader",
    "slim.python.slim.data.prefetch_queue": _TF_SLIM + ".data.prefetch_queue",
    "slim.python.slim.data.tfexample_decoder": _TF_SLIM + ".data.tfexample_decoder",
    "slim.python.slim.evaluation": _TF_SLIM + ".evaluation",
    "slim.python.slim.learning": _TF_SLIM + ".learning",
    "slim.python.slim.model_analyzer": _TF_SLIM + ".model_analyzer",
    "slim.python.slim.nets": _OURS + "slim.nets",
    "slim.python.slim.queues": _TF_SLIM + ".queues",
    "slim.python.slim.summaries": _TF_SLIM + ".summaries",
}
# Modules that are attributes of slim, on purpose (slim.utils) or by its imports.
for _name in (
    "bucketization_op", "initializers", "layers", "normalization", "optimizers", "regularizers", "rev_block_lib",
    "utils",
):  # fmt: skip
    _BELOW["slim." + _name] = _TF_SLIM + ".layers." + _name
_BELOW["slim.embedding_ops"] = _BELOW["slim.encoders"] = _OURS + "layers.embeddings"
_BELOW["slim.sparse_feature_cross"] = _OURS + "layers.crosses:sparse_feature_cross"
_BELOW["slim.sparse_feature_cross_op"] = _OURS + "layers.crosses"
_BELOW["slim.loss_ops"] = _TF_SLIM + ".losses.loss_ops"
_BELOW["slim.metric_ops"] = _TF_SLIM + ".metrics.metric_ops"
for _name in (
    "array_ops", "control_flow_ops", "init_ops", "math_ops", "nn", "nn_ops", "random_ops", "sparse_ops",
    "variable_scope", "variables",
):  # fmt: skip
    _BELOW["slim." + _name] = VIEW + "tensorflow.python.ops." + _name
# arg_scope is a function of this package, and a module with the names below.
for _name in (
    "add_arg_scope", "arg_scope", "arg_scope_func_key", "arg_scoped_arguments", "current_arg_scope", "has_arg_scope",
):  # fmt: skip
    _BELOW["framework.python.ops.arg_scope." + _name] = _TF_SLIM + ".ops.arg_scope:" + _name
for _net in (
    "alexnet", "inception", "inception_v1", "inception_v2", "inception_v3", "overfeat", "resnet_utils", "resnet_v1",
    "resnet_v2", "vgg",
):  # fmt: skip
    _BELOW["slim.python.slim.nets." + _net] = _TF_SLIM + ".nets." + _net

_FEATURE_COLUMNS = "use the columns of tf.feature_column, with tf.feature_column.input_layer or linear_model"
_TARGETS = "use the losses of tf.losses"
_SCATTERED = "use tf.contrib.layers.embedding_column, which has an embedding row per id"
_IMPORTED = "tf.contrib.slim only imported it: use the module that defines it"

# Name below tensorflow.contrib -> why it is not supported, and what to use instead.
_UNSUPPORTED: Dict[str, str] = {}
for _part in ("layers", "slim"):
    for _name in (
        "parse_feature_columns_from_sequence_examples", "sequence_input_from_feature_columns", "DataFrameColumn",
        "InputLayer",
    ):  # fmt: skip
        _UNSUPPORTED["{}.{}".format(_part, _name)] = _FEATURE_COLUMNS
    for _name in (
        "scattered_embedding_column", "scattered_embedding_lookup", "scattered_embedding_lookup_sparse",
    ):  # fmt: skip
        _UNSUPPORTED["{}.{}".format(_part, _name)] = _SCATTERED
    for _name in (
        "ProblemType", "binary_svm_target", "get_default_binary_metrics_for_eval", "multi_class_target",
        "regression_target",
    ):  # fmt: skip
        _UNSUPPORTED["{}.{}".format(_part, _name)] = _TARGETS
for _name in (
    "deprecated", "deprecated_arg_values", "embedding_lookup_sparse_with_distributed_aggregation", "experimental",
    "make_all",
):  # fmt: skip
    _UNSUPPORTED["slim." + _name] = _IMPORTED
_UNSUPPORTED["slim.queues.contextmanager"] = "import it from contextlib"
UNSUPPORTED: Dict[str, str] = {"tensorflow.contrib." + _name: _reason for _name, _reason in _UNSUPPORTED.items()}


def _rows() -> List[Symbol]:
    targets = {part: _OURS + part for part in _PARTS}
    targets.update(_BELOW)
    return [Symbol("tensorflow.contrib." + name, target) for name, target in targets.items()]


SYMBOLS: Tuple[Symbol, ...] = tuple(_rows())
