"""The heads of tf.contrib.learn's canned estimators: predictions, loss and metrics computed from logits."""
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat.tf1.contrib import lookup
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_THRESHOLD = 0.5


class PredictionKey:
    """The keys of canned estimators' predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


class ProblemType:
    """The kind of a model's task."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class Head(NamedTuple):
    """Functions that compute predictions, loss and metrics from logits [batch, logits_dimension].

    Attributes:
      name: of the head's variable scope.
      loss: (labels, logits) -> the loss of each example, [batch, ...].
      predict: logits -> dict of predictions.
      metrics: (labels, predictions, weights) -> dict of (value, update op).
      labels: labels of the input function -> labels with the shape and dtype that `loss` and `metrics` take.
      weight_column_name: the feature of the examples' weights, or None.
    """

    name: str
    logits_dimension: int
    loss: Callable[[Any, Any], Any]
    predict: Callable[[Any], Dict[str, Any]]
    metrics: Callable[[Any, Dict[str, Any], Any], Dict[str, Any]]
    labels: Callable[[Any], Any]
    weight_column_name: Optional[str]

    def spec(
        self,
        features: Dict[str, Any],
        labels: Any,
        mode: str,
        logits: Any,
        train: Callable[[Any], Any],
        metrics: Callable[[Any, Any], Dict[str, Any]],
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec in `mode`.

        Args:
          train: loss -> train op.
          metrics: (labels, predictions) -> additional metrics.
        """
        with tf.variable_scope(None, self.name):
            predictions = self.predict(logits)
            if mode == "infer":
                return EstimatorSpec(mode, predictions=predictions)
            labels = self.labels(labels)
            weights = self._weights(features)
            losses = self.loss(labels, logits)
            loss = average = tf.reduce_mean(losses)
            if weights is not None:
                weighted_losses = tf.reshape(weights, [-1] + [1] * (losses.shape.ndims - 1)) * losses
                loss, average = tf.reduce_mean(weighted_losses), tf.reduce_sum(weighted_losses) / tf.reduce_sum(weights)
            if mode == "train":
                tf.summary.scalar("loss", average)
                return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train(loss))
            eval_metric_ops = dict(self.metrics(labels, predictions, weights), **metrics(labels, predictions))
            return EstimatorSpec(mode, predictions=predictions, loss=average, eval_metric_ops=eval_metric_ops)

    def _weights(self, features: Dict[str, Any]) -> Any:
        if self.weight_column_name is None:
            return None
        return tf.cast(features[self.weight_column_name], tf.float32)


def _as_column(values: Any) -> Any:
    values = tf.convert_to_tensor(values)
    return values[:, tf.newaxis] if values.shape.ndims == 1 else values


def regression(label_dimension: int = 1, weight_column_name: Optional[str] = None) -> Head:
    """Returns the head for regression with squared error."""

    def predict(logits: Any) -> Dict[str, Any]:
        return {PredictionKey.SCORES: tf.squeeze(logits, [1]) if label_dimension == 1 else logits}

    return Head(
        "regression_head",
        label_dimension,
        lambda labels, logits: tf.squared_difference(logits, labels),
        predict,
        lambda labels, predictions, weights: {},
        lambda labels: tf.cast(_as_column(labels), tf.float32),
        weight_column_name,
    )


def classification(n_classes: int, weight_column_name: Optional[str] = None, label_keys: Any = None) -> Head:
    """Returns the head for classification: one logit for two classes, otherwise one for each class.

    Args:
      label_keys: the classes' names, where labels and predicted classes are strings; for more than two classes.

    Raises:
      ValueError: `n_classes` is less than 2, or `label_keys` are not one for each class.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification: {}.".format(n_classes))
    if label_keys is not None and n_classes == 2:
        raise ValueError("label_keys is not supported for n_classes=2.")
    if label_keys is not None and len(label_keys) != n_classes:
        raise ValueError("Length of label_keys must equal n_classes.")
    return _binary(weight_column_name) if n_classes == 2 else _multi_class(n_classes, weight_column_name, label_keys)


def _binary(weight_column_name: Optional[str]) -> Head:
    def predict(logits: Any) -> Dict[str, Any]:
        two_class_logits = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: tf.nn.softmax(two_class_logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: tf.argmax(two_class_logits, 1, name=PredictionKey.CLASSES),
        }

    return Head(
        "binary_logistic_head",
        1,
        _sigmoid_losses,
        predict,
        _binary_metrics,
        _as_column,
        weight_column_name,
    )


def binary_svm(weight_column_name: Optional[str] = None) -> Head:
    """Returns the head for binary classification with hinge loss; it predicts no probabilities."""

    def predict(logits: Any) -> Dict[str, Any]:
        two_class_logits = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.CLASSES: tf.argmax(two_class_logits, 1, name=PredictionKey.CLASSES),
        }

    def metrics(labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        flat = None if weights is None else tf.reshape(weights, [-1])
        classes = predictions[PredictionKey.CLASSES]
        return {"accuracy": tf.metrics.accuracy(tf.reshape(labels, [-1]), classes, flat)}

    return Head(
        "binary_svm_head",
        1,
        lambda labels, logits: tf.losses.hinge_loss(labels, logits, reduction=tf.losses.Reduction.NONE),
        predict,
        metrics,
        _as_column,
        weight_column_name,
    )


def _sigmoid_losses(labels: Any, logits: Any) -> Any:
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(labels, tf.float32), logits=logits)


