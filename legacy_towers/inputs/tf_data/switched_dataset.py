"""Two datasets for one pipeline: each run reads one of them, with TensorFlow's feedable iterator."""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Dataset, Tensor


class SwitchedDataset:
    """Takes the place of a tf.data.Dataset in a route: a run with `is_validating` reads `validation`, others `train`.

    Attributes:
      restart: the operation that restarts `validation`; None until the iterator is created.
    """

    def __init__(self, train: Any, validation: Any, is_validating: Tensor) -> None:
        """
        Args:
          train, validation: datasets whose elements have the same structure, dtypes and ranks.
        """
        self.restart: Optional[Any] = None
        self._datasets = (train, validation)
        self._is_validating = is_validating

    def iterator(self) -> "SwitchedIterator":
        """Creates the iterators over both datasets, and the feedable iterator that reads one of them."""
        train, validation = [tf.data.make_initializable_iterator(dataset) for dataset in self._datasets]
        self.restart = validation.initializer
        # The graph selects the handle: nothing has to be fed, and a run without hooks reads the right dataset too.
        handle = tf.where(self._is_validating, validation.string_handle(), train.string_handle())
        feedable = tf.data.Iterator.from_string_handle(
            handle,
            tf.data.get_output_types(self._datasets[0]),
            tf.nest.map_structure(_common_shape, *[tf.data.get_output_shapes(dataset) for dataset in self._datasets]),
            tf.data.get_output_classes(self._datasets[0]),
        )
        return SwitchedIterator(feedable, tf.group(train.initializer, validation.initializer))


class SwitchedIterator:
    """The part of the iterator interface that routes need."""

    def __init__(self, iterator: Any, initializer: Any) -> None:
        self.initializer = initializer
        self.get_next = iterator.get_next


def iterator_over(dataset: Dataset) -> Any:
    """Returns an initializable iterator over a tf.data.Dataset or a `SwitchedDataset`."""
    if isinstance(dataset, SwitchedDataset):
        return dataset.iterator()
    return tf.data.make_initializable_iterator(dataset)


def common_shape(one: Any, other: Any) -> Any:
    """Returns the static shape with those sizes that both shapes have in common."""
    if one.ndims is None or other.ndims is None:
        return tf.TensorShape(None)
    return tf.TensorShape([
        size if size == other_size else None for size, other_size in zip(one.as_list(), other.as_list())
    ])


def _common_shape(one: Any, other: Any) -> Any:
    # The output shape of a ragged component is its whole spec.
    return common_shape(one, other) if isinstance(one, tf.TensorShape) else one
