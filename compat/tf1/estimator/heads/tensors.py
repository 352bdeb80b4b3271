"""Tensors of several heads: dense labels, example weights, class ids and names."""
from typing import Any, Dict, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


class ResultNames:
    """The names of the metrics at a threshold."""

    def __init__(self, threshold: float) -> None:
        self.accuracy = "accuracy/positive_threshold_%g" % threshold
        self.precision = "precision/positive_threshold_%g" % threshold
        self.recall = "recall/positive_threshold_%g" % threshold


def dense_labels(labels: Any, logits: Any, dimension: int) -> Any:
    """Returns `labels` as a dense tensor [..., dimension] of the rank of `logits`.

    Raises:
      ValueError: there are no labels, or their shape does not fit.
    """
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data "
            "contain your label feature. Check that your input_fn properly parses and returns labels."
        )
    # The tensors have the names of TensorFlow 1.15: hooks of scripts use them.
    with tf.name_scope(None, "labels", (labels, logits)) as scope:
        if isinstance(labels, tf.SparseTensor):
            if dimension != 1:
                raise ValueError(
                    "SparseTensor labels must have dimension 1, but {} is expected: convert them to dense".format(
                        dimension
                    )
                )
            labels = tf.reshape(labels.values, [-1, 1])
        labels = tf.convert_to_tensor(labels)
        known = labels.shape.rank is not None and logits.shape.rank is not None
        if known and labels.shape.rank == logits.shape.rank - 1:
            labels = tf.expand_dims(labels, -1)
        if labels.shape.rank is not None and not labels.shape[-1:].is_compatible_with([dimension]):
            raise ValueError(
                "Mismatched label shape. Expected labels dimension={}. Received {}. Suggested Fix: If your "
                "classifier expects one-hot encoding label, check your n_classes argument to the estimator and/or "
                "the shape of your label.".format(dimension, labels.shape[-1])
            )
        expected = tf.concat([tf.shape(logits)[:-1], [dimension]], axis=0)
        check = tf.assert_equal(expected, tf.shape(labels), message="labels and logits differ in shape")
        with tf.control_dependencies([check]):
            return tf.identity(labels, name=scope)


def label_ids(labels: Any, vocabulary: Optional[Sequence[str]]) -> Any:
    """Returns the class ids of `labels`, which are words if there is a `vocabulary`.

    Raises:
      ValueError: `labels` have another dtype.
    """
    if vocabulary is None:
        if not labels.dtype.is_integer:
            raise ValueError("Labels dtype should be integer. Instead got {}.".format(labels.dtype))
        return labels
    if labels.dtype != tf.string:
        raise ValueError("Labels dtype should be string if there is a vocabulary. Instead got {}".format(labels.dtype))
    words = tf.constant(list(vocabulary))
    numbers = tf.range(len(vocabulary), dtype=tf.int64)
    initializer = tf.lookup.KeyValueTensorInitializer(words, numbers)
    return tf.lookup.StaticHashTable(initializer, -1, name="class_id_lookup").lookup(labels)


def check_range(labels: Any, n_classes: int) -> Any:
    """Returns `labels` with an assertion that they are in [0, n_classes)."""
    with tf.name_scope("assert_range"):
        most = tf.cast(n_classes - 1, labels.dtype)
        checks = [
            tf.assert_less_equal(labels, most, message="Labels must <= n_classes - 1"),
            tf.assert_non_negative(labels, message="Labels must >= 0"),
        ]
        with tf.control_dependencies(checks):
            return tf.identity(labels)


def example_weights(features: Any, column: Any, logits: Any) -> Any:
    """Returns the weights of the examples, [batch, 1], or 1.0 without a column."""
    if column is None:
        return 1.0
    if isinstance(column, str):
        column = tf.feature_column.numeric_column(column, shape=(1,))
    weights = tf.convert_to_tensor(features[column.key])
    if column.normalizer_fn is not None:
        weights = column.normalizer_fn(weights)
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise ValueError("Weight column should be castable to float. Given dtype: {}".format(weights.dtype))
    with tf.name_scope(None, "weights", (weights, logits)) as scope:
        weights = tf.cast(weights, tf.float32)
        known = weights.shape.rank is not None and logits.shape.rank is not None
        if known and weights.shape.rank == logits.shape.rank - 1:
            weights = tf.expand_dims(weights, -1)
        return tf.identity(weights, name=scope)


def weighted_loss(losses: Any, weights: Any, reduction: str) -> Any:
    """Returns the loss of a batch."""
    return tf.losses.compute_weighted_loss(losses, weights=weights, reduction=reduction)


def class_tensors(scores: Any, logits: Any, n_classes: int, vocabulary: Optional[Sequence[str]]) -> Dict[str, Any]:
    """Returns the predicted class ids and names, and the ids and names of all classes for each example."""
    class_ids = tf.expand_dims(tf.argmax(scores, axis=-1, name="class_ids"), -1)
    batch = tf.shape(logits)[0]
    numbers = tf.tile(tf.expand_dims(tf.range(n_classes), 0), [batch, 1])
    if vocabulary:
        classes = tf.gather(tf.constant(list(vocabulary)), class_ids)
    else:
        classes = tf.as_string(class_ids, name="str_classes")
    names = tf.tile(tf.expand_dims(_names(n_classes, vocabulary), 0), [batch, 1])
    return {"class_ids": class_ids, "classes": classes, "all_class_ids": numbers, "all_classes": names}


def classifier_outputs(
    predictions: Dict[str, Any], n_classes: int, vocabulary: Optional[Sequence[str]]
) -> Dict[str, Any]:
    """Returns the export outputs of a classifier: the names and scores of all classes, and its predictions."""
    scores = predictions["probabilities"]
    names = tf.tile(tf.expand_dims(_names(n_classes, vocabulary), 0), [tf.shape(scores)[0], 1])
    classes = receivers.ClassificationOutput(scores=scores, classes=names)
    return {
        runtime.SERVING_DEFAULT: classes,
        "classification": classes,
        "predict": receivers.PredictOutput(predictions),
    }


def metrics_at(threshold: float, labels: Any, predictions: Any, weights: Any) -> Dict[str, Any]:
    """Returns accuracy, precision and recall of predicting 1 if `predictions` are at least `threshold`."""
    names = ResultNames(threshold)
    chosen = tf.cast(tf.greater_equal(predictions, threshold), tf.float32)
    precision, precision_update = tf.metrics.precision_at_thresholds(
        labels, predictions, (threshold,), weights, name=names.precision
    )
    recall, recall_update = tf.metrics.recall_at_thresholds(
        labels, predictions, (threshold,), weights, name=names.recall
    )
    return {
        names.accuracy: tf.metrics.accuracy(labels, chosen, weights, name=names.accuracy),
        names.precision: (tf.squeeze(precision), tf.squeeze(precision_update)),
        names.recall: (tf.squeeze(recall), tf.squeeze(recall_update)),
    }


def accuracy_baseline(mean_label: Tuple[Any, Any]) -> Tuple[Any, Any]:
    """Returns the accuracy, as a metric, of always predicting the more frequent of two classes."""
    value, update = mean_label
    return tf.maximum(value, 1 - value, name="accuracy_baseline"), tf.maximum(1 - update, update)


def _names(n_classes: int, vocabulary: Optional[Sequence[str]]) -> Any:
    return tf.constant(list(vocabulary)) if vocabulary else tf.as_string(tf.range(n_classes))
