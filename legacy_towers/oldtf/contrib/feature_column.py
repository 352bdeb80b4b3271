"""tf.contrib.feature_column: columns of sequences, which are in tf.feature_column now, and their input layer."""
from typing import Any, Dict, Iterable, Optional, Tuple

from legacy_towers.compat import feature_columns as columns_of_tensorflow
from legacy_towers.compat import tf

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
    """Returns the numbers of all columns, step by step, and how many steps each example has.

    Args:
      features: name -> SparseTensor [batch, time] of ids, words or numbers.
      feature_columns: sequence_numeric_column; embedding_column or indicator_column of a sequence_categorical_column.
        They are joined in the order of their names.
      weight_collections: collections for the variables of embeddings.
      trainable: whether these are trained.

    Returns:
      (float32 [batch, time, sum of the columns' sizes], int64 [batch]). Steps after the last of an example are zeros.

    Raises:
      ValueError: no columns, two of one name, or one that is no column of sequences.
      tf.errors.InvalidArgumentError: (when it runs) the columns' sequences have different lengths.
    """
    columns = sorted(feature_columns, key=lambda each: each.name)
    names = [each.name for each in columns]
    if not columns or len(set(names)) < len(names):
        raise ValueError("feature_columns must be columns of different names, and were {}".format(names))
    for each in columns:
        if not columns_of_tensorflow.gives_sequences(each):
            raise ValueError(
                "{!r} gives no sequence of numbers: put embedding_column or indicator_column around a "
                "sequence_categorical_column".format(each.name)
            )
    with tf.variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        found = columns_of_tensorflow.sequences(columns, features, weight_collections, trainable)
        lengths = [length for _, length in found]
        equal = [tf.assert_equal(lengths[0], other, message="columns of different lengths") for other in lengths[1:]]
        with tf.control_dependencies(equal):
            length = tf.identity(lengths[0])
        return tf.concat([numbers for numbers, _ in found], axis=-1), length
