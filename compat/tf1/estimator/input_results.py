"""The results of input functions as features, labels and hooks."""
from typing import Any, List, NamedTuple

from legacy_towers.compat.versions import tf


class InputTensors(NamedTuple):
    """The tensors of an input function.

    Attributes:
      features: a tensor or a structure of tensors.
      labels: a tensor or a structure of tensors, None without labels.
      hooks: the hooks that the tensors need.
    """

    features: Any
    labels: Any
    hooks: List[Any]


class InitializeIterator(tf.train.SessionRunHook):
    """Runs the initializer of an iterator in each new session."""

    def __init__(self, initializer: Any) -> None:
        self._initializer = initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def parse(result: Any) -> InputTensors:
    """Returns the tensors of `result`: a dataset, (features, labels) or features.

    Raises:
      ValueError: `result` is a tuple of another length.
    """
    hooks: List[Any] = []
    if is_dataset(result):
        iterator = tf.data.make_initializable_iterator(result)
        hooks.append(InitializeIterator(iterator.initializer))
        result = iterator.get_next()
    features, labels = split(result)
    return InputTensors(features, labels, hooks)


def split(result: Any) -> Any:
    """Returns (features, labels) of an element, with labels None if it has none.

    Raises:
      ValueError: `result` is a tuple of another length than 2.
    """
    if not isinstance(result, (list, tuple)):
        return result, None
    if len(result) != 2:
        raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
    return result[0], result[1]


def is_dataset(result: Any) -> bool:
    """Returns whether `result` is a tf.data.Dataset of version 1 or 2."""
    # Transformations of TF 2 return datasets that are not instances of tf.data.Dataset of the TF1 API.
    return isinstance(result, tf.data.Dataset) or any(kind.__name__ == "DatasetV2" for kind in type(result).__mro__)


def ends(features: Any) -> bool:
    """Returns whether `features` can be exhausted: they come from an iterator, or the graph has a queue runner."""
    tensors = [value for value in tf.nest.flatten(features) if isinstance(value, tf.Tensor)]
    from_iterator = any(tensor.op.type == "IteratorGetNext" for tensor in tensors)
    return from_iterator or bool(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
