"""Heads for several classes, for two classes, and for regression."""
from typing import Any, Callable, Dict, Optional, Sequence

from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.tf1.estimator.heads.tensors import (
    accuracy_baseline,
    check_range,
    class_tensors,
    classifier_outputs,
    dense_labels,
    label_ids,
    metrics_at,
)
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


class MultiClassHead(Head):
    """A head with softmax over `n_classes` > 2; labels are class ids [batch, 1], or words of `label_vocabulary`."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[str]] = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if n_classes is None or n_classes <= 2:
            raise ValueError("n_classes must be > 2: {}.".format(n_classes))
        self._n_classes = n_classes
        self._vocabulary = label_vocabulary

    @property
    def logits_dimension(self) -> int:
        return self._n_classes

    def all_predictions(self, logits: Any) -> Dict[str, Any]:
        with tf.name_scope(None, "predictions"):
            found = {"logits": logits, "probabilities": tf.nn.softmax(logits, name="probabilities")}
            found.update(class_tensors(logits, logits, self._n_classes, self._vocabulary))
        return found

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        return classifier_outputs(predictions, self._n_classes, self._vocabulary)

    def labels(self, labels: Any, logits: Any) -> Any:
        labels = dense_labels(labels, logits, 1)
        return check_range(label_ids(labels, self._vocabulary), self._n_classes)

    def losses(self, labels: Any, logits: Any) -> Any:
        each = tf.losses.sparse_softmax_cross_entropy(labels, logits, reduction=tf.losses.Reduction.NONE)
        return tf.expand_dims(each, -1)

    def metric_ops(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        return {"accuracy": tf.metrics.accuracy(labels, predictions["class_ids"], weights, name="accuracy")}


class BinaryClassHead(Head):
    """A head with the sigmoid of one logit; labels [batch, 1] are in [0, 1], or words of `label_vocabulary`."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Optional[Sequence[float]] = None,
        label_vocabulary: Optional[Sequence[str]] = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._thresholds = tuple(thresholds or ())
        self._vocabulary = label_vocabulary

    @property
    def logits_dimension(self) -> int:
        return 1

    def all_predictions(self, logits: Any) -> Dict[str, Any]:
        with tf.name_scope(None, "predictions"):
            both = tf.concat([tf.zeros_like(logits), logits], axis=-1, name="two_class_logits")
            found = {
                "logits": logits,
                "logistic": tf.sigmoid(logits, name="logistic"),
                "probabilities": tf.nn.softmax(both, name="probabilities"),
            }
            found.update(class_tensors(both, logits, 2, self._vocabulary))
        return found

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        regression = receivers.RegressionOutput(predictions["logistic"])
        return dict(classifier_outputs(predictions, 2, self._vocabulary), regression=regression)

    def labels(self, labels: Any, logits: Any) -> Any:
        labels = dense_labels(labels, logits, 1)
        if self._vocabulary is not None:
            labels = label_ids(labels, self._vocabulary)
        return check_range(tf.cast(labels, tf.float32, name="ToFloat"), 2)

    def losses(self, labels: Any, logits: Any) -> Any:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def metric_ops(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        chosen, logistic = predictions["class_ids"], predictions["logistic"]
        with tf.name_scope("auc_weights"):
            spread = None if weights is None else weights * tf.ones_like(logistic)
        mean_label = tf.metrics.mean(labels, weights, name="label/mean")
        found = {
            "accuracy": tf.metrics.accuracy(labels, chosen, weights, name="accuracy"),
            "precision": tf.metrics.precision(labels, chosen, weights, name="precision"),
            "recall": tf.metrics.recall(labels, chosen, weights, name="recall"),
            "prediction/mean": tf.metrics.mean(logistic, weights, name="prediction/mean"),
            "label/mean": mean_label,
            "accuracy_baseline": accuracy_baseline(mean_label),
        }
        for name, curve in (("auc", "ROC"), ("auc_precision_recall", "PR")):
            found[name] = tf.metrics.auc(labels, logistic, spread, curve=curve, name=name)
        for threshold in self._thresholds:
            found.update(metrics_at(threshold, labels, logistic, weights))
        return found


class RegressionHead(Head):
    """A head with squared errors of labels [batch, label_dimension]; `inverse_link_fn` maps logits to predictions."""

    def __init__(
        self,
        weight_column: Any = None,
        label_dimension: int = 1,
        loss_reduction: str = tf.losses.Reduction.SUM,
        loss_fn: Any = None,
        inverse_link_fn: Optional[Callable[[Any], Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError("Invalid label_dimension {}".format(label_dimension))
        self._label_dimension = label_dimension
        self._inverse_link = inverse_link_fn

    @property
    def logits_dimension(self) -> int:
        return self._label_dimension

    def all_predictions(self, logits: Any) -> Dict[str, Any]:
        if self._inverse_link is None:
            return {"predictions": tf.cast(logits, tf.float32)}
        return {"predictions": self._inverse_link(logits), "logits": logits}

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        value = receivers.RegressionOutput(predictions["predictions"])
        return {runtime.SERVING_DEFAULT: value, "regression": value, "predict": receivers.PredictOutput(predictions)}

    def labels(self, labels: Any, logits: Any) -> Any:
        return tf.cast(dense_labels(labels, logits, self._label_dimension), tf.float32)

    def losses(self, labels: Any, logits: Any) -> Any:
        return tf.losses.mean_squared_error(labels, logits, reduction=tf.losses.Reduction.NONE)

    def metric_ops(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        return {
            "prediction/mean": tf.metrics.mean(predictions["predictions"], weights, name="prediction/mean"),
            "label/mean": tf.metrics.mean(labels, weights, name="label/mean"),
        }


def classes_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str, loss_fn: Any = None
) -> Head:
    """Returns the head of a classifier; two classes have one logit."""
    if n_classes == 2:
        return BinaryClassHead(
            weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction, loss_fn=loss_fn
        )
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn)
