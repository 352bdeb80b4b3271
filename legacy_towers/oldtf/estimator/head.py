"""What all heads share: from logits and labels to predictions, a loss, metrics and a train op."""
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator.head_tensors import example_weights, weighted_loss
from legacy_towers.oldtf.estimator.mode_keys import ModeKeys
from legacy_towers.oldtf.estimator.spec import EstimatorSpec


class LossSpec(NamedTuple):
    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


def train_op_of(loss: Any, optimizer: Any, train_op_fn: Optional[Callable[[Any], Any]]) -> Any:
    """Returns the optimizer's train op, or `train_op_fn(loss)`, with the updates of batch norm.

    Raises:
      ValueError: both are given, or none.
    """
    if (optimizer is None) == (train_op_fn is None):
        raise ValueError("exactly one of train_op_fn and optimizer must be given to train")
    if train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    return tf.group(train_op, *updates) if updates else train_op


class Head:
    """What follows the logits.

    Args:
      weight_column: a feature's name or a numeric column: the weights of the examples in loss and metrics.
      loss_reduction: one of tf.losses.Reduction but NONE; SUM where canned estimators are given none.
      loss_fn: (labels, logits) or (labels, logits, features) -> a loss for each example.
      name: a suffix of all metrics' names.
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        loss_fn: Optional[Callable[..., Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        if loss_reduction not in tf.losses.Reduction.all() or loss_reduction == tf.losses.Reduction.NONE:
            raise ValueError("Invalid loss_reduction: {}".format(loss_reduction))
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    @property
    def name(self) -> Optional[str]:
        return self._name

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        raise NotImplementedError

    def predictions(self, logits: Any) -> Dict[str, Any]:
        """Returns name -> tensor."""
        raise NotImplementedError

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        """Returns name -> ExportOutput."""
        raise NotImplementedError

    def labels(self, labels: Any, logits: Any) -> Any:
        """Returns the labels [batch, n] as the loss takes them."""
        raise NotImplementedError

    def losses(self, labels: Any, logits: Any) -> Any:
        """Returns the loss [batch, n] of each example."""
        raise NotImplementedError

    def metrics(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        """Returns name -> (value, update op), beside the mean loss."""
        raise NotImplementedError

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Returns the loss of a batch, and what it was made of."""
        processed = self.labels(labels, logits)
        if self._loss_fn is None:
            unreduced = self.losses(processed, logits)
        else:
            from legacy_towers.oldtf.estimator import arguments

            given = dict(labels=processed, logits=logits, features=features)
            unreduced = self._loss_fn(**arguments.wanted(self._loss_fn, given))
        weights = example_weights(features, self._weight_column, logits)
        return LossSpec(weighted_loss(unreduced, weights, self._loss_reduction), unreduced, weights, processed)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None,
        regularization_losses: Optional[Sequence[Any]] = None,
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec of `mode`; the train op is the optimizer's or `train_op_fn(loss)`."""
        logits = tf.convert_to_tensor(logits)
        with tf.name_scope(self._name, "head"):
            if logits.shape[-1] != self.logits_dimension:
                raise ValueError(
                    "logits must have {} as their last dimension, given: {}".format(self.logits_dimension, logits.shape)
                )
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions, export_outputs=self.export_outputs(predictions))
            spec = self.create_loss(features, mode, logits, labels)
            regularization = tf.add_n(list(regularization_losses)) if regularization_losses else None
            loss = spec.training_loss if regularization is None else spec.training_loss + regularization
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(
                    mode, predictions, loss, eval_metric_ops=self._all(spec, predictions, regularization)
                )
            train_op = train_op_of(loss, optimizer, train_op_fn)
            mean_loss = self._mean_loss(spec)
        self._summarize(loss, mean_loss, regularization)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def _key(self, name: str) -> str:
        return name if not self._name else "{}/{}".format(name, self._name)

    def _all(self, spec: LossSpec, predictions: Dict[str, Any], regularization: Any) -> Dict[str, Any]:
        # The scope "metrics" is that of TensorFlow 1.15, so the local variables have its names.
        with tf.name_scope(None, "metrics"):
            found = {"average_loss": tf.metrics.mean(spec.unreduced_loss, spec.weights, name="average_loss")}
            found.update(self.metrics(spec.processed_labels, predictions, spec.weights))
            if regularization is not None:
                found["regularization_loss"] = tf.metrics.mean(regularization, name="regularization_loss")
        return {self._key(name): metric for name, metric in found.items()}

    def _mean_loss(self, spec: LossSpec) -> Any:
        # Its name, "head/truediv", is that of TensorFlow 1.15: hooks of scripts ask for it.
        if self._loss_reduction != tf.losses.Reduction.SUM:
            return None
        return spec.training_loss / tf.reduce_sum(spec.weights * tf.ones_like(spec.unreduced_loss))

    def _summarize(self, loss: Any, mean_loss: Any, regularization: Any) -> None:
        with tf.name_scope(""):
            tf.summary.scalar(self._key("loss"), loss)
            if mean_loss is not None:
                tf.summary.scalar(self._key("average_loss"), mean_loss)
            if regularization is not None:
                tf.summary.scalar(self._key("regularization_loss"), regularization)
