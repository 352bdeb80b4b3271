"""Crosses of features: each value of one with each of the others, row by row, as an id."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import feature_columns, tf

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE
# Of the hash that crosses have without a key: what it begins with, and what it adds for each feature (as int64).
_BEGIN = 0xDECAFCAFFE
_ADDED = 0x9E3779B97F4A7800 - 2**64
_MOST = 2**63 - 1


def sparse_feature_cross(
    inputs: List[Any],
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> Any:
    """Returns the sparse crosses of features: "a_X_b", or their hashes.

    Args:
      inputs: sparse or dense tensors of words or ints, each [batch, ...].
      hashed_output: hashes (int64) instead of words.
      num_buckets: hashes are below it; 0: of 63 bits.
      hash_key: another hash, that of tf.feature_column.crossed_column. Without it the hash is that of
        TensorFlow 1.15's tf.contrib.

    Raises:
      TypeError: `inputs` is no list of tensors.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (tf.SparseTensor, tf.Tensor)) for each in inputs):
        raise TypeError("All inputs must be SparseTensors")
    with tf.name_scope(name, "sparse_feature_cross"):
        sparse = [each for each in inputs if isinstance(each, tf.SparseTensor)]
        dense = [each for each in inputs if not isinstance(each, tf.SparseTensor)]
        if hashed_output and not hash_key:
            return _hashed([_rows_and_hashes(each) for each in sparse + dense], num_buckets, (sparse + dense)[0])
        values = [_words_or_ints(each.values) for each in sparse]
        dense = [_words_or_ints(each) for each in dense]
        with_ints = any(each.dtype != tf.string for each in values + dense)
        found = tf.raw_ops.SparseCross(
            indices=[each.indices for each in sparse],
            values=values,
            shapes=[each.dense_shape for each in sparse],
            dense_inputs=dense,
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=hash_key or 0,
            out_type=tf.int64 if hashed_output else tf.string,
            internal_type=tf.int64 if with_ints else tf.string,
        )
        return tf.SparseTensor(*found)


def _words_or_ints(values: Any) -> Any:
    return values if values.dtype == tf.string else tf.cast(values, tf.int64)


def _rows_and_hashes(feature: Any) -> Tuple[Any, Any]:
    """Returns the row and the hash of each value of a feature, in order."""
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


def _hashed(features: Sequence[Tuple[Any, Any]], num_buckets: int, first: Any) -> Any:
    batch = first.dense_shape[0] if isinstance(first, tf.SparseTensor) else tf.shape(first, out_type=tf.int64)[0]
    rows, values = features[0]
    hashes = _combined(tf.fill(tf.shape(values), tf.constant(_BEGIN, tf.int64)), values)
    for more_rows, more in features[1:]:
        counts = tf.unsorted_segment_sum(tf.ones_like(more_rows), more_rows, batch)
        begins = tf.cumsum(counts, exclusive=True)
        times = tf.gather(counts, rows)
        left = tf.repeat(tf.range(tf.shape(rows)[0]), times)
        # The place of each cross among those of its left value.
        place = tf.range(tf.reduce_sum(times)) - tf.repeat(tf.cumsum(times, exclusive=True), times)
        rows = tf.gather(rows, left)
        hashes = _combined(tf.gather(hashes, left), tf.gather(more, tf.gather(begins, rows) + place))
    counts = tf.unsorted_segment_sum(tf.ones_like(rows), rows, batch)
    columns = tf.range(tf.shape(rows, out_type=tf.int64)[0]) - tf.gather(tf.cumsum(counts, exclusive=True), rows)
    widest = tf.reduce_max(tf.concat([counts, tf.zeros([1], tf.int64)], 0))
    indices = tf.stack([rows, columns], 1)
    return tf.SparseTensor(indices, _below(hashes, num_buckets or _MOST), tf.stack([batch, widest]))


def _combined(hashes: Any, values: Any) -> Any:
    shift = lambda by: tf.fill(tf.shape(hashes), tf.constant(by, tf.int64))  # noqa: E731
    moved = tf.bitwise.left_shift(hashes, shift(10)) + tf.bitwise.right_shift(hashes, shift(4))
    return tf.bitwise.bitwise_xor(hashes, values + tf.constant(_ADDED, tf.int64) + moved)


def _below(hashes: Any, number: int) -> Any:
    """Returns the remainders of hashes, taken without their sign, by `number`."""
    number = tf.constant(number, tf.int64)
    one = tf.fill(tf.shape(hashes), tf.constant(1, tf.int64))
    # Half of a hash is positive; twice its remainder fits into 64 bits, taken modulo `number` without an overflow.
    half = tf.bitwise.bitwise_and(tf.bitwise.right_shift(hashes, one), tf.constant(_MOST, tf.int64)) % number
    twice = tf.where(half >= number - half, half - (number - half), half + half)
    last = tf.bitwise.bitwise_and(hashes, one)
    return tf.where(tf.logical_and(tf.equal(last, 1), tf.equal(twice, number - 1)), tf.zeros_like(twice), twice + last)


class CrossedColumn(feature_columns.OwnCategoricalColumn):
    """The crosses of columns of words, ints, buckets and of other crosses; made by `crossed_column`."""

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
        """Returns what tf.parse_example needs to read the features."""
        found: Dict[str, Any] = {}
        for column in self.columns:
            found.update(feature_columns.parsing(column))
        return found

    def leaves(self) -> List[Any]:
        """Returns the columns that are no crosses."""
        found: List[Any] = []
        for column in self.columns:
            found += column.leaves() if isinstance(column, CrossedColumn) else [column]
        return found

    def ids(self, inputs: Any) -> Any:
        """Returns the ids of the crosses, row by row."""
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
    """Returns the column of the crosses of `columns`, hashed into `hash_bucket_size` ids.

    Args:
      columns: sparse columns, buckets, or crosses.
      combiner: of several crosses of a row: "sum", "mean" or "sqrtn".
      ckpt_to_load_from, tensor_name_in_ckpt: where the weights of a linear model begin.
      hash_key: see `sparse_feature_cross`.

    Raises:
      TypeError: a column that can't be crossed.
      ValueError: fewer than two columns or ids, or one of the two about checkpoints alone.
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
