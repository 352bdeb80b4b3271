"""Tables of the functions that this package replaces by a rule; reading them imports no TensorFlow.

`symbols` has a row for each of them; `orders` and `dtypes` make the functions. Names are those below tf.
"""
from typing import Any, Dict, Tuple

# Functions with another order, or other names, of their arguments in 1.15 -> (argument of 1.15 -> its name since).
ARGUMENTS: Dict[str, Dict[str, str]] = {
    "config.experimental.set_virtual_device_configuration": {"virtual_devices": "logical_devices"},
    "function": {},
    "image.adjust_jpeg_quality": {},
    "keras.models.save_model": {},
    "keras.preprocessing.image.apply_affine_transform": {},
    "keras.preprocessing.text.one_hot": {"text": "input_text"},
    "keras.preprocessing.text.text_to_word_sequence": {"text": "input_text"},
    "keras.utils.deserialize_keras_object": {},
    "keras.utils.model_to_dot": {},
    "keras.utils.plot_model": {},
    "keras.utils.serialize_keras_object": {},
    "linalg.matmul": {},
    "manip.scatter_nd": {},
    "math.top_k": {},
    "matmul": {},
    "nn.top_k": {},
    "random.experimental.create_rng_state": {"algorithm": "alg"},
    "scatter_nd": {},
    "tensor_scatter_add": {},
    "tensor_scatter_nd_add": {},
    "tensor_scatter_nd_sub": {},
    "tensor_scatter_sub": {},
}
# Those of them with other defaults in 1.15.
DEFAULTS: Dict[str, Dict[str, Any]] = {
    "keras.preprocessing.image.apply_affine_transform": {"row_axis": 0, "col_axis": 1, "channel_axis": 2},
}
# Those of them that are in the module `legacy` beside their own since Keras 2.12 has another format.
IN_LEGACY: Tuple[str, ...] = ("keras.utils.deserialize_keras_object", "keras.utils.serialize_keras_object")

# Functions without kernels for float16 on TensorFlow 2's CPU.
HALVES: Tuple[str, ...] = (
    "cholesky", "linalg.cholesky", "cholesky_solve", "linalg.cholesky_solve", "linalg.logdet", "linalg.lstsq",
    "linalg.matrix_rank", "linalg.pinv", "matrix_solve_ls", "matrix_triangular_solve", "linalg.triangular_solve",
    "rint", "math.rint", "self_adjoint_eig", "linalg.eigh", "self_adjoint_eigvals",
    "linalg.eigvalsh", "svd", "linalg.svd", "truncatemod",
)  # fmt: skip
