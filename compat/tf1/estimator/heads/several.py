"""Heads for several labels per example, and for several heads on one model."""
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.heads.base import Head, LossSpec, train_op_of
from legacy_towers.compat.tf1.estimator.heads.tensors import (
    check_range,
    classifier_outputs,
    dense_labels,
    label_ids,
    metrics_at,
)
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class MultiLabelHead(Head):
    """A head for multi-label classification: a sigmoid for each class. The loss of an example is the mean over classes.

    Labels are multi-hot [batch, n_classes], or a SparseTensor [batch, ?] of class ids or words of `label_vocabulary`.

    Args:
      n_classes: at least 2.
      weight_column: see `Head`.
      thresholds: of probabilities, for accuracy, precision and recall.
      label_vocabulary: the words of labels, if they are strings.
      loss_reduction: see `Head`.
      loss_fn: see `Head`.
      classes_for_class_based_metrics: ids or words of classes with additional metrics.
      name: see `Head`.

    Raises:
      ValueError: an argument is out of range.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Optional[Sequence[float]] = None,
        label_vocabulary: Optional[Sequence[str]] = None,
        loss_reduction: str = _MEAN,
        loss_fn: Any = None,
        classes_for_class_based_metrics: Optional[Sequence[Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if n_classes is None or n_classes < 2:
            raise ValueError("n_classes must be > 1 for multi-label classification. Given: {}".format(n_classes))
        for threshold in thresholds or ():
            if not 0.0 < threshold < 1.0:
                raise ValueError("thresholds must be in (0, 1) range. Given: {}".format(threshold))
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                "Length of label_vocabulary must be n_classes ({}). Given: {}".format(n_classes, len(label_vocabulary))
            )
        self._n_classes = n_classes
        self._thresholds = tuple(thresholds or ())
        self._vocabulary = label_vocabulary
        self._classes = [self._class_number(each) for each in classes_for_class_based_metrics or ()]

    @property
    def logits_dimension(self) -> int:
        return self._n_classes

    def all_predictions(self, logits: Any) -> Dict[str, Any]:
        with tf.name_scope(None, "predictions"):
            return {"logits": logits, "probabilities": tf.sigmoid(logits, name="probabilities")}

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        return classifier_outputs(predictions, self._n_classes, self._vocabulary)

    def labels(self, labels: Any, logits: Any) -> Any:
        if isinstance(labels, tf.SparseTensor):
            vocabulary = self._vocabulary if labels.dtype == tf.string else None
            numbers = label_ids(labels.values, vocabulary)
            if vocabulary is None:
                numbers = check_range(numbers, self._n_classes)
            numbered = tf.SparseTensor(labels.indices, tf.cast(numbers, tf.int64), labels.dense_shape)
            labels = tf.cast(tf.sparse_to_indicator(numbered, self._n_classes), tf.int64)
        elif labels is not None:
            labels = check_range(tf.convert_to_tensor(labels), 2)
        return dense_labels(labels, logits, self._n_classes)

    def losses(self, labels: Any, logits: Any) -> Any:
        each = tf.losses.sigmoid_cross_entropy(labels, logits, reduction=tf.losses.Reduction.NONE)
        return tf.reduce_mean(each, axis=-1, keepdims=True)

    def metric_ops(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        found = {}
        probabilities = predictions["probabilities"]
        for name, curve in (("auc", "ROC"), ("auc_precision_recall", "PR")):
            found[name] = tf.metrics.auc(labels, probabilities, weights, curve=curve, name=name)
        for threshold in self._thresholds:
            found.update(metrics_at(threshold, labels, probabilities, weights))
        for number in self._classes:
            found.update(self._of_class(number, labels, probabilities, weights))
        return found

    def _of_class(self, number: int, labels: Any, probabilities: Any, weights: Any) -> Dict[str, Any]:
        called = self._vocabulary[number] if self._vocabulary else "class{}".format(number)
        labels, probabilities = labels[..., number : number + 1], probabilities[..., number : number + 1]
        mean = "probability_mean/" + called
        found = {mean: tf.metrics.mean(probabilities, weights * tf.ones_like(probabilities), name=mean)}
        for name, curve in (("auc/", "ROC"), ("auc_precision_recall/", "PR")):
            found[name + called] = tf.metrics.auc(labels, probabilities, weights, curve=curve, name=name + called)
        return found

    def _class_number(self, given: Any) -> int:
        if isinstance(given, str):
            if not self._vocabulary:
                raise ValueError("label_vocabulary must be provided when classes_for_class_based_metrics are strings.")
            return list(self._vocabulary).index(given)
        if not 0 <= given < self._n_classes:
            raise ValueError(
                "All classes_for_class_based_metrics must be in range [0, {}]. Given: {}".format(
                    self._n_classes - 1, given
                )
            )
        return int(given)


class MultiHead(Head):
    """Several heads on one model; the loss is the sum of their losses times `head_weights`.

    Logits are a dict with the names of the heads as keys, or one tensor that is split in the order of the heads. Labels
    are such a dict. Predictions have the keys (name of the head, key).

    Raises:
      ValueError: there are no heads, one has no name, or the numbers of heads and weights differ.
    """

    def __init__(self, heads: Sequence[Head], head_weights: Optional[Sequence[float]] = None) -> None:
        super().__init__(loss_reduction=_MEAN)
        if not heads:
            raise ValueError("Must specify heads. Given: {}".format(heads))
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                "heads and head_weights must have the same size. Given len(heads): {}. Given len(head_weights): "
                "{}.".format(len(heads), len(head_weights))
            )
        for head in heads:
            if not head.name:
                raise ValueError("All given heads must have name specified. Given: {}".format(head))
        self._heads = tuple(heads)
        self._weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    def all_predictions(self, logits: Any) -> Dict[Any, Any]:
        parts = self._parts(logits)
        found = {head.name: head.predictions(parts[head.name]) for head in self._heads}
        return {(name, key): value for name, values in found.items() for key, value in values.items()}

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        parts = self._parts(logits)
        names = [head.name for head in self._heads]
        specs = {
            name: head.create_loss(features, mode, parts[name], labels[name]) for name, head in zip(names, self._heads)
        }
        weights = dict(zip(names, self._weights or [1.0] * len(names)))
        return LossSpec(
            self._merged([spec.training_loss for spec in specs.values()]),
            {name: spec.unreduced_loss * weights[name] for name, spec in specs.items()},
            {name: spec.weights * weights[name] for name, spec in specs.items()},
            {name: spec.processed_labels for name, spec in specs.items()},
        )

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None,
        regularization_losses: Optional[Sequence[Any]] = None,
        trainable_variables: Optional[Sequence[Any]] = None,
        update_ops: Optional[Sequence[Any]] = None,
    ) -> EstimatorSpec:
        if labels and not isinstance(labels, dict):
            raise ValueError("labels must be a dict. Given: {}".format(labels))
        parts = self._parts(logits)
        specs = [
            (
                str(head.name),
                head.create_estimator_spec(
                    features,
                    mode,
                    parts[head.name],
                    labels[head.name] if labels else None,
                    train_op_fn=lambda loss: tf.no_op(),
                ),
            )
            for head in self._heads
        ]
        predictions = {(name, key): value for name, spec in specs for key, value in spec.predictions.items()}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=_merged_outputs(specs))
        if mode == ModeKeys.EVAL:
            return self._evaluation(specs, predictions, regularization_losses)
        loss = self._merged([spec.loss for _, spec in specs], regularization_losses)
        train_op = train_op_of(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        with tf.name_scope(""):
            tf.summary.scalar("loss", loss)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def _evaluation(self, specs: List[Tuple[str, Any]], predictions: Any, regularization: Any) -> EstimatorSpec:
        metrics = {}
        with tf.name_scope("merge_eval"):
            for name, spec in specs:
                metrics["loss/" + name] = tf.metrics.mean(spec.loss, name="loss/" + name)
                metrics.update(spec.eval_metric_ops)
            loss = self._merged([spec.loss for _, spec in specs], regularization)
        return EstimatorSpec(ModeKeys.EVAL, predictions, loss, eval_metric_ops=metrics)

    def _merged(self, losses: Sequence[Any], regularization: Optional[Sequence[Any]] = None) -> Any:
        with tf.name_scope("merge_losses"):
            weighted = [loss * weight for loss, weight in zip(losses, self._weights)] if self._weights else list(losses)
            return tf.add_n(weighted + list(regularization or ()))

    def _parts(self, logits: Any) -> Any:
        if isinstance(logits, dict):
            return logits
        with tf.name_scope(None, "split_logits"):
            logits = tf.convert_to_tensor(logits)
            if not logits.shape[-1:].is_compatible_with([self.logits_dimension]):
                raise ValueError(
                    "Could not split logits of shape {} among the heads with individual logits dimensions: {}.".format(
                        logits.shape.as_list(), [head.logits_dimension for head in self._heads]
                    )
                )
            cut = tf.split(logits, [head.logits_dimension for head in self._heads], axis=-1)
        return {head.name: part for head, part in zip(self._heads, cut)}


def _merged_outputs(specs: Sequence[Tuple[str, Any]]) -> Dict[str, Any]:
    """Returns the export outputs of all heads under their names; those of the first head are the default."""
    merged = {runtime.SERVING_DEFAULT: specs[0][1].export_outputs[runtime.SERVING_DEFAULT]}
    predicted = {}
    for name, spec in specs:
        for key, output in spec.export_outputs.items():
            merged[name if key == runtime.SERVING_DEFAULT else "{}/{}".format(name, key)] = output
            if key == "predict":
                predicted.update({"{}/{}".format(name, each): value for each, value in output.outputs.items()})
    merged["predict"] = receivers.PredictOutput(predicted)
    return merged