def _binary_metrics(labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
    logistic = predictions[PredictionKey.LOGISTIC]
    numbers, truths = tf.cast(labels, tf.float32), tf.cast(labels, tf.bool)
    weights = None if weights is None else _as_column(weights)
    flat = None if weights is None else tf.reshape(weights, [-1])
    above = tf.cast(logistic > _THRESHOLD, tf.float32)
    options = dict(thresholds=[_THRESHOLD], weights=weights)
    metrics = tf.metrics
    metric_ops = {
        "accuracy": metrics.accuracy(tf.reshape(labels, [-1]), predictions[PredictionKey.CLASSES], flat),
        "labels/prediction_mean": metrics.mean(logistic, weights),
        "labels/actual_label_mean": metrics.mean(numbers, weights),
        "accuracy/baseline_label_mean": metrics.mean(numbers, weights),
        "auc": metrics.auc(truths, logistic, weights),
        "auc_precision_recall": metrics.auc(truths, logistic, weights, curve="PR"),
        "accuracy/threshold_%f_mean" % _THRESHOLD: metrics.accuracy(numbers, above, weights),
    }
    for name, metric in (("precision", metrics.precision_at_thresholds), ("recall", metrics.recall_at_thresholds)):
        value, update = metric(truths, logistic, **options)
        metric_ops["{}/positive_threshold_{:f}_mean".format(name, _THRESHOLD)] = (tf.squeeze(value), tf.squeeze(update))
    return metric_ops


def _multi_class(n_classes: int, weight_column_name: Optional[str], label_keys: Optional[Sequence[str]]) -> Head:
    def predict(logits: Any) -> Dict[str, Any]:
        ids = tf.argmax(logits, 1, name=PredictionKey.CLASSES)
        if label_keys is not None:
            table = lookup.index_to_string_table_from_tensor(list(label_keys), name="class_string_lookup")
            ids = table.lookup(ids)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: ids,
        }

    def label_ids(labels: Any) -> Any:
        labels = tf.convert_to_tensor(labels)
        if labels.shape.ndims == 2:
            labels = tf.squeeze(labels, [1])
        if label_keys is not None:
            return lookup.index_table_from_tensor(list(label_keys), name="label_id_lookup").lookup(labels)
        return tf.cast(labels, tf.int64)

    def metrics(labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        predicted_ids = tf.argmax(predictions[PredictionKey.LOGITS], 1)
        flat = None if weights is None else tf.reshape(weights, [-1])
        return {"accuracy": tf.metrics.accuracy(labels, predicted_ids, flat)}

    return Head(
        "multi_class_head",
        n_classes,
        lambda labels, logits: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        predict,
        metrics,
        label_ids,
        weight_column_name,
    )
