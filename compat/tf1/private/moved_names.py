"""The table of names of tensorflow.python, which scripts of 1.x import from, that 2.x moved.

Most have a public name too, which is used. The others are private; each was tried on 2.13, 2.16 and 2.21. A name that
an older 2.x still has in its old module is found there first, and 1.15 has all of them in their old modules. A row can
go when TensorFlow drops its name.
"""
import functools
import importlib
from typing import Any, Dict, Optional, Tuple

# The TF1 API as this package loads it: its `keras` is Keras 2, also where TensorFlow itself has Keras 3.
_PUBLIC = "legacy_towers.compat.versions:tf."

# Module -> its names that have a public name today: "name" if it is the same, otherwise "name=public name".
_WITH_A_PUBLIC_NAME = {
    "framework.ops": "IndexedSlices Tensor convert_to_tensor_or_indexed_slices"
    " register_tensor_conversion_function enable_tensor_equality disable_tensor_equality",
    "framework.graph_util": "convert_variables_to_constants=graph_util.convert_variables_to_constants",
    "framework.graph_util_impl": "convert_variables_to_constants=graph_util.convert_variables_to_constants",
    "framework.config": "get_virtual_device_configuration=config.experimental.get_virtual_device_configuration"
    " set_virtual_device_configuration=config.experimental.set_virtual_device_configuration",
    "ops.array_ops": "stack unstack",
    "ops.control_flow_ops": "Assert case cond while_loop switch_case",
    "ops.math_ops": "bessel_i0e=math.bessel_i0e bessel_i1e=math.bessel_i1e bincount_v1=bincount bincount",
    "ops.gen_math_ops": "bessel_i0e=math.bessel_i0e bessel_i1e=math.bessel_i1e",
    "ops.nn_impl": "compute_average_loss=nn.compute_average_loss l2_normalize_v2=math.l2_normalize"
    " scale_regularization_loss=nn.scale_regularization_loss",
    "ops.nn": "l2_normalize_v2=math.l2_normalize rnn_cell=nn.rnn_cell dynamic_rnn=nn.dynamic_rnn"
    " bidirectional_dynamic_rnn=nn.bidirectional_dynamic_rnn static_rnn=nn.static_rnn raw_rnn=nn.raw_rnn",
    "ops.random_ops": "random_crop",
    "ops.standard_ops": "VariableV1=Variable bincount_v1=bincount is_variable_initialized random_crop stack unstack",
    "ops.variable_scope": "disable_resource_variables enable_resource_variables resource_variables_enabled"
    " variable=Variable",
    "ops.variables": "VariableV1=Variable is_variable_initialized",
    "ops.clip_ops": "clip_by_value clip_by_norm clip_by_global_norm global_norm",
    "pywrap_tensorflow": "NewCheckpointReader=train.NewCheckpointReader",
    "pywrap_tensorflow_internal": "NewCheckpointReader=train.NewCheckpointReader",
    "data.ops.dataset_ops": "Options=data.Options",
    "feature_column.dense_features": "DenseFeatures=keras.layers.DenseFeatures",
    "autograph": "do_not_convert=autograph.experimental.do_not_convert convert=autograph.to_graph"
    " to_graph=autograph.to_graph to_code=autograph.to_code",
}

