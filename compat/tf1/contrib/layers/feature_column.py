"""The feature columns of tf.contrib.layers, implemented by columns of tf.feature_column.

`feature_sums` builds input layers and linear models from them, with the values and the variables of TensorFlow 1.15.
"""
import math
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.layers.crosses import crossed_column
from legacy_towers.compat.tf1.contrib.layers.feature_sums import (
    check_feature_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    transform_features,
    weighted_sum_from_feature_columns,
)
from legacy_towers.compat.tf1.private import feature_columns as tf_feature_columns
from legacy_towers.compat.versions import tf

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
    """Returns a column of dense numbers [batch, dimension].

    Raises:
      ValueError: `dimension` is None.
    """
    if dimension is None:
        raise ValueError("real_valued_column {!r} needs a dimension: None is not supported".format(column_name))
    return _mark_contrib_column(
        tf.feature_column.numeric_column(
            column_name, shape=(dimension,), default_value=default_value, dtype=dtype, normalizer_fn=normalizer
        )
    )


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = tf.string, hash_keys: Any = None
) -> Any:
    """Returns a sparse column whose ids are hashes of strings or ints.

    Raises:
      ValueError: `hash_keys` is given.
    """
    if hash_keys is not None:
        raise ValueError("hash_keys of column {!r} are not supported: leave them out".format(column_name))
    column = tf.feature_column.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)
    return _mark_contrib_column(column, combiner)


def sparse_column_with_keys(
    column_name: str, keys: Sequence[Any], default_value: int = -1, combiner: str = "sum", dtype: Any = tf.string
) -> Any:
    """Returns a sparse column whose ids are the indices of its values in `keys`; `default_value` for other values."""
    column = tf.feature_column.categorical_column_with_vocabulary_list(
        column_name, list(keys), dtype=dtype, default_value=default_value
    )
    return _mark_contrib_column(column, combiner)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """Returns a sparse column whose ids are ints modulo `bucket_size`; crossed columns use the ints themselves."""
    column = tf.feature_column.categorical_column_with_identity(column_name, bucket_size)
    return _mark_contrib_column(tf_feature_columns.with_ids_modulo(column), combiner)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """Returns a sparse column whose ids are line numbers of its values in `vocabulary_file`.

    Other values get one of `num_oov_buckets` ids by their hash, or `default_value`.
    """
    column = tf.feature_column.categorical_column_with_vocabulary_file(
        column_name,
        vocabulary_file,
        vocabulary_size=vocab_size,
        num_oov_buckets=num_oov_buckets,
        default_value=None if num_oov_buckets else default_value,
        dtype=dtype,
    )
    return _mark_contrib_column(column, combiner)


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32) -> Any:
    """Returns `sparse_id_column` with a weight for each id, from the feature `weight_column_name`."""
    column = tf.feature_column.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)
    return _mark_contrib_column(column)


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> Any:
    """Returns a column of the buckets, bounded by `boundaries`, that the numbers of `source_column` fall into."""
    return _mark_contrib_column(tf.feature_column.bucketized_column(source_column, list(boundaries)))


def one_hot_column(sparse_id_column: Any) -> Any:
    """Returns a dense column with the counts of a sparse column's ids in each row."""
    return _mark_contrib_column(tf.feature_column.indicator_column(sparse_id_column))


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
    """Returns a dense column with the embeddings [batch, dimension] of a sparse column's ids.

    Args:
      combiner: how several ids of a row are combined: "mean", "sqrtn" or "sum".
      initializer: by default truncated normal with standard deviation 1 / sqrt(number of ids).
      ckpt_to_load_from: a checkpoint that initializes the embedding.
      tensor_name_in_ckpt: the name of the embedding in that checkpoint.
      max_norm: the maximum norm to which each embedding is clipped; None: no clipping.
    """
    return _mark_contrib_column(
        tf.feature_column.embedding_column(
            sparse_id_column,
            dimension,
            combiner=combiner,
            initializer=initializer or _default_initializer(sparse_id_column),
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
    """Returns embedding columns of several sparse columns that share one variable; see `embedding_column`."""
    return [
        _mark_contrib_column(column)
        for column in tf.feature_column.shared_embedding_columns(
            list(sparse_id_columns),
            dimension,
            combiner=combiner,
            initializer=initializer or _default_initializer(sparse_id_columns[0]),
            shared_embedding_collection_name=shared_embedding_name,
            ckpt_to_load_from=ckpt_to_load_from,
            tensor_name_in_ckpt=tensor_name_in_ckpt,
            max_norm=max_norm,
            trainable=trainable,
        )
    ]


def create_feature_spec_for_parsing(feature_columns: Sequence[Any]) -> Dict[str, Any]:
    """Returns the specification of the columns' features for tf.parse_example."""
    specification: Dict[str, Any] = {}
    for column in feature_columns:
        specification.update(tf_feature_columns.parsing(column))
    return specification


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Sequence[Any], name: Optional[str] = None, example_names: Any = None
) -> Dict[str, Any]:
    """Parses serialized tf.train.Example protos [batch] and returns name -> feature."""
    check_feature_columns(feature_columns)
    return dict(tf.parse_example(serialized, create_feature_spec_for_parsing(feature_columns), name, example_names))


def make_place_holder_tensors_for_base_features(feature_columns: Sequence[Any]) -> Dict[str, Any]:
    """Returns name -> placeholder for each feature of the columns."""
    placeholders = {}
    for key, parsing in create_feature_spec_for_parsing(feature_columns).items():
        name = "Placeholder_{}".format(key)
        if isinstance(parsing, tf.VarLenFeature):
            placeholders[key] = tf.sparse_placeholder(parsing.dtype, name=name)
        else:
            placeholders[key] = tf.placeholder(parsing.dtype, [None] + [int(size) for size in parsing.shape], name=name)
    return placeholders


def infer_real_valued_columns(features: Any) -> List[Any]:
    """Returns a real-valued column for each feature; a single tensor has the name "".

    Raises:
      ValueError: a feature's dtype is neither floating-point nor integer.
    """
    named = features if isinstance(features, dict) else {"": features}
    columns = []
    for name, tensor in named.items():
        if not (tensor.dtype.is_floating or tensor.dtype.is_integer):
            raise ValueError(
                "feature {!r} must have a floating-point or integer dtype, got {}".format(name, tensor.dtype)
            )
        shape = tuple(tensor.shape.as_list()[1:]) or (1,)
        columns.append(_mark_contrib_column(tf.feature_column.numeric_column(name, shape=shape)))
    return columns


def _default_initializer(column: Any) -> Any:
    # For a weighted column this is the number of ids of its source column.
    return tf.truncated_normal_initializer(mean=0.0, stddev=1.0 / math.sqrt(tf_feature_columns.number_of_ids(column)))


def _mark_contrib_column(column: Any, combiner: str = "sum") -> Any:
    """Marks `column` as one of tf.contrib and sets how linear models combine several ids of a row."""
    column.of_contrib = True
    if combiner != "sum":
        column.combiner = combiner
    return column
