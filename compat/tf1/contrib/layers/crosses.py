"""Crossed columns of tf.contrib.layers: ids of the combinations of several features' values in each row."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.private import feature_columns
from legacy_towers.compat.versions import tf

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE
# Seed and constant of the hash that crosses have without a hash key (as int64).
_HASH_SEED = 0xDECAFCAFFE
_HASH_CONSTANT = 0x9E3779B97F4A7800 - 2**64
_MAX_INT64 = 2**63 - 1


def sparse_feature_cross(
    inputs: List[Any],
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> Any:
    """Returns the crosses of features as a SparseTensor [batch, crosses per row] of strings "a_X_b" or of hashes.

    Args:
      inputs: a list of sparse or dense tensors [batch, ...] of strings or ints.
      hashed_output: whether to return hashes (int64) instead of strings.
      num_buckets: hashes are in [0, num_buckets); 0: in [0, 2**63 - 1).
      hash_key: selects the hash of tf.feature_column.crossed_column, with this key; None: the hash that crosses of
        tf.contrib have by default in TensorFlow 1.15.

    Raises:
      TypeError: `inputs` is not a list of tensors.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (tf.SparseTensor, tf.Tensor)) for each in inputs):
        raise TypeError("All inputs must be SparseTensors")
    with tf.name_scope(name, "sparse_feature_cross"):
        sparse = [each for each in inputs if isinstance(each, tf.SparseTensor)]
        dense = [each for each in inputs if not isinstance(each, tf.SparseTensor)]
        if hashed_output and not hash_key:
            return _hash_crosses([_rows_and_hashes(each) for each in sparse + dense], num_buckets, (sparse + dense)[0])
        values = [_as_string_or_int64(each.values) for each in sparse]
        dense = [_as_string_or_int64(each) for each in dense]
        has_ints = any(each.dtype != tf.string for each in values + dense)
        crosses = tf.raw_ops.SparseCross(
            indices=[each.indices for each in sparse],
            values=values,
            shapes=[each.dense_shape for each in sparse],
            dense_inputs=dense,
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=hash_key or 0,
            out_type=tf.int64 if hashed_output else tf.string,
            internal_type=tf.int64 if has_ints else tf.string,
        )
        return tf.SparseTensor(*crosses)


def _as_string_or_int64(values: Any) -> Any:
    return values if values.dtype == tf.string else tf.cast(values, tf.int64)


def _rows_and_hashes(feature: Any) -> Tuple[Any, Any]:
    """Returns (rows, hashes) of a feature's values, in row order."""
    if isinstance(feature, tf.SparseTensor):
        rows, values = feature.indices[:, 0], feature.values
    else:
        flat = tf.reshape(feature, [tf.shape(feature)[0], -1])
        shape = tf.shape(flat, out_type=tf.int64)
        rows = tf.reshape(tf.tile(tf.range(shape[0])[:, tf.newaxis], [1, shape[1]]), [-1])
        values = tf.reshape(flat, [-1])
    if values.dtype != tf.string:
        return rows, tf.cast(values, tf.int64)
    bits = tf.raw_ops.Fingerprint(data=values[:, tf.newaxis], method="farmhash64")
    return rows, tf.bitcast(bits, tf.int64)


def _hash_crosses(features: Sequence[Tuple[Any, Any]], num_buckets: int, first: Any) -> Any:
    batch = first.dense_shape[0] if isinstance(first, tf.SparseTensor) else tf.shape(first, out_type=tf.int64)[0]
    rows, values = features[0]
    hashes = _hash_combine(tf.fill(tf.shape(values), tf.constant(_HASH_SEED, tf.int64)), values)
    for next_rows, next_values in features[1:]:
        # Each cross so far (left) is combined with each value of the next feature in its row (right).
        counts = tf.unsorted_segment_sum(tf.ones_like(next_rows), next_rows, batch)
        row_starts = tf.cumsum(counts, exclusive=True)
        repeats = tf.gather(counts, rows)
        left = tf.repeat(tf.range(tf.shape(rows)[0]), repeats)
        offsets = tf.range(tf.reduce_sum(repeats)) - tf.repeat(tf.cumsum(repeats, exclusive=True), repeats)
        rows = tf.gather(rows, left)
        right = tf.gather(row_starts, rows) + offsets
        hashes = _hash_combine(tf.gather(hashes, left), tf.gather(next_values, right))
    counts = tf.unsorted_segment_sum(tf.ones_like(rows), rows, batch)
    columns = tf.range(tf.shape(rows, out_type=tf.int64)[0]) - tf.gather(tf.cumsum(counts, exclusive=True), rows)
    width = tf.reduce_max(tf.concat([counts, tf.zeros([1], tf.int64)], 0))
    indices = tf.stack([rows, columns], 1)
    return tf.SparseTensor(indices, _unsigned_remainder(hashes, num_buckets or _MAX_INT64), tf.stack([batch, width]))


