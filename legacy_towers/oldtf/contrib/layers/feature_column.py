"""The feature columns of tf.contrib.layers, as columns of tf.feature_column.

What models make of them, with the values and the variables of TensorFlow 1.15, is in `feature_sums`.
"""
import math
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import feature_columns as columns_of_tf
from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.layers.crosses import crossed_column
from legacy_towers.oldtf.contrib.layers.feature_sums import (
    check_feature_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    transform_features,
    weighted_sum_from_feature_columns,
)

__all__ = [
    "bucketized_column",
    "check_feature_columns",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "joint_weighted_sum_from_feature_columns",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "parse_feature_columns_from_examples",
    "real_valued_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "transform_features",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
]


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = tf.float32,
    normalizer: Optional[Callable[[Any], Any]] = None,
) -> Any:
    """Returns the column of numbers [batch, dimension].

    Raises:
      ValueError: `dimension` is None.
    """
    if dimension is None:
        raise ValueError(
            "real_valued_column {!r} without a dimension is not served: give the dimension".format(column_name)
        )
    return _ours(
        tf.feature_column.numeric_column(
            column_name, shape=(dimension,), default_value=default_value, dtype=dtype, normalizer_fn=normalizer
        )
    )


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = tf.string, hash_keys: Any = None
) -> Any:
    """Returns the column of the hashes of words or ints."""
    if hash_keys is not None:
        raise ValueError("hash_keys of column {!r} are not served: leave them out".format(column_name))
    column = tf.feature_column.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)
    return _ours(column, combiner)


def sparse_column_with_keys(
    column_name: str, keys: Sequence[Any], default_value: int = -1, combiner: str = "sum", dtype: Any = tf.string
) -> Any:
    """Returns the column of the places of words in `keys`."""
    column = tf.feature_column.categorical_column_with_vocabulary_list(
        column_name, list(keys), dtype=dtype, default_value=default_value
    )
    return _ours(column, combiner)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """Returns the column of ints modulo `bucket_size`; crosses take them as they are."""
    column = tf.feature_column.categorical_column_with_identity(column_name, bucket_size)
    return _ours(columns_of_tf.with_ids_modulo(column), combiner)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """Returns the column of the places of words in a file of a word a line."""
    column = tf.feature_column.categorical_column_with_vocabulary_file(
        column_name,
        vocabulary_file,
        vocabulary_size=vocab_size,
        num_oov_buckets=num_oov_buckets,
        default_value=None if num_oov_buckets else default_value,
        dtype=dtype,
    )
    return _ours(column, combiner)


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32) -> Any:
    """Returns `sparse_id_column` with a weight for each id."""
    return _ours(tf.feature_column.weighted_categorical_column(sparse_id_column, weight_column_name, dtype))


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> Any:
    """Returns the column of the buckets that numbers fall into."""
    return _ours(tf.feature_column.bucketized_column(source_column, list(boundaries)))


def one_hot_column(sparse_id_column: Any) -> Any:
    """Returns the column of a sparse column's ids, a number for each id."""
    return _ours(tf.feature_column.indicator_column(sparse_id_column))


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> Any:
    """Returns the column of the embeddings of a sparse column's ids."""
    return _ours(
        tf.feature_column.embedding_column(
            sparse_id_column,
            dimension,
            combiner=combiner,
            initializer=initializer or _begin_of_table(sparse_id_column),
            ckpt_to_load_from=ckpt_to_load_from,
            tensor_name_in_ckpt=tensor_name_in_ckpt,
            max_norm=max_norm,
            trainable=trainable,
        )
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: Optional[str] = None,
    initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> List[Any]:
    """Returns the columns of the embeddings of several sparse columns, which share a table."""
    return [
        _ours(column)
        for column in tf.feature_column.shared_embedding_columns(
            list(sparse_id_columns),
            dimension,
            combiner=combiner,
            initializer=initializer or _begin_of_table(sparse_id_columns[0]),
            shared_embedding_collection_name=shared_embedding_name,
            ckpt_to_load_from=ckpt_to_load_from,
            tensor_name_in_ckpt=tensor_name_in_ckpt,
            max_norm=max_norm,
            trainable=trainable,
        )
    ]


def create_feature_spec_for_parsing(feature_columns: Sequence[Any]) -> Dict[str, Any]:
    """Returns what tf.parse_example needs to read the columns."""
    found: Dict[str, Any] = {}
    for column in feature_columns:
        found.update(columns_of_tf.parsing(column))
    return found


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Sequence[Any], name: Optional[str] = None, example_names: Any = None
) -> Dict[str, Any]:
    """Returns the columns' features of serialized examples."""
    check_feature_columns(feature_columns)
    return dict(tf.parse_example(serialized, create_feature_spec_for_parsing(feature_columns), name, example_names))


def make_place_holder_tensors_for_base_features(feature_columns: Sequence[Any]) -> Dict[str, Any]:
    """Returns a placeholder for each feature that the columns need."""
    placeholders = {}
    for key, kind in create_feature_spec_for_parsing(feature_columns).items():
        name = "Placeholder_{}".format(key)
        if isinstance(kind, tf.VarLenFeature):
            placeholders[key] = tf.sparse_placeholder(kind.dtype, name=name)
        else:
            placeholders[key] = tf.placeholder(kind.dtype, [None] + [int(size) for size in kind.shape], name=name)
    return placeholders


def infer_real_valued_columns(features: Any) -> List[Any]:
    """Returns a column of numbers for each feature; a bare tensor is the column of the empty name."""
    named = features if isinstance(features, dict) else {"": features}
    columns = []
    for name, tensor in named.items():
        if not (tensor.dtype.is_floating or tensor.dtype.is_integer):
            raise ValueError("feature {!r} is no column of numbers, but of {}".format(name, tensor.dtype))
        columns.append(
            _ours(tf.feature_column.numeric_column(name, shape=tuple(tensor.shape.as_list()[1:]) or (1,)))
        )
    return columns


def _begin_of_table(column: Any) -> Any:
    # The source column of a weighted one knows how many ids there are.
    return tf.truncated_normal_initializer(mean=0.0, stddev=1.0 / math.sqrt(columns_of_tf.number_of_ids(column)))


def _ours(column: Any, combiner: str = "sum") -> Any:
    """Marks the column as one of tf.contrib, and says how linear models put several ids of a row together."""
    column.of_contrib = True
    if combiner != "sum":
        column.combiner = combiner
    return column
