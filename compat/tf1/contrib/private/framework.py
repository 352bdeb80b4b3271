"""Names of tf.contrib.framework that TensorFlow keeps in private modules.

They have no public name in any version. Tested on 1.15, 2.13, 2.16 and 2.21.
"""
from tensorflow.python.framework.ops import prepend_name_scope, strip_name_scope
from tensorflow.python.framework.smart_cond import smart_case, smart_cond, smart_constant_value
from tensorflow.python.framework.tensor_spec import BoundedTensorSpec
from tensorflow.python.ops.data_flow_ops import RecordInput
from tensorflow.python.ops.init_ops import (
    convolutional_delta_orthogonal,
    convolutional_orthogonal_1d,
    convolutional_orthogonal_2d,
    convolutional_orthogonal_3d,
)
from tensorflow.python.training.checkpoint_ops import (
    _load_and_remap_matrix_initializer as load_and_remap_matrix_initializer,
)
from tensorflow.python.training.checkpoint_ops import _load_embedding_initializer as load_embedding_initializer
from tensorflow.python.util import nest
from tensorflow.python.util.deprecation import deprecated, deprecated_arg_values, deprecated_args

__all__ = [
    "BoundedTensorSpec",
    "RecordInput",
    "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d",
    "convolutional_orthogonal_2d",
    "convolutional_orthogonal_3d",
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "load_and_remap_matrix_initializer",
    "load_embedding_initializer",
    "nest",
    "prepend_name_scope",
    "smart_case",
    "smart_cond",
    "smart_constant_value",
    "strip_name_scope",
]
