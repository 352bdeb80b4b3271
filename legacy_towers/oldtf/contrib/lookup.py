"""tf.contrib.lookup."""
from typing import Any, Optional

from legacy_towers.compat import lookup, tf
from legacy_towers.compat.lookup import (
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
    """A table in one tensor; keys equal to `empty_key` or `deleted_key` can't be inserted."""

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
        self._asked_name = shared_name
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
        if self._asked_name is not None:
            self._shared_name = self._asked_name
        return super()._create_resource()


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: Optional[str] = None,
) -> Any:
    """Returns the table from the words of `mapping` to their places; others get buckets behind, or `default_value`."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup.index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, dtype, name)


def index_to_string_table_from_tensor(mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns the table from places to the words of `mapping`."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index(tensor: Any, mapping: Any, default_value: int = -1, name: Optional[str] = None) -> Any:
    """Returns the places in `mapping` of the words in `tensor`."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns the words of `mapping` at the places in `tensor`."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """Returns the table from the lines of a file to their numbers."""
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
    """Returns the table from the words of `mapping` to their places."""
    with tf.name_scope(name, "string_to_index") as scope:
        mapping = tf.convert_to_tensor(mapping)
    if mapping.dtype.base_dtype != tf.string:
        raise ValueError("string_to_index_table_from_tensor requires string.")
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=scope)
