"""tf.contrib.feature_column: columns of sequences, which are in tf.feature_column now."""
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
    "sequence_numeric_column",
]
