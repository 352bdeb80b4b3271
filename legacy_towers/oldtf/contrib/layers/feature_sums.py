"""What models make of feature columns: the input of a net, and weighted sums, with the variables of TensorFlow 1.15."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import feature_columns as columns_of_tf
from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.layers.crosses import CrossedColumn
from legacy_towers.oldtf.contrib.layers.embeddings import safe_embedding_lookup_sparse
from legacy_towers.oldtf.contrib.slim_library.tf_slim.ops.variables import model_variable

__all__ = [
    "check_feature_columns",
    "combiner_of",
    "input_from_feature_columns",
    "is_of_contrib",
    "joint_weighted_sum_from_feature_columns",
    "transform_features",
    "weighted_sum_from_feature_columns",
]

# Class of tf.feature_column, without its underscore -> the class in tf.contrib, and its first field.
_KINDS = {
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
    """Checks that no two columns have the same name.

    Raises:
      ValueError: two have.
    """
    seen = set()
    for column in feature_columns:
        if column.name in seen:
            raise ValueError("Duplicate feature column key found for column: {}.".format(column.name))
        seen.add(column.name)


def _key(column: Any) -> str:
    """Returns the text of the column in TensorFlow 1.15, as far as its columns are put in order by it."""
    if isinstance(column, CrossedColumn):
        return "_CrossedColumn(columns=({}".format(", ".join(map(_key, column.columns)))
    kind, field = _KINDS.get(type(column).__name__.lstrip("_"), ("~", ""))
    inside = getattr(column, "source_column", None) or getattr(column, "categorical_column", None)
    if inside is not None:
        return "{}({}={}".format(kind, field, _key(inside))
    return "{}({}={!r}".format(kind, field, getattr(column, "key", column.name))


def _in_order(feature_columns: Sequence[Any]) -> List[Any]:
    return sorted(set(feature_columns), key=lambda column: (_key(column), column.name))


def is_of_contrib(column: Any) -> bool:
    """Returns whether the column was made by tf.contrib.layers: what it is in itself doesn't tell."""
    return isinstance(column, CrossedColumn) or getattr(column, "of_contrib", False)


def combiner_of(column: Any) -> str:
    """Returns how several ids of a row are put together in a linear model."""
    inside = getattr(column, "categorical_column", column)
    return str(getattr(inside, "combiner", "sum"))


def transform_features(features: Dict[Any, Any], feature_columns: Sequence[Any]) -> Dict[Any, Any]:
    """Returns column -> its sparse ids, or its numbers or buckets [batch, ...]."""
    check_feature_columns(feature_columns)
    builder = columns_of_tf.transformed(features)
    found = {}
    for column in _in_order(feature_columns):
        if hasattr(column, "boundaries"):
            found[column] = builder.get(column)
        elif columns_of_tf.gives_ids(column):
            found[column] = columns_of_tf.ids_and_weights(column, builder)[0]
        else:
            found[column] = columns_of_tf.numbers(column, builder)
    return found


def input_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Sequence[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Optional[Dict[Any, Any]] = None,
) -> Any:
    """Returns the input [batch, numbers] of a net: all columns, one after the other.

    Raises:
      ValueError: two columns have one name, or a sparse column is not embedded.
    """
    check_feature_columns(feature_columns)
    builder = columns_of_tf.transformed(columns_to_tensors)
    with tf.variable_scope(scope, "input_from_feature_columns", list(columns_to_tensors.values())):
        parts = []
        for column in _in_order(feature_columns):
            with tf.variable_scope(None, column.name):
                part = _of_net(column, builder, weight_collections, trainable)
            if cols_to_outs is not None:
                cols_to_outs[column] = part
            parts.append(part)
        return tf.concat(parts, 1)


def _of_net(column: Any, builder: Any, collections: Any, trainable: bool) -> Any:
    if hasattr(column, "dimension"):
        return _embedded(column, builder, collections, trainable and column.trainable)
    if columns_of_tf.gives_ids(column) and not hasattr(column, "boundaries"):
        raise ValueError(
            "Error creating input layer for column: {}.\n{} is not supported in DNN. Please use embedding_column or "
            "one_hot_column.".format(column.name, type(column).__name__)
        )
    return _flat(columns_of_tf.numbers(column, builder, trainable))


