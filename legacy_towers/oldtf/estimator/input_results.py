"""What an input function returned, taken as features, labels and the hooks that its data needs."""
from typing import Any, List, NamedTuple

from legacy_towers.compat import tf


class InputTensors(NamedTuple):
    """Attributes:
    features: a tensor or a structure of tensors.
    labels: likewise, None where there are none.
    hooks: the hooks that must run beside them.
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
    """Takes a dataset, (features, labels) or features alone.

    Raises:
      ValueError: a tuple that has not two parts.
    """
    hooks: List[Any] = []
    if is_dataset(result):
        iterator = tf.data.make_initializable_iterator(result)
        hooks.append(InitializeIterator(iterator.initializer))
        result = iterator.get_next()
    features, labels = split(result)
    return InputTensors(features, labels, hooks)


def split(result: Any) -> Any:
    """Returns (features, labels) of an element of data."""
    if not isinstance(result, (list, tuple)):
        return result, None
    if len(result) != 2:
        raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
    return result[0], result[1]


def is_dataset(result: Any) -> bool:
    """Returns whether `result` is a tf.data.Dataset, of either kind."""
    # tf.data.Dataset of the TF1 API is not a base of the datasets that transformations of TF 2 return.
    return isinstance(result, tf.data.Dataset) or any(kind.__name__ == "DatasetV2" for kind in type(result).__mro__)


def ends(features: Any) -> bool:
    """Returns whether what feeds `features` can come to an end: an iterator or a queue runner is behind it."""
    tensors = [value for value in tf.nest.flatten(features) if isinstance(value, tf.Tensor)]
    from_iterator = any(tensor.op.type == "IteratorGetNext" for tensor in tensors)
    return from_iterator or bool(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
