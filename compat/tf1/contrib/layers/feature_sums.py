"""Input layers and linear models of feature columns, with the variables of TensorFlow 1.15's tf.contrib.layers."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.layers.crosses import CrossedColumn
from legacy_towers.compat.tf1.contrib.layers.embeddings import safe_embedding_lookup_sparse
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.ops.variables import model_variable
from legacy_towers.compat.tf1.private import feature_columns as tf_feature_columns
from legacy_towers.compat.versions import tf

__all__ = [
    "check_feature_columns",
    "linear_combiner",
    "input_from_feature_columns",
    "is_contrib_column",
    "joint_weighted_sum_from_feature_columns",
    "transform_features",
    "weighted_sum_from_feature_columns",
]

# Class of tf.feature_column, without its underscore -> (class of tf.contrib.layers, its first field).
_CONTRIB_CLASSES = {
    "BucketizedColumn": ("_BucketizedColumn", "source_column"),
    "EmbeddingColumn": ("_EmbeddingColumn", "sparse_id_column"),
    "HashedCategoricalColumn": ("_SparseColumnHashed", "column_name"),
    "IdentityCategoricalColumn": ("_SparseColumnIntegerized", "column_name"),
    "IndicatorColumn": ("_OneHotColumn", "sparse_id_column"),
    "NumericColumn": ("_RealValuedColumn", "column_name"),
    "SharedEmbeddingColumn": ("_EmbeddingColumn", "sparse_id_column"),
    "VocabularyFileCategoricalColumn": ("_SparseColumnVocabulary", "column_name"),
    "VocabularyListCategoricalColumn": ("_SparseColumnKeys", "column_name"),
    "WeightedCategoricalColumn": ("_WeightedSparseColumn", "sparse_id_column"),
}


def check_feature_columns(feature_columns: Sequence[Any]) -> None:
    """Raises ValueError if two columns have the same name."""
    names = set()
    for column in feature_columns:
        if column.name in names:
            raise ValueError("Duplicate feature column key found for column: {}.".format(column.name))
        names.add(column.name)


def _sort_key(column: Any) -> str:
    """Returns the beginning of the column's repr in TensorFlow 1.15, which sorts columns by it."""
    if isinstance(column, CrossedColumn):
        return "_CrossedColumn(columns=({}".format(", ".join(map(_sort_key, column.columns)))
    class_name, field = _CONTRIB_CLASSES.get(type(column).__name__.lstrip("_"), ("~", ""))
    source = getattr(column, "source_column", None) or getattr(column, "categorical_column", None)
    if source is not None:
        return "{}({}={}".format(class_name, field, _sort_key(source))
    return "{}({}={!r}".format(class_name, field, getattr(column, "key", column.name))


def _sorted_columns(feature_columns: Sequence[Any]) -> List[Any]:
    return sorted(set(feature_columns), key=lambda column: (_sort_key(column), column.name))


def is_contrib_column(column: Any) -> bool:
    """Returns whether the column was created by tf.contrib.layers; columns of tf.feature_column have the same types."""
    return isinstance(column, CrossedColumn) or getattr(column, "of_contrib", False)


def linear_combiner(column: Any) -> str:
    """Returns how a linear model combines several ids of a row: "sum", "mean" or "sqrtn"."""
    source = getattr(column, "categorical_column", column)
    return str(getattr(source, "combiner", "sum"))


def transform_features(features: Dict[Any, Any], feature_columns: Sequence[Any]) -> Dict[Any, Any]:
    """Returns column -> transformed feature: a SparseTensor of ids, or dense numbers or buckets [batch, ...]."""
    check_feature_columns(feature_columns)
    builder = tf_feature_columns.transformed(features)
    transformed = {}
    for column in _sorted_columns(feature_columns):
        if hasattr(column, "boundaries"):
            transformed[column] = builder.get(column)
        elif tf_feature_columns.gives_ids(column):
            transformed[column] = tf_feature_columns.ids_and_weights(column, builder)[0]
        else:
            transformed[column] = tf_feature_columns.numbers(column, builder)
    return transformed


def input_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Sequence[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Optional[Dict[Any, Any]] = None,
) -> Any:
    """Returns the input layer of a network: the concatenated columns, [batch, depth].

    Args:
      columns_to_tensors: feature name -> tensor.
      weight_collections: collections of the embeddings' variables.
      cols_to_outs: a dict to which column -> output is added.

    Raises:
      ValueError: two columns have the same name, or a sparse column is neither embedded nor one-hot.
    """
    check_feature_columns(feature_columns)
    builder = tf_feature_columns.transformed(columns_to_tensors)
    with tf.variable_scope(scope, "input_from_feature_columns", list(columns_to_tensors.values())):
        parts = []
        for column in _sorted_columns(feature_columns):
            with tf.variable_scope(None, column.name):
                part = _input_of_column(column, builder, weight_collections, trainable)
            if cols_to_outs is not None:
                cols_to_outs[column] = part
            parts.append(part)
        return tf.concat(parts, 1)


def _input_of_column(column: Any, builder: Any, collections: Any, trainable: bool) -> Any:
    if hasattr(column, "dimension"):
        return _embed(column, builder, collections, trainable and column.trainable)
    if tf_feature_columns.gives_ids(column) and not hasattr(column, "boundaries"):
        raise ValueError(
            "Error creating input layer for column: {}.\n{} is not supported in DNN. Please use embedding_column or "
            "one_hot_column.".format(column.name, type(column).__name__)
        )
    return _flatten(tf_feature_columns.numbers(column, builder, trainable))


