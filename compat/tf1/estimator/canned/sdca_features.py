"""Sparse features for stochastic dual coordinate ascent."""
from typing import Any, Callable, Dict, Iterable, Tuple

from legacy_towers.compat.tf1.private import feature_columns as columns_of_tf
from legacy_towers.compat.versions import tf


class SparseFeatureColumn:
    """Sparse features of a batch, as three vectors [N] with one entry for each feature of an example.

    Args:
      example_indices: the index of the example in the batch, int64, ascending.
      feature_indices: the index of the feature's weight, int64.
      feature_values: float32; None for values of 1.
    """

    def __init__(self, example_indices: Any, feature_indices: Any, feature_values: Any) -> None:
        with tf.name_scope(None, "SparseFeatureColumn"):
            self._example_indices = tf.convert_to_tensor(example_indices, tf.int64, name="example_indices")
            self._feature_indices = tf.convert_to_tensor(feature_indices, tf.int64, name="feature_indices")
            self._feature_values = None
            if feature_values is not None:
                self._feature_values = tf.convert_to_tensor(feature_values, tf.float32, name="feature_values")

    @property
    def example_indices(self) -> Any:
        """The index of each entry's example in the batch."""
        return self._example_indices

    @property
    def feature_indices(self) -> Any:
        """The index of each entry's weight."""
        return self._feature_indices

    @property
    def feature_values(self) -> Any:
        """The value of each entry, or None."""
        return self._feature_values


def unique_features(ids: Any, weights: Any) -> SparseFeatureColumn:
    """Returns the features of sparse `ids`, with ids that occur more than once in an example merged.

    Args:
      ids: a SparseTensor [batch, n]; negative ids, those of unknown words, are left out.
      weights: a SparseTensor of the same indices; None for weights of 1.
    """
    rows, columns = ids.indices[:, 0], tf.cast(tf.reshape(ids.values, [-1]), tf.int64)
    values = tf.ones(tf.shape(columns)) if weights is None else tf.reshape(tf.cast(weights.values, tf.float32), [-1])
    known = tf.greater_equal(columns, 0)
    rows, columns, values = [tf.boolean_mask(each, known) for each in (rows, columns, values)]
    width = tf.reduce_max(columns) + 1
    both, index = tf.unique(width * rows + columns)
    rows = tf.unsorted_segment_min(rows, index, tf.size(both))
    return SparseFeatureColumn(
        rows, both - width * rows, tf.reshape(tf.unsorted_segment_sum(values, index, tf.size(both)), [-1])
    )


def of_columns(
    columns: Iterable[Any], builder: Any, numbers: Callable[[Any], Any]
) -> Tuple[Dict[Any, SparseFeatureColumn], Dict[Any, Any]]:
    """Returns column -> sparse features of categorical columns, and column -> dense features [batch, n] of the others.

    Args:
      columns: feature columns, of tf.feature_column or of tf.contrib.layers.
      builder: the result of `private.feature_columns.transformed` for the features.
      numbers: returns the tensor [batch, ...] of a column that is not categorical.
    """
    sparse, dense = {}, {}
    for column in sorted(columns, key=lambda each: str(each.name)):
        if columns_of_tf.gives_ids(column):
            sparse[column] = unique_features(*columns_of_tf.ids_and_weights(column, builder))
        else:
            found = numbers(column)
            dense[column] = tf.reshape(found, [tf.shape(found)[0], -1])
    return sparse, dense


def whole_or_parts(variables: Any) -> Any:
    """Returns the variable of a column, or a list if it is partitioned."""
    return variables[0] if len(variables) == 1 else list(variables)
