"""Lookup tables under the names of TensorFlow 1."""

# Private: tried on 1.15 and 2.21. tf.lookup has the tables, not the functions that make them of a vocabulary.
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
    """The table of tf.contrib.lookup.HashTable, whose third argument is `shared_name`.

    Without one each table is a resource of its own, also where two read one file.
    """

    def __init__(self, initializer, default_value, shared_name=None, name=None):  # type: ignore
        self._asked_name = shared_name
        super().__init__(initializer, default_value, name)

    def _create_resource(self):  # type: ignore
        if self._asked_name is not None:
            self._shared_name = self._asked_name
        return super()._create_resource()
