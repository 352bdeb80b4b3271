"""The tensors that columns of tf.feature_column make of features, and a base class for categorical columns.

All of it is private API of the first version of feature columns, which input_layer and linear_model of tf.compat.v1
use. Tried on 1.15, 2.13 and 2.21.
"""
import functools
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from tensorflow.python.feature_column import feature_column as first_version
from tensorflow.python.feature_column import feature_column_v2 as second_version

CategoricalColumn = first_version._CategoricalColumn


class OwnCategoricalColumn(CategoricalColumn):  # type: ignore[misc, valid-type]
    """A base class for categorical columns, with the private methods that TensorFlow calls.

    A subclass has the properties `name`, `num_buckets` (the number of ids) and `config` (features for
    tf.parse_example), and the method `ids`.
    """

    def ids(self, inputs: Any) -> Any:
        """Returns the ids as a tf.SparseTensor; `inputs.get` returns that of a feature or another column, cached.

        Raises:
          NotImplementedError: the subclass does not define it.
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
    """Returns the column of categorical_column_with_identity with ids modulo its number of buckets.

    Overrides _transform_input_tensor: tried on 2.13 and 2.21, where both versions of columns call it.
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
    """Returns TensorFlow's cache of columns: its `get` computes each column of `features` once."""
    return first_version._LazyBuilder(dict(features))


def gives_ids(column: Any) -> bool:
    """Returns whether `column` is categorical; bucketized columns are."""
    return isinstance(column, CategoricalColumn)


def ids_and_weights(column: Any, builder: Any) -> Tuple[Any, Any]:
    """Returns (ids, weights or None), tf.SparseTensors, of a categorical column; `builder` is from `transformed`."""
    found = column._get_sparse_tensors(builder)
    return found.id_tensor, found.weight_tensor


def number_of_ids(column: Any) -> int:
    """Returns the number of ids of a categorical column."""
    return int(column._num_buckets)


def numbers(column: Any, builder: Any, trainable: bool = True) -> Any:
    """Returns the dense tensor [batch, ...] of a dense column; `builder` is from `transformed`."""
    return column._get_dense_tensor(builder, weight_collections=None, trainable=trainable)


def parsing(column: Any) -> Dict[str, Any]:
    """Returns the dict of features for tf.parse_example that the column needs."""
    return dict(column._parse_example_spec)


def gives_sequences(column: Any) -> bool:
    """Returns whether `column` is a dense sequence column."""
    return isinstance(column, (first_version._SequenceDenseColumn, second_version.SequenceDenseColumn))


def sequences(
    columns: Sequence[Any], features: Dict[str, Any], collections: Optional[Iterable[str]], trainable: bool
) -> List[Tuple[Any, Any]]:
    """Returns (dense tensor [batch, time, size], lengths [batch]) of each dense sequence column.

    Each embedding has its own variable scope, as in input_layer.
    """
    from legacy_towers.compat.versions import tf

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
            else:  # a column of the second version only: it makes no variables
                numbers, lengths = column.get_sequence_dense_tensor(cache, None)
                size = column.variable_shape.num_elements()
            shape = tf.shape(numbers)
            found.append((tf.reshape(numbers, [shape[0], shape[1], size]), lengths))
    return found
