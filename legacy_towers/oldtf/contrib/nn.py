"""tf.contrib.nn."""
from typing import Any, Optional

from legacy_towers.compat import tf

__all__ = [
    "conv1d_transpose",
    "deprecated_flipped_sigmoid_cross_entropy_with_logits",
    "deprecated_flipped_softmax_cross_entropy_with_logits",
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    "nth_element",
]


def nth_element(input: Any, n: Any, reverse: bool = False, name: Optional[str] = None) -> Any:
    """Returns the `n`-th smallest, or greatest, along the last axis."""
    return tf.raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def conv1d_transpose(
    value: Any,
    filter: Any,
    output_shape: Any,
    stride: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    name: Any = None,
) -> Any:
    """Returns the transpose of a convolution over one axis."""
    return tf.nn.conv1d_transpose(value, filter, output_shape, stride, padding, data_format, name=name)


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: Optional[str] = None
) -> Any:
    """tf.nn.softmax_cross_entropy_with_logits with the logits first."""
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: Optional[str] = None
) -> Any:
    """tf.nn.sparse_softmax_cross_entropy_with_logits with the logits first."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: Any, targets: Any, name: Optional[str] = None) -> Any:
    """tf.nn.sigmoid_cross_entropy_with_logits with the logits first."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
