"""tf.contrib.lookup: lookup tables."""
from typing import Any, Optional

from legacy_towers.compat.tf1.private import lookup
from legacy_towers.compat.tf1.private.lookup import (
    FastHashSpec,
    HasherSpec,
    HashTable,
    IdTableWithHashBuckets,
    InitializableLookupTableBase,
    KeyValueTensorInitializer,
    LookupInterface,
    MutableHashTable,
    StrongHashSpec,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
    index_table_from_file,
    index_to_string_table_from_file,
)
from legacy_towers.compat.versions import tf

__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "InitializableLookupTableBase",
    "KeyValueTensorInitializer",
    "LookupInterface",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StrongHashSpec",
    "TableInitializerBase",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
]


class MutableDenseHashTable(lookup.DenseHashTable):
    """Stores keys and values in one dense tensor; `empty_key` and `deleted_key` must not be used as keys."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: Optional[int] = None,
        shared_name: Optional[str] = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ) -> None:
        self._given_shared_name = shared_name
        super().__init__(
            key_dtype,
            value_dtype,
            default_value,
            empty_key,
            deleted_key,
            initial_num_buckets=initial_num_buckets,
            name=name,
            checkpoint=checkpoint,
        )

    def _create_resource(self) -> Any:
        if self._given_shared_name is not None:
            self._shared_name = self._given_shared_name
        return super()._create_resource()


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from the values of `mapping` [n] to their int64 indices.

    Args:
      mapping: strings or integers [n].
      num_oov_buckets: the number of hash buckets n, n + 1, ... for values that are not in `mapping`.
      default_value: the index of such values if there are no buckets.
      hasher_spec: the HasherSpec of the buckets.
      dtype: the dtype of the keys.
      name: the name of the operations.

    Raises:
      ValueError: `mapping` is None.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup.index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, dtype, name)


def index_to_string_table_from_tensor(mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns a table from int64 indices to the strings of `mapping` [n]; other indices give `default_value`.

    Raises:
      ValueError: `mapping` is None.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index(tensor: Any, mapping: Any, default_value: int = -1, name: Optional[str] = None) -> Any:
    """Returns the int64 indices in `mapping` [n] of the strings in `tensor`, with the shape of `tensor`."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns the strings of `mapping` [n] at the int64 indices in `tensor`, with the shape of `tensor`."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from the lines of a file to their int64 indices, as `index_table_from_file` for strings."""
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype=tf.string, name=name
    )


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from the strings of `mapping` to their int64 indices, as `index_table_from_tensor`.

    Raises:
      ValueError: `mapping` does not contain strings.
    """
    with tf.name_scope(name, "string_to_index") as scope:
        mapping = tf.convert_to_tensor(mapping)
    if mapping.dtype.base_dtype != tf.string:
        raise ValueError("string_to_index_table_from_tensor requires string.")
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=scope)
