"""The linear map of tf.contrib.rnn's cells, with variables "kernel" and "bias" in the current variable scope."""
from typing import Any, Optional, Sequence, Union

from legacy_towers.compat.versions import tf

KERNEL = "kernel"
BIAS = "bias"


def width(x: Any) -> int:
    """Returns the size of the last axis of the matrix `x`.

    Raises:
      ValueError: the size is unknown, or `x` is not a matrix.
    """
    size = tf.dimension_value(x.shape.with_rank(2)[1])
    if size is None:
        raise ValueError(
            "the last axis of {} must be known when the graph is built: set it with set_shape".format(x.name)
        )
    return int(size)


class Linear(object):
    """A linear map of one or several matrices, concatenated along their last axis, with one kernel.

    Args:
      args: a matrix [batch, size] or a list of them. The kernel has the sum of their sizes as rows and the dtype of the
        first.
      output_size: columns of the result.
      build_bias: whether to add a bias.
      bias_initializer: zeros by default.
      kernel_initializer: that of the variable scope by default.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        if args is None or (isinstance(args, (list, tuple)) and not args):
            raise ValueError("`args` must be specified")
        matrices = _listed(args)
        dtype = matrices[0].dtype
        self._kernel = tf.get_variable(
            KERNEL, [sum(width(each) for each in matrices), output_size], dtype=dtype, initializer=kernel_initializer
        )
        self._bias = _bias(output_size, dtype, bias_initializer) if build_bias else None

    def __call__(self, args: Any) -> Any:
        matrices = _listed(args)
        product = tf.matmul(matrices[0] if len(matrices) == 1 else tf.concat(matrices, 1), self._kernel)
        return product if self._bias is None else tf.nn.bias_add(product, self._bias)


def linear(
    args: Union[Any, Sequence[Any]],
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Returns the linear map of `args`, [batch, output_size]; makes its variables, or reuses them as the scope says."""
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def _listed(args: Any) -> Sequence[Any]:
    return args if isinstance(args, (list, tuple)) else [args]


def _bias(size: int, dtype: Any, initializer: Optional[Any]) -> Any:
    # A bias is never partitioned.
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        scope.set_partitioner(None)
        return tf.get_variable(BIAS, [size], dtype=dtype, initializer=initializer or tf.zeros_initializer(dtype))
