"""What columns of tf.feature_column make of features, and the class that a column of ids of our own is of.

All of it is private: the columns of the first version, by which input_layer and linear_model of tf.compat.v1 work.
Tried on 1.15, 2.13 and 2.21.
"""
import functools
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from tensorflow.python.feature_column import feature_column as first_version
from tensorflow.python.feature_column import feature_column_v2 as second_version

CategoricalColumn = first_version._CategoricalColumn


class OwnCategoricalColumn(CategoricalColumn):  # type: ignore[misc, valid-type]
    """A column of ids of our own: what TensorFlow asks a column of the first version is answered by four names.

    A subclass has the properties `name`, `num_buckets` (how many ids there are) and `config` (what tf.parse_example
    needs), and the method `ids`.
    """

    def ids(self, inputs: Any) -> Any:
        """Returns the sparse ids; `inputs.get` gives those of a feature or of another column, computed once.

        Raises:
          NotImplementedError: a subclass must have it.
        """
        raise NotImplementedError("{} has no method ids".format(type(self).__name__))

    @property
    def _num_buckets(self) -> int:
        return int(self.num_buckets)

    @property
    def _is_v2_column(self) -> bool:
        return False

    @property
    def _parse_example_spec(self) -> Dict[str, Any]:
        return dict(self.config)

    def _transform_feature(self, inputs: Any) -> Any:
        return self.ids(inputs)

    def _get_sparse_tensors(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        return CategoricalColumn.IdWeightPair(inputs.get(self), None)


def with_ids_modulo(column: Any) -> Any:
    """Returns the column of categorical_column_with_identity, with ids taken modulo its number of buckets.

    _transform_input_tensor: tried on 2.13 and 2.21, where both versions of columns come through it.
    """
    kind: Any = type(column)
    return _modulo(kind)(*column)


@functools.lru_cache(maxsize=None)  # columns that share an embedding must be of one class
def _modulo(kind: Any) -> Any:
    class Modulo(kind):
        def _transform_input_tensor(self, input_tensor: Any) -> Any:
            found = super()._transform_input_tensor(input_tensor)
            return type(found)(found.indices, found.values % self.number_buckets, found.dense_shape)

    Modulo.__name__ = kind.__name__
    return Modulo


def transformed(features: Dict[str, Any]) -> Any:
    """Returns what computes each column of `features` once, by its `get`."""
    return first_version._LazyBuilder(dict(features))


def gives_ids(column: Any) -> bool:
    """Returns whether `column` is one of ids, or of buckets, which are ids too."""
    return isinstance(column, CategoricalColumn)


def ids_and_weights(column: Any, builder: Any) -> Tuple[Any, Any]:
    """Returns (sparse ids, sparse weights or None) of a column of ids, by what `transformed` returned."""
    found = column._get_sparse_tensors(builder)
    return found.id_tensor, found.weight_tensor


def number_of_ids(column: Any) -> int:
    """Returns how many ids a column of ids has."""
    return int(column._num_buckets)


def numbers(column: Any, builder: Any, trainable: bool = True) -> Any:
    """Returns the numbers [batch, ...] of a column of numbers."""
    return column._get_dense_tensor(builder, weight_collections=None, trainable=trainable)


def parsing(column: Any) -> Dict[str, Any]:
    """Returns what tf.parse_example needs to read the column."""
    return dict(column._parse_example_spec)


def gives_sequences(column: Any) -> bool:
    """Returns whether `column` is of numbers step by step."""
    return isinstance(column, (first_version._SequenceDenseColumn, second_version.SequenceDenseColumn))


def sequences(
    columns: Sequence[Any], features: Dict[str, Any], collections: Optional[Iterable[str]], trainable: bool
) -> List[Tuple[Any, Any]]:
    """Returns (numbers [batch, time, size], lengths [batch]) of each column that `gives_sequences`.

    Embeddings make variables in a scope of their own, as input_layer has them.
    """
    from legacy_towers.compat import tf

    builder = first_version._LazyBuilder(features)
    cache = second_version.FeatureTransformationCache(features)
    found = []
    for column in columns:
        with tf.variable_scope(None, default_name=getattr(column, "_var_scope_name", column.name)):
            if hasattr(column, "_get_sequence_dense_tensor"):
                numbers, lengths = column._get_sequence_dense_tensor(
                    builder, weight_collections=collections, trainable=trainable
                )
                size = column._variable_shape.num_elements()
            else:  # of the second version alone: it makes no variables
                numbers, lengths = column.get_sequence_dense_tensor(cache, None)
                size = column.variable_shape.num_elements()
            shape = tf.shape(numbers)
            found.append((tf.reshape(numbers, [shape[0], shape[1], size]), lengths))
    return found
