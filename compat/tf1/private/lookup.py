"""Lookup tables under the names of TensorFlow 1."""

# Private: tried on 1.15 and 2.21. tf.lookup has the tables, not the functions that make them from a vocabulary.
from tensorflow.python.ops.lookup_ops import (
    DenseHashTable,
    FastHashSpec,
    HasherSpec,
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
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)
from tensorflow.python.ops.lookup_ops import HashTable as _HashTable

__all__ = [
    "DenseHashTable",
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "InitializableLookupTableBase",
    "KeyValueTensorInitializer",
    "LookupInterface",
    "MutableHashTable",
    "StrongHashSpec",
    "TableInitializerBase",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]


class HashTable(_HashTable):
    """tf.contrib.lookup.HashTable, whose third argument is `shared_name`.

    Without a shared name each table is a separate resource, even if two tables read the same file.
    """

    def __init__(self, initializer, default_value, shared_name=None, name=None):  # type: ignore
        self._given_shared_name = shared_name
        super().__init__(initializer, default_value, name)

    def _create_resource(self):  # type: ignore
        if self._given_shared_name is not None:
            self._shared_name = self._given_shared_name
        return super()._create_resource()