def _hash_combine(hashes: Any, values: Any) -> Any:
    shift = lambda by: tf.fill(tf.shape(hashes), tf.constant(by, tf.int64))  # noqa: E731
    moved = tf.bitwise.left_shift(hashes, shift(10)) + tf.bitwise.right_shift(hashes, shift(4))
    return tf.bitwise.bitwise_xor(hashes, values + tf.constant(_HASH_CONSTANT, tf.int64) + moved)


def _unsigned_remainder(hashes: Any, number: int) -> Any:
    """Returns `hashes` modulo `number`, with the int64 values read as uint64."""
    number = tf.constant(number, tf.int64)
    one = tf.fill(tf.shape(hashes), tf.constant(1, tf.int64))
    # The upper 63 bits of a hash are a nonnegative int64. Doubling their remainder modulo `number` does not overflow.
    half = tf.bitwise.bitwise_and(tf.bitwise.right_shift(hashes, one), tf.constant(_MAX_INT64, tf.int64)) % number
    twice = tf.where(half >= number - half, half - (number - half), half + half)
    last = tf.bitwise.bitwise_and(hashes, one)
    return tf.where(tf.logical_and(tf.equal(last, 1), tf.equal(twice, number - 1)), tf.zeros_like(twice), twice + last)


class CrossedColumn(feature_columns.OwnCategoricalColumn):
    """A cross of sparse columns, bucketized columns and crossed columns. Created by `crossed_column`."""

    def __init__(
        self,
        columns: Sequence[Any],
        hash_bucket_size: int,
        combiner: str,
        ckpt_to_load_from: Optional[str],
        tensor_name_in_ckpt: Optional[str],
        hash_key: Optional[int],
    ) -> None:
        self.columns = tuple(sorted(columns, key=lambda column: str(column.name)))
        self.hash_bucket_size = hash_bucket_size
        self.combiner = combiner
        self.ckpt_to_load_from = ckpt_to_load_from
        self.tensor_name_in_ckpt = tensor_name_in_ckpt
        self.hash_key = hash_key

    @property
    def name(self) -> str:
        return "_X_".join(column.name for column in self.columns)

    @property
    def length(self) -> int:
        return self.hash_bucket_size

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    @property
    def config(self) -> Dict[str, Any]:
        """The specification of the features for tf.parse_example."""
        specification: Dict[str, Any] = {}
        for column in self.columns:
            specification.update(feature_columns.parsing(column))
        return specification

    def leaves(self) -> List[Any]:
        """Returns the columns that are crossed; nested crosses are replaced by their columns."""
        columns: List[Any] = []
        for column in self.columns:
            columns += column.leaves() if isinstance(column, CrossedColumn) else [column]
        return columns

    def ids(self, inputs: Any) -> Any:
        """Returns the ids of the crosses, a SparseTensor [batch, crosses per row]."""
        features = []
        for column in self.leaves():
            if hasattr(column, "boundaries"):
                features.append(feature_columns.ids_and_weights(column, inputs)[0])
            else:
                features.append(inputs.get(column.key))
        return sparse_feature_cross(
            features, hashed_output=True, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
        )


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> CrossedColumn:
    """Returns a column with the crosses of `columns`, hashed into `hash_bucket_size` ids.

    Args:
      columns: sparse, bucketized or crossed columns.
      combiner: how a linear model combines several ids of a row: "sum", "mean" or "sqrtn".
      ckpt_to_load_from: a checkpoint that initializes the weights of a linear model.
      tensor_name_in_ckpt: the name of the weights in that checkpoint.
      hash_key: as in `sparse_feature_cross`.

    Raises:
      TypeError: a column can't be crossed.
      ValueError: there are fewer than two columns or ids, or only one of the arguments for a checkpoint is given.
    """
    columns = list(columns)
    for column in columns:
        has_key = feature_columns.gives_ids(column) and hasattr(column, "key")
        if not (has_key or hasattr(column, "boundaries") or isinstance(column, CrossedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn instances (column {} is "
                "a {})".format(column, type(column).__name__)
            )
    if len(columns) < 2:
        raise ValueError("columns must contain at least 2 elements. columns: {}".format(columns))
    if hash_bucket_size < 2:
        raise ValueError("hash_bucket_size must be at least 2. hash_bucket_size: {}".format(hash_bucket_size))
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    return CrossedColumn(columns, hash_bucket_size, combiner, ckpt_to_load_from, tensor_name_in_ckpt, hash_key)
