"""What columns of tf.feature_column make of features, and the class that a column of ids of our own is of.

All of it is private: the columns of the first version, by which input_layer and linear_model of tf.compat.v1 work.
Tried on 1.15 and 2.21.
"""
from typing import Any, Dict, Tuple

from tensorflow.python.feature_column import feature_column as first_version

CategoricalColumn = first_version._CategoricalColumn


def transformed(features: Dict[str, Any]) -> Any:
    """Returns what computes each column of `features` once, by its `get`."""
    return first_version._LazyBuilder(dict(features))


def gives_ids(column: Any) -> bool:
    """Returns whether `column` is one of ids, or of buckets, which are ids too."""
    return isinstance(column, CategoricalColumn)


def ids_and_weights(column: Any, builder: Any) -> Tuple[Any, Any]:
    """Returns (sparse ids, sparse weights or None) of a column of ids, by what `transformed` returned."""
    found = column._get_sparse_tensors(builder)
    return found.id_tensor, found.weight_tensor


def pair(ids: Any, weights: Any = None) -> Any:
    """Returns what `_get_sparse_tensors` of a column of our own returns."""
    return CategoricalColumn.IdWeightPair(ids, weights)


def number_of_ids(column: Any) -> int:
    """Returns how many ids a column of ids has."""
    return int(column._num_buckets)


def numbers(column: Any, builder: Any, trainable: bool = True) -> Any:
    """Returns the numbers [batch, ...] of a column of numbers."""
    return column._get_dense_tensor(builder, weight_collections=None, trainable=trainable)


def parsing(column: Any) -> Dict[str, Any]:
    """Returns what tf.parse_example needs to read the column."""
    return dict(column._parse_example_spec)
