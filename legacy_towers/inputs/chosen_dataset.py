"""Two datasets for one pipeline: each run reads one of them, by TensorFlow's feedable iterator."""
from typing import Any, Optional

from legacy_towers.compat import tf


class ChosenDataset:
    """Stands for a tf.data.Dataset in a route: a run reads `validation` if it feeds `is_validating`, else `train`.

    Attributes:
      restart: the operation that starts `validation` at its beginning; None until the iterator was made.
    """

    def __init__(self, train: Any, validation: Any, is_validating: Any) -> None:
        """
        Args:
          train, validation: datasets whose elements have the same structure, dtypes and ranks.
          is_validating: boolean scalar tensor.
        """
        self.restart: Optional[Any] = None
        self._datasets = (train, validation)
        self._is_validating = is_validating

    def iterator(self) -> "ChosenIterator":
        """Makes the iterators of both, and the one that is either."""
        train, validation = [tf.data.make_initializable_iterator(dataset) for dataset in self._datasets]
        self.restart = validation.initializer
        # The handle is chosen in the graph: nothing must be fed, and a run without hooks reads the right data too.
        handle = tf.where(self._is_validating, validation.string_handle(), train.string_handle())
        either = tf.data.Iterator.from_string_handle(
            handle,
            tf.data.get_output_types(self._datasets[0]),
            tf.nest.map_structure(_common_shape, *[tf.data.get_output_shapes(dataset) for dataset in self._datasets]),
            tf.data.get_output_classes(self._datasets[0]),
        )
        return ChosenIterator(either, tf.group(train.initializer, validation.initializer))


class ChosenIterator:
    """What routes need of an iterator."""

    def __init__(self, iterator: Any, initializer: Any) -> None:
        self.initializer = initializer
        self.get_next = iterator.get_next


def iterator_over(dataset: Any) -> Any:
    """Returns an initializable iterator over a tf.data.Dataset or a `ChosenDataset`."""
    if isinstance(dataset, ChosenDataset):
        return dataset.iterator()
    return tf.data.make_initializable_iterator(dataset)


def common_shape(one: Any, other: Any) -> Any:
    """Returns the shape with the sizes that both shapes know to be the same."""
    if one.ndims is None or other.ndims is None:
        return tf.TensorShape(None)
    return tf.TensorShape([
        size if size == other_size else None for size, other_size in zip(one.as_list(), other.as_list())
    ])


def _common_shape(one: Any, other: Any) -> Any:
    # A ragged component has its whole description here.
    return common_shape(one, other) if isinstance(one, tf.TensorShape) else one
