"""Names from before TensorFlow 1.0 whose functions have another name since, and the same arguments.

`mul` here is a function that says once, at the script's line, that tf.mul was taken for tf.multiply, and calls that.
A name with a dot, `train.SummaryWriter`, is found attribute by attribute.
"""
import functools
from typing import Any, Callable, Dict, List

from legacy_towers.oldtf import current, tree

# Old name -> today's, below tf. After it, the arguments that have another name since: "where t=x e=y".
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
    "sub": "subtract",
    "train.SummaryWriter": "summary.FileWriter",
    "unpack": "unstack",
    "models.rnn.rnn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "models.rnn.rnn.rnn": "nn.static_rnn",
    "models.rnn.rnn.state_saving_rnn": "nn.static_state_saving_rnn",
}


class _Below:
    """What stands for `train` in `train.SummaryWriter`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return _found("{}.{}".format(self._name, name))


def __getattr__(name: str) -> Any:
    return _found(name)


def __dir__() -> List[str]:
    return sorted(RENAMES)


def _found(name: str) -> Any:
    if name in RENAMES:
        return _function(name)
    if any(old.startswith(name + ".") for old in RENAMES):
        return _Below(name)
    raise AttributeError(name)


@functools.lru_cache(maxsize=None)
def _function(old: str) -> Callable[..., Any]:
    new, *renamed_arguments = RENAMES[old].split()
    arguments = dict(each.split("=") for each in renamed_arguments)

    def renamed(*positional: Any, **keywords: Any) -> Any:
        current.say_once("tf." + old, "tf." + new)
        return target(new)(*positional, **{arguments.get(key, key): value for key, value in keywords.items()})

    renamed.__name__ = renamed.__qualname__ = old.rpartition(".")[2]
    renamed.__doc__ = "tf.{} was the name of tf.{} before TensorFlow 1.0.".format(old, new)
    return renamed


def target(name: str) -> Any:
    """Returns what the view has as tf.`name`."""
    value: Any = tree.module("tensorflow")
    for part in name.split("."):
        value = getattr(value, part)
    return value
