"""The linear map of tf.contrib.rnn's cells: variables "kernel" and "bias" in the scope that is open when it is made."""
from typing import Any, Optional, Sequence, Union

from legacy_towers.compat import tf

KERNEL = "kernel"
BIAS = "bias"


def width(x: Any) -> int:
    """Returns the size of the last axis of `x`, a matrix.

    Raises:
      ValueError: it is unknown, or `x` is no matrix.
    """
    size = tf.dimension_value(x.shape.with_rank(2)[1])
    if size is None:
        raise ValueError(
            "the last axis of {} must be known when the graph is built: set_shape tells it".format(x.name)
        )
    return int(size)


class Linear(object):
    """A map of matrices with one set of variables; its rows are those of all arguments, one below the other.

    Args:
      args: one matrix or a list of them; their widths and the dtype of the first say what is made.
      output_size: columns of the result.
      build_bias: whether something is added.
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
    """Makes, or finds by the scope's `reuse`, the variables of a linear map, and returns its value at `args`."""
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def _listed(args: Any) -> Sequence[Any]:
    return args if isinstance(args, (list, tuple)) else [args]


def _bias(size: int, dtype: Any, initializer: Optional[Any]) -> Any:
    # A bias is never partitioned.
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        scope.set_partitioner(None)
        return tf.get_variable(BIAS, [size], dtype=dtype, initializer=initializer or tf.zeros_initializer(dtype))
