"""tf.contrib.feature_column: sequence columns, now in tf.feature_column, and their input layer."""
from typing import Any, Dict, Iterable, Optional, Tuple

from legacy_towers.compat.tf1.private import feature_columns as columns_of_tensorflow
from legacy_towers.compat.versions import tf

_columns = tf.feature_column

sequence_categorical_column_with_hash_bucket = _columns.sequence_categorical_column_with_hash_bucket
sequence_categorical_column_with_identity = _columns.sequence_categorical_column_with_identity
sequence_categorical_column_with_vocabulary_file = _columns.sequence_categorical_column_with_vocabulary_file
sequence_categorical_column_with_vocabulary_list = _columns.sequence_categorical_column_with_vocabulary_list
sequence_numeric_column = _columns.sequence_numeric_column

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]


def sequence_input_layer(
    features: Dict[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: Optional[Iterable[str]] = None,
    trainable: bool = True,
) -> Tuple[Any, Any]:
    """Returns the dense values of sequence columns, and the sequence length of each example.

    Args:
      features: name -> SparseTensor [batch, time] of ids, strings or numbers.
      feature_columns: sequence_numeric_column; embedding_column or indicator_column of a sequence_categorical_column.
        They are concatenated in the order of their names.
      weight_collections: collections for the embedding variables.
      trainable: whether the embedding variables are trainable.

    Returns:
      (float32 [batch, time, sum of the columns' sizes], int64 [batch]). The values after the end of a sequence are 0.

    Raises:
      ValueError: there are no columns, two have the same name, or one is not a sequence column.
      tf.errors.InvalidArgumentError: in a session run: the sequences of an example have different lengths.
    """
    columns = sorted(feature_columns, key=lambda each: each.name)
    names = [each.name for each in columns]
    if not columns or len(set(names)) < len(names):
        raise ValueError("feature_columns must be columns with different names, got {}".format(names))
    for each in columns:
        if not columns_of_tensorflow.gives_sequences(each):
            raise ValueError(
                "column {!r} is not a dense sequence column: wrap a sequence_categorical_column with "
                "embedding_column or indicator_column".format(each.name)
            )
    with tf.variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        found = columns_of_tensorflow.sequences(columns, features, weight_collections, trainable)
        lengths = [length for _, length in found]
        equal = [tf.assert_equal(lengths[0], other, message="columns of different lengths") for other in lengths[1:]]
        with tf.control_dependencies(equal):
            length = tf.identity(lengths[0])
        return tf.concat([numbers for numbers, _ in found], axis=-1), length
