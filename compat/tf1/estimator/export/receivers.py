"""tf.estimator.export: the inputs and outputs of an exported model."""
from typing import Any, Callable, Dict, NamedTuple, Optional

from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf

ClassificationOutput = runtime.ClassificationOutput
ExportOutput = runtime.ExportOutput
PredictOutput = runtime.PredictOutput
RegressionOutput = runtime.RegressionOutput

__all__ = [
    "ClassificationOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "ServingInputReceiver",
    "SupervisedInputReceiver",
    "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
    "build_raw_supervised_input_receiver_fn",
]

# The names of single tensors without a name, if other than their kind: clients of the exported graph feed "input".
_BARE = {"receiver_tensor": "input", "receiver_tensors_alternative": "input"}


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class ServingInputReceiver(_Receiver):
    """The features of a model and the placeholders that are fed, as dicts or single tensors, which get a name.

    Args:
      features: passed to the model function.
      receiver_tensors: name -> placeholder.
      receiver_tensors_alternatives: name -> dict of tensors that may be fed instead.

    Raises:
      ValueError: a name or tensor has the wrong type, or none is given.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> "ServingInputReceiver":
        if receiver_tensors_alternatives is not None:
            if not isinstance(receiver_tensors_alternatives, dict):
                raise ValueError(
                    "receiver_tensors_alternatives must be a dict: {}.".format(receiver_tensors_alternatives)
                )
            receiver_tensors_alternatives = {
                name: _named(tensors, "receiver_tensors_alternative")
                for name, tensors in receiver_tensors_alternatives.items()
            }
        named = _named(features, "feature"), _named(receiver_tensors, "receiver_tensor")
        return super().__new__(cls, named[0], named[1], receiver_tensors_alternatives)


class TensorServingInputReceiver(_Receiver):
    """A ServingInputReceiver for a model function whose features are a single tensor."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> "TensorServingInputReceiver":
        if features is None:
            raise ValueError("features must be defined.")
        _check(features, "feature", "feature")
        named = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, features, named.receiver_tensors, named.receiver_tensors_alternatives)


class _SupervisedReceiver(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: Any


class SupervisedInputReceiver(_SupervisedReceiver):
    """The features, labels and placeholders of a graph that trains or evaluates."""

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> "SupervisedInputReceiver":
        _named(features, "feature")
        _named(labels, "label")
        return super().__new__(cls, features, labels, _named(receiver_tensors, "receiver_tensor"))


def build_parsing_serving_input_receiver_fn(
    feature_spec: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that makes a placeholder "input_example_tensor" of serialized examples and parses them."""

    def receiver() -> ServingInputReceiver:
        serialized = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(tf.parse_example(serialized, feature_spec), {"examples": serialized})

    return receiver


def build_raw_serving_input_receiver_fn(
    features: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that makes a placeholder for each of `features`, by default for any batch size."""

    def receiver() -> ServingInputReceiver:
        fed = _placeholders(features, default_batch_size)
        return ServingInputReceiver(fed, fed)

    return receiver


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: Optional[int] = None
) -> Callable[[], SupervisedInputReceiver]:
    """Returns a function that makes a placeholder for each of `features` and `labels`.

    Raises:
      ValueError: a feature and a label have the same name.
    """
    named_features = features if isinstance(features, dict) else {"feature": features}
    named_labels = labels if isinstance(labels, dict) else {"label": labels}
    both = sorted(set(named_features) & set(named_labels))
    if both:
        raise ValueError("Features and labels must have distinct keys. Found overlapping keys: {}".format(both))

    def receiver() -> SupervisedInputReceiver:
        fed_features = _placeholders(named_features, default_batch_size)
        fed_labels = _placeholders(named_labels, default_batch_size)
        return SupervisedInputReceiver(
            fed_features if isinstance(features, dict) else fed_features["feature"],
            fed_labels if isinstance(labels, dict) else fed_labels["label"],
            dict(fed_features, **fed_labels),
        )

    return receiver


def _placeholders(like: Dict[str, Any], batch_size: Optional[int]) -> Dict[str, Any]:
    return {name: _placeholder(name, tensor, batch_size) for name, tensor in like.items()}


def _placeholder(name: str, tensor: Any, batch_size: Optional[int]) -> Any:
    shape = tensor.shape.as_list() if tensor.shape.rank else None
    if shape is None:
        return tf.placeholder(tensor.dtype, tensor.shape, name=tensor.op.name)
    return tf.placeholder(tensor.dtype, [batch_size] + shape[1:], name=tensor.op.name)


def _named(tensors: Any, what: str) -> Dict[Any, Any]:
    if tensors is None:
        raise ValueError("{}s must be defined.".format(what))
    named = tensors if isinstance(tensors, dict) else {_BARE.get(what, what): tensors}
    for name, tensor in named.items():
        if not isinstance(name, (str, int)) or (isinstance(name, int) and what not in ("feature", "label")):
            raise ValueError("{} keys must be strings: {}.".format(what, name))
        _check(tensor, name, what)
    return named


def _check(tensor: Any, name: Any, what: str) -> None:
    if not isinstance(tensor, (tf.Tensor, tf.SparseTensor)):
        raise ValueError("{} {} must be a Tensor or SparseTensor, given: {}".format(what, name, type(tensor).__name__))
