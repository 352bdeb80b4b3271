"""ModeKeys, ModelFnOps and MetricSpec of tf.contrib.learn."""
from typing import Any, Callable, Dict, NamedTuple, Optional

__all__ = ["MetricSpec", "ModeKeys", "ModelFnOps"]


class ModeKeys:
    """The modes in which a model function is called. tf.estimator calls INFER PREDICT."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError where `key` is not a mode."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError("Invalid mode {}.".format(key))


class ModelFnOps(NamedTuple):
    """The ops that a model function of tf.contrib.learn returns."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Optional[Dict[str, Any]] = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None


class MetricSpec:
    """A metric function with the keys of its predictions, labels and weights.

    Args:
      metric_fn: (predictions, labels[, weights]) -> (value, update op), called with keyword arguments.
      prediction_key: the key in the dict of predictions; None where predictions are a tensor or a dict of one.
      label_key: the same for labels.
      weight_key: the feature of the examples' weights; None: no weights.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Optional[str] = None,
        label_key: Optional[str] = None,
        weight_key: Optional[str] = None,
    ) -> None:
        self._metric_fn = metric_fn
        self._keys = {"prediction": prediction_key, "label": label_key, "weight": weight_key}

    metric_fn = property(lambda self: self._metric_fn)
    prediction_key = property(lambda self: self._keys["prediction"])
    label_key = property(lambda self: self._keys["label"])
    weight_key = property(lambda self: self._keys["weight"])

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Returns (value, update op) of `metric_fn`.

        Raises:
          ValueError: a key is given for a tensor that is not in a dict, or no key for a dict of several.
        """
        chosen_labels, chosen_predictions = self._select("label", labels), self._select("prediction", predictions)
        weights = inputs[self.weight_key] if self.weight_key else None
        if weights is None:
            return self._metric_fn(predictions=chosen_predictions, labels=chosen_labels)
        return self._metric_fn(predictions=chosen_predictions, labels=chosen_labels, weights=weights)

    def _select(self, name: str, values: Any) -> Any:
        key = self._keys[name]
        if not isinstance(values, dict):
            if key:
                raise ValueError(
                    "MetricSpec with {}_key specified requires {}s dict, got {}.".format(name, name, values)
                )
            return values
        if key:
            return values[key]
        if len(values) != 1:
            raise ValueError(
                "MetricSpec without specified {}_key requires {}s tensor or single element dict, got {}".format(
                    name, name, sorted(values)
                )
            )
        return next(iter(values.values()))
