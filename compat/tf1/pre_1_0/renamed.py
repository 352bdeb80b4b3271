"""Functions and classes that TensorFlow 1.0 renamed without changing the order of their arguments.

`mul` of this module reports once per line of the script that tf.mul is replaced by tf.multiply, and calls that. A name
with a dot, `train.SummaryWriter`, is found attribute by attribute.
"""
import functools
from typing import Any, Callable, Dict, List

from legacy_towers.compat.tf1 import script_api, user_script
from legacy_towers.compat.tf1.core import dotted_names

# Old name -> new name, below tf, and after it arguments that were renamed: "where t=x e=y".
RENAMES: Dict[str, str] = {
    "batch_cholesky": "cholesky",
    "batch_cholesky_solve": "cholesky_solve",
    "batch_fft": "fft",
    "batch_fft2d": "fft2d",
    "batch_fft3d": "fft3d",
    "batch_ifft": "ifft",
    "batch_ifft2d": "ifft2d",
    "batch_ifft3d": "ifft3d",
    "batch_matmul": "matmul x=a y=b adj_x=adjoint_a adj_y=adjoint_b",
    "batch_matrix_band_part": "matrix_band_part",
    "batch_matrix_determinant": "matrix_determinant",
    "batch_matrix_diag": "matrix_diag",
    "batch_matrix_diag_part": "matrix_diag_part",
    "batch_matrix_inverse": "matrix_inverse",
    "batch_matrix_set_diag": "matrix_set_diag",
    "batch_matrix_solve": "matrix_solve",
    "batch_matrix_solve_ls": "matrix_solve_ls",
    "batch_matrix_transpose": "matrix_transpose",
    "batch_matrix_triangular_solve": "matrix_triangular_solve",
    "batch_self_adjoint_eig": "self_adjoint_eig",
    "batch_self_adjoint_eigvals": "self_adjoint_eigvals",
    "batch_svd": "svd",
    "complex_abs": "abs",
    "concat_v2": "concat",
    "contrib.graph_editor.ops": "contrib.graph_editor.select_ops",
    "contrib.graph_editor.reroute_a2b": "contrib.graph_editor.reroute_ios",
    "contrib.graph_editor.reroute_a2b_inputs": "contrib.graph_editor.reroute_inputs",
    "contrib.graph_editor.reroute_a2b_outputs": "contrib.graph_editor.reroute_outputs",
    "contrib.graph_editor.reroute_a2b_ts": "contrib.graph_editor.reroute_ts",
    "contrib.graph_editor.swap": "contrib.graph_editor.swap_ios",
    "contrib.graph_editor.ts": "contrib.graph_editor.select_ts",
    "image.per_image_whitening": "image.per_image_standardization",
    "image.saturate_cast": "saturate_cast image=value",
    "inv": "reciprocal",
    "list_diff": "setdiff1d",
    "listdiff": "setdiff1d",
    "merge_all_summaries": "summary.merge_all",
    "mul": "multiply",
    "neg": "negative",
    "nn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "nn.deconv2d": "nn.conv2d_transpose",
    "nn.rnn": "nn.static_rnn",
    "nn.state_saving_rnn": "nn.static_state_saving_rnn",
    "pack": "stack",
    "python.ops.array_ops.pack": "stack",
    "python.ops.array_ops.unpack": "unstack",
    "python.ops.math_ops.mul": "multiply",
    "python.ops.math_ops.neg": "negative",
    "python.ops.math_ops.sub": "subtract",
    "python.ops.rnn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "python.ops.rnn.rnn": "nn.static_rnn",
    "python.ops.rnn.state_saving_rnn": "nn.static_state_saving_rnn",
    "select": "where t=x e=y",
    "split_v": "split size_splits=num_or_size_splits split_dim=axis",
    "sub": "subtract",
    "train.SummaryWriter": "summary.FileWriter",
    "train.SyncReplicasOptimizerV2": "train.SyncReplicasOptimizer",
    "unpack": "unstack",
    "models.rnn.rnn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "models.rnn.rnn.rnn": "nn.static_rnn",
    "models.rnn.rnn.state_saving_rnn": "nn.static_state_saving_rnn",
}


def __getattr__(name: str) -> Any:
    return dotted_names.find(name, RENAMES, _function)


def __dir__() -> List[str]:
    return sorted(RENAMES)


@functools.lru_cache(maxsize=None)
def _function(old: str) -> Callable[..., Any]:
    new, *renamed_arguments = RENAMES[old].split()
    if isinstance(target(new), type):
        return _class(old, new, target(new))
    arguments = dict(each.split("=") for each in renamed_arguments)

    def renamed(*positional: Any, **keywords: Any) -> Any:
        user_script.report_replacement("tf." + old, "tf." + new)
        return target(new)(*positional, **{arguments.get(key, key): value for key, value in keywords.items()})

    renamed.__name__ = renamed.__qualname__ = old.rpartition(".")[2]
    renamed.__doc__ = "tf.{} was the name of tf.{} before TensorFlow 1.0.".format(old, new)
    return renamed


def _class(old: str, new: str, new_class: Any) -> Any:
    """Returns a class with the old name: calling it makes instances of `new_class`, and isinstance accepts them."""

    class OldName(type(new_class)):  # type: ignore[misc]
        def __call__(cls, *positional: Any, **keywords: Any) -> Any:
            if cls is not renamed:  # a subclass defined by the script
                return super().__call__(*positional, **keywords)
            user_script.report_replacement("tf." + old, "tf." + new)
            return new_class(*positional, **keywords)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, new_class) if cls is renamed else super().__instancecheck__(instance)

    text = "tf.{} was the name of tf.{} before TensorFlow 1.0.".format(old, new)
    renamed = OldName(old.rpartition(".")[2], (new_class,), {"__doc__": text})
    return renamed


def target(name: str) -> Any:
    """Returns tf.`name` of the view."""
    value: Any = script_api.tensorflow()
    for part in name.split("."):
        value = getattr(value, part)
    return value