def _embedded(column: Any, builder: Any, collections: Any, trainable: bool) -> Any:
    inside = column.categorical_column
    ids, weights = columns_of_tf.ids_and_weights(inside, builder)
    shared = getattr(column, "shared_embedding_collection_name", None)
    shape = [columns_of_tf.number_of_ids(inside), column.dimension]
    key = "SHARED_EMBEDDING_COLLECTION_" + str(shared).upper()
    there = tf.get_collection(key) if shared else []
    if there:
        table = there[0]
        if table.shape.as_list() != shape:
            raise ValueError(
                "The embedding variable with name {} already exists, but its shape does not match required embedding "
                "shape here. Please make sure to use different shared_embedding_name for different shared "
                "embeddings.".format(shared)
            )
    else:
        table = model_variable(
            shared or "weights",
            shape=shape,
            dtype=tf.float32,
            initializer=column.initializer,
            trainable=trainable,
            collections=list(collections or []),
        )
        if shared:
            tf.add_to_collection(key, table)
    if column.ckpt_to_load_from is not None:
        tf.train.init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: table})
    return safe_embedding_lookup_sparse(
        table,
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
    """Returns (sums, weights, bias) of a linear model: [batch, num_outputs], column -> variables, a variable."""
    check_feature_columns(feature_columns)
    builder = columns_of_tf.transformed(columns_to_tensors)
    options = dict(trainable=trainable, collections=list(weight_collections or []))
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        sums, variables = [], {}
        for column in _in_order(feature_columns):
            with tf.variable_scope(None, column.name):
                found, table = _weighted(column, builder, num_outputs, options)
            sums.append(tf.reshape(found, [-1, num_outputs]))
            variables[column] = _listed(table)
            if getattr(column, "ckpt_to_load_from", None) is not None:
                tf.train.init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: table})
        bias = _bias(num_outputs, options)
        return tf.nn.bias_add(tf.add_n(sums), bias), variables, bias


def _weighted(column: Any, builder: Any, outputs: int, options: Dict[str, Any]) -> Tuple[Any, Any]:
    if not columns_of_tf.gives_ids(column):
        if hasattr(column, "dimension") or hasattr(column, "categorical_column"):
            raise ValueError(
                "Error creating weighted sum for column: {}.\n{} is not supported in linear models. Please use "
                "sparse_column.".format(column.name, type(column).__name__)
            )
        numbers = _flat(columns_of_tf.numbers(column, builder))
        shape = [numbers.shape.as_list()[1], outputs]
        table = model_variable("weight", shape=shape, initializer=tf.zeros_initializer(), **options)
        return tf.matmul(numbers, table), table
    ids, weights = columns_of_tf.ids_and_weights(column, builder)
    shape = [columns_of_tf.number_of_ids(column), outputs]
    table = model_variable("weights", shape=shape, dtype=tf.float32, initializer=tf.zeros_initializer(), **options)
    found = safe_embedding_lookup_sparse(
        table, ids, sparse_weights=weights, combiner=combiner_of(column), name=column.name + "_weights"
    )
    return found, table


def _flat(numbers: Any) -> Any:
    return tf.reshape(numbers, [-1, int(np.prod(numbers.shape.as_list()[1:]))])


def _listed(table: Any) -> List[Any]:
    return list(table) if hasattr(table, "partitions") or isinstance(table, (list, tuple)) else [table]


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
    """Returns (sums, the variables, bias) of a linear model of sparse columns whose weights are one variable.

    Raises:
      NotImplementedError: a column of numbers.
      ValueError: a column with weights, or with a combiner other than "sum".
    """
    check_feature_columns(feature_columns)
    builder = columns_of_tf.transformed(columns_to_tensors)
    options = dict(trainable=trainable, collections=list(weight_collections or []))
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        parts, size = [], 0
        for column in _in_order(feature_columns):
            if not columns_of_tf.gives_ids(column):
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or "
                    "bucketize these columns."
                )
            ids, weights = columns_of_tf.ids_and_weights(column, builder)
            if weights is not None or combiner_of(column) != "sum":
                raise ValueError(
                    "Weights and combiners other than sum are not supported for joint sums. Please use "
                    "weighted_sum_from_feature_columns instead."
                )
            parts.append(tf.SparseTensor(ids.indices, ids.values + size, ids.dense_shape))
            size += columns_of_tf.number_of_ids(column)
        with tf.variable_scope(None, "linear_weights"):
            zeros = tf.zeros_initializer()
            table = model_variable("weights", shape=[size, num_outputs], initializer=zeros, **options)
            sums = safe_embedding_lookup_sparse(table, tf.sparse_concat(1, parts), combiner="sum", name="_weights")
        bias = _bias(num_outputs, options)
        return tf.nn.bias_add(sums, bias), _listed(table), bias