# Old name -> its location today, a module or "module:name"; all are below tensorflow.python.
_PRIVATE = {
    "data.util.nest.is_sequence": "data.util.nest:is_nested",
    "distribute.all_reduce": "distribute.v1.all_reduce",
    "distribute.distribution_strategy_context": "distribute.distribute_lib",
    "eager.function.defun": "eager.def_function:function",
    "estimator.util": "util.function_utils",
    "feature_column.dense_features": "feature_column.feature_column_v2",
    "framework.ops.convert_n_to_tensor_or_indexed_slices": "framework.indexed_slices"
    ":internal_convert_n_to_tensor_or_indexed_slices",
    "framework.ops.convert_to_tensor_v2": "framework.tensor_conversion:convert_to_tensor_v2",
    "framework.ops.IndexedSlicesValue": "framework.indexed_slices:IndexedSlicesValue",
    "framework.ops.default_session": "framework.stack:default_session",
    "framework.ops.get_default_session": "framework.stack:get_default_session",
    "framework.ops.internal_convert_to_tensor": "framework.ops:convert_to_tensor",
    "framework.ops.internal_convert_to_tensor_or_indexed_slices": "framework.indexed_slices"
    ":internal_convert_to_tensor_or_indexed_slices",
    "framework.ops.internal_convert_n_to_tensor_or_indexed_slices": "framework.indexed_slices"
    ":internal_convert_n_to_tensor_or_indexed_slices",
    "framework.tensor_util.maybe_set_static_shape": "ops.shape_util:maybe_set_static_shape",
    "framework.tensor_util.shape_tensor": "ops.shape_util:shape_tensor",
    "ops.gen_user_ops": "user_ops.ops.gen_user_ops",
    "ops.losses.loss_reduction": "ops.losses.losses_impl",
    "ops.variable_scope.default_variable_creator": "ops.ref_variable:default_variable_creator",
    "ops.variables.RefVariable": "ops.ref_variable:RefVariable",
    "ops.standard_ops.RefVariable": "ops.ref_variable:RefVariable",
    "pywrap_tensorflow.EventsWriter": "client._pywrap_events_writer:EventsWriter",
    "pywrap_tensorflow_internal": "pywrap_tensorflow",
    "pywrap_tensorflow_internal.EventsWriter": "client._pywrap_events_writer:EventsWriter",
    "training.distribute": "distribute.distribute_lib",
    "training.distribution_strategy_context": "distribute.distribute_lib",
    "training.gen_training_ops": "ops.gen_training_ops",
    "training.saving.functional_saver": "checkpoint.functional_saver",
    "training.tracking": "trackable",
    "training.tracking.base": "trackable.base",
    "training.tracking.data_structures": "trackable.data_structures",
    "training.tracking.graph_view": "checkpoint.graph_view",
    "training.tracking.layer_utils": "trackable.layer_utils",
    "training.tracking.python_state": "trackable.python_state",
    "training.tracking.tracking": "trackable.autotrackable",
    "training.tracking.util": "checkpoint.checkpoint",
    "training.training_ops": "ops.gen_training_ops",
    "util.nest.is_sequence": "util.nest:is_nested",
}
# Modules that most of TensorFlow's modules import, and that scripts use as their attributes: `rnn.vs.variable_scope`.
_IMPORTED = {
    "array_ops": "ops.array_ops",
    "context": "eager.context",
    "control_flow_ops": "ops.control_flow_ops",
    "dtypes": "framework.dtypes",
    "embedding_ops": "ops.embedding_ops",
    "init_ops": "ops.init_ops",
    "math_ops": "ops.math_ops",
    "nest": "util.nest",
    "nn_ops": "ops.nn_ops",
    "ops": "framework.ops",
    "random_ops": "ops.random_ops",
    "rnn_cell_impl": "ops.rnn_cell_impl",
    "tensor_shape": "framework.tensor_shape",
    "variable_scope": "ops.variable_scope",
    "variables": "ops.variables",
    "vs": "ops.variable_scope",
}
# Names that are not below tensorflow.python.
_OTHERS = {
    "tensorflow.contrib.tpu.python.tpu.bfloat16": "tensorflow.python.tpu.bfloat16",
    "tensorflow.contrib.tpu.python.tpu.tpu_function": "tensorflow.python.tpu.tpu_function",
    "tensorflow.pywrap_tensorflow": "tensorflow.python.pywrap_tensorflow",
    "tensorflow.pywrap_tensorflow.NewCheckpointReader": _PUBLIC + "train.NewCheckpointReader",
}
_PYTHON = "tensorflow.python."


def _without_importing_module(dotted: str) -> str:
    """Returns the name in its own module: tensorflow.python.ops.nn_ops.x for tensorflow.python.layers.core.nn_ops.x."""
    parts = dotted.split(".")
    for index in range(len(parts) - 1, 3, -1):  # tensorflow, python, a package and a module come before
        if parts[index] in _IMPORTED and dotted.startswith(_PYTHON):
            return ".".join([_PYTHON + _IMPORTED[parts[index]]] + parts[index + 1 :])
    return dotted


def _public_locations() -> Dict[str, str]:
    found = {}
    for module, names in _WITH_A_PUBLIC_NAME.items():
        for name in names.split():
            old, _, public = name.partition("=")
            found["{}{}.{}".format(_PYTHON, module, old)] = _PUBLIC + (public or old)
    return found


@functools.lru_cache(maxsize=None)
def locations() -> Dict[str, str]:
    """Returns old dotted name -> its location today, a module or "module:name"."""
    found = {_PYTHON + old: _PYTHON + new for old, new in _PRIVATE.items()}
    found.update(_public_locations())
    found.update(_OTHERS)
    return found


def find(dotted: str) -> Optional[Tuple[Any]]:
    """Returns (value,) of the old name "tensorflow.python.util.nest.is_sequence", None if it is not in the table."""
    dotted = _without_importing_module(dotted)
    location = locations().get(dotted)
    parent, _, last = dotted.rpartition(".")
    if location is None and parent + "." == _PYTHON:
        # `from tensorflow.python import matmul`: tensorflow.python of 1.x had all names of the public API.
        location = _PUBLIC + last
    if location is None and last in _IMPORTED and dotted == _PYTHON + _IMPORTED[last]:
        location = dotted
    if location is None:
        return None
    module, _, attribute = location.partition(":")
    try:
        value = importlib.import_module(module)
        for name in attribute.split(".") if attribute else ():
            value = getattr(value, name)
    except (ImportError, AttributeError):
        return None
    return (value,)