def _embed(column: Any, builder: Any, collections: Any, trainable: bool) -> Any:
    source = column.categorical_column
    ids, weights = tf_feature_columns.ids_and_weights(source, builder)
    shared = getattr(column, "shared_embedding_collection_name", None)
    shape = [tf_feature_columns.number_of_ids(source), column.dimension]
    key = "SHARED_EMBEDDING_COLLECTION_" + str(shared).upper()
    existing = tf.get_collection(key) if shared else []
    if existing:
        weight_table = existing[0]
        if weight_table.shape.as_list() != shape:
            raise ValueError(
                "The embedding variable with name {} already exists, but its shape does not match required embedding "
                "shape here. Please make sure to use different shared_embedding_name for different shared "
                "embeddings.".format(shared)
            )
    else:
        weight_table = model_variable(
            shared or "weights",
            shape=shape,
            dtype=tf.float32,
            initializer=column.initializer,
            trainable=trainable,
            collections=list(collections or []),
        )
        if shared:
            tf.add_to_collection(key, weight_table)
    if column.ckpt_to_load_from is not None:
        tf.train.init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: weight_table})
    return safe_embedding_lookup_sparse(
        weight_table,
        ids,
        sparse_weights=weights,
        combiner=column.combiner,
        name=column.name + "weights",
        max_norm=column.max_norm,
    )


def weighted_sum_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Sequence[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tuple[Any, Dict[Any, Any], Any]:
    """Returns the outputs and the variables of a linear model.

    Args:
      columns_to_tensors: feature name -> tensor.
      num_outputs: the number of outputs for each example.
      weight_collections: collections of the variables.

    Returns:
      (outputs [batch, num_outputs], column -> list of variables, bias variable).

    Raises:
      ValueError: two columns have the same name, or a column is an embedding or one-hot column.
    """
    check_feature_columns(feature_columns)
    builder = tf_feature_columns.transformed(columns_to_tensors)
    options = dict(trainable=trainable, collections=list(weight_collections or []))
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        sums, variables = [], {}
        for column in _sorted_columns(feature_columns):
            with tf.variable_scope(None, column.name):
                column_sum, weight_table = _weighted_sum(column, builder, num_outputs, options)
            sums.append(tf.reshape(column_sum, [-1, num_outputs]))
            variables[column] = _as_list(weight_table)
            if getattr(column, "ckpt_to_load_from", None) is not None:
                tf.train.init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: weight_table})
        bias = _bias(num_outputs, options)
        return tf.nn.bias_add(tf.add_n(sums), bias), variables, bias


def _weighted_sum(column: Any, builder: Any, outputs: int, options: Dict[str, Any]) -> Tuple[Any, Any]:
    if not tf_feature_columns.gives_ids(column):
        if hasattr(column, "dimension") or hasattr(column, "categorical_column"):
            raise ValueError(
                "Error creating weighted sum for column: {}.\n{} is not supported in linear models. Please use "
                "sparse_column.".format(column.name, type(column).__name__)
            )
        numbers = _flatten(tf_feature_columns.numbers(column, builder))
        shape = [numbers.shape.as_list()[1], outputs]
        weight_table = model_variable("weight", shape=shape, initializer=tf.zeros_initializer(), **options)
        return tf.matmul(numbers, weight_table), weight_table
    ids, weights = tf_feature_columns.ids_and_weights(column, builder)
    shape = [tf_feature_columns.number_of_ids(column), outputs]
    zeros = tf.zeros_initializer()
    weight_table = model_variable("weights", shape=shape, dtype=tf.float32, initializer=zeros, **options)
    column_sum = safe_embedding_lookup_sparse(
        weight_table, ids, sparse_weights=weights, combiner=linear_combiner(column), name=column.name + "_weights"
    )
    return column_sum, weight_table


def _flatten(numbers: Any) -> Any:
    return tf.reshape(numbers, [-1, int(np.prod(numbers.shape.as_list()[1:]))])


def _as_list(variable: Any) -> List[Any]:
    is_partitioned = hasattr(variable, "partitions") or isinstance(variable, (list, tuple))
    return list(variable) if is_partitioned else [variable]


def _bias(outputs: int, options: Dict[str, Any]) -> Any:
    return model_variable("bias_weight", shape=[outputs], initializer=tf.zeros_initializer(), **options)


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Sequence[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tuple[Any, Any, Any]:
    """Returns the outputs and the variables of a linear model of sparse columns whose weights are one variable.

    The arguments are those of `weighted_sum_from_feature_columns`.

    Returns:
      (outputs [batch, num_outputs], list of variables, bias variable).

    Raises:
      NotImplementedError: a column is real-valued.
      ValueError: a column has weights, or a combiner other than "sum".
    """
    check_feature_columns(feature_columns)
    builder = tf_feature_columns.transformed(columns_to_tensors)
    options = dict(trainable=trainable, collections=list(weight_collections or []))
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        parts, size = [], 0
        for column in _sorted_columns(feature_columns):
            if not tf_feature_columns.gives_ids(column):
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or "
                    "bucketize these columns."
                )
            ids, weights = tf_feature_columns.ids_and_weights(column, builder)
            if weights is not None or linear_combiner(column) != "sum":
                raise ValueError(
                    "Weights and combiners other than sum are not supported for joint sums. Please use "
                    "weighted_sum_from_feature_columns instead."
                )
            parts.append(tf.SparseTensor(ids.indices, ids.values + size, ids.dense_shape))
            size += tf_feature_columns.number_of_ids(column)
        with tf.variable_scope(None, "linear_weights"):
            zeros = tf.zeros_initializer()
            weight_table = model_variable("weights", shape=[size, num_outputs], initializer=zeros, **options)
            ids = tf.sparse_concat(1, parts)
            sums = safe_embedding_lookup_sparse(weight_table, ids, combiner="sum", name="_weights")
        bias = _bias(num_outputs, options)
        return tf.nn.bias_add(sums, bias), _as_list(weight_table), bias
