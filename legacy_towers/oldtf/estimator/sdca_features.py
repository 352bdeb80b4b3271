"""Sparse features as stochastic dual coordinate ascent takes them."""
from typing import Any, Callable, Dict, Iterable, Tuple

from legacy_towers.compat import feature_columns as columns_of_tf
from legacy_towers.compat import tf


class SparseFeatureColumn:
    """Features that most examples lack, as three vectors [N] of one entry for each that is there.

    Args:
      example_indices: the row of the example in the batch, int64, ascending.
      feature_indices: the place of its weight, int64.
      feature_values: float32; None: 1.
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
        """The row of each entry's example."""
        return self._example_indices

    @property
    def feature_indices(self) -> Any:
        """The place of each entry's weight."""
        return self._feature_indices

    @property
    def feature_values(self) -> Any:
        """The value of each entry, or None."""
        return self._feature_values


def unique_features(ids: Any, weights: Any) -> SparseFeatureColumn:
    """Returns sparse `ids` [batch, n] (below 0: unknown words, left out) as features, each once for an example.

    Args:
      ids: a SparseTensor.
      weights: a SparseTensor of the same entries; None: 1.
    """
    rows, places = ids.indices[:, 0], tf.cast(tf.reshape(ids.values, [-1]), tf.int64)
    values = tf.ones(tf.shape(places)) if weights is None else tf.reshape(tf.cast(weights.values, tf.float32), [-1])
    known = tf.greater_equal(places, 0)
    rows, places, values = [tf.boolean_mask(each, known) for each in (rows, places, values)]
    width = tf.reduce_max(places) + 1
    both, index = tf.unique(width * rows + places)
    rows = tf.unsorted_segment_min(rows, index, tf.size(both))
    return SparseFeatureColumn(
        rows, both - width * rows, tf.reshape(tf.unsorted_segment_sum(values, index, tf.size(both)), [-1])
    )


def of_columns(
    columns: Iterable[Any], builder: Any, numbers: Callable[[Any], Any]
) -> Tuple[Dict[Any, SparseFeatureColumn], Dict[Any, Any]]:
    """Returns the sparse features of columns that give ids, and the dense ones [batch, n] of the others, by name.

    Args:
      columns: feature columns, of tf.feature_column or of tf.contrib.layers.
      builder: what `compat.feature_columns.transformed` returned for the features.
      numbers: takes a column that gives no ids, and returns its tensor [batch, ...].
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
    """Returns the variable of a column, or the list of its parts."""
    return variables[0] if len(variables) == 1 else list(variables)
