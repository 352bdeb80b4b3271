"""The base class of heads, which compute predictions, a loss, metrics and a train op from logits and labels."""
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat.tf1.estimator.heads.tensors import example_weights, weighted_loss
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_NO_KERAS_METRICS = (
    "Head.{} made metrics of Keras, which legacy_towers does not support here: "
    "create_estimator_spec(mode=tf.estimator.ModeKeys.EVAL, ...).eval_metric_ops has the metrics of a batch, each with "
    "the operation that updates it"
)


class LossSpec(NamedTuple):
    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


def train_op_of(
    loss: Any,
    optimizer: Any,
    train_op_fn: Optional[Callable[[Any], Any]],
    trainable_variables: Optional[Sequence[Any]] = None,
    update_ops: Optional[Sequence[Any]] = None,
) -> Any:
    """Returns the optimizer's train op, or `train_op_fn(loss)`, grouped with the UPDATE_OPS of batch norm.

    Args:
      loss: a scalar.
      optimizer: of tf.train, or of tf.keras.optimizers, which counts steps in its `iterations`.
      train_op_fn: returns the train op of a loss.
      trainable_variables: those that the optimizer updates; all by default.
      update_ops: run beside the train op in place of the UPDATE_OPS.

    Raises:
      ValueError: both `optimizer` and `train_op_fn` are given, or neither is.
    """
    if (optimizer is None) == (train_op_fn is None):
        raise ValueError("exactly one of train_op_fn and optimizer must be given to train")
    if train_op_fn is not None:
        train_op = train_op_fn(loss)
    elif hasattr(optimizer, "get_updates"):  # an optimizer of Keras
        variables = tf.trainable_variables() if trainable_variables is None else trainable_variables
        (train_op,) = optimizer.get_updates(loss, list(variables))
    else:
        train_op = optimizer.minimize(loss, tf.train.get_global_step(), trainable_variables)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
    return tf.group(train_op, *updates) if updates else train_op


class Head:
    """The base class of heads.

    Args:
      weight_column: the name of a feature or a numeric column: the weights of examples in loss and metrics.
      loss_reduction: a tf.losses.Reduction except NONE.
      loss_fn: (labels, logits) or (labels, logits, features) -> losses of the examples, [batch, n].
      name: a suffix of the names of metrics.

    Raises:
      ValueError: `loss_reduction` is another value.
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

    @property
    def loss_reduction(self) -> str:
        """The tf.losses.Reduction of the losses of a batch."""
        return self._loss_reduction

    def predictions(self, logits: Any, keys: Optional[Sequence[Any]] = None) -> Dict[Any, Any]:
        """Returns name -> tensor, of all names or of `keys`."""
        found = self.all_predictions(logits)
        return found if keys is None else {key: found[key] for key in keys}

    def all_predictions(self, logits: Any) -> Dict[Any, Any]:
        """Returns name -> tensor."""
        raise NotImplementedError

    def export_outputs(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        """Returns name -> ExportOutput."""
        raise NotImplementedError

    def labels(self, labels: Any, logits: Any) -> Any:
        """Returns the labels in the form that `losses` needs, [batch, n]."""
        raise NotImplementedError

    def losses(self, labels: Any, logits: Any) -> Any:
        """Returns the losses of the examples, [batch, n]."""
        raise NotImplementedError

    def metric_ops(self, labels: Any, predictions: Dict[str, Any], weights: Any) -> Dict[str, Any]:
        """Returns name -> (value, update op), without the mean loss."""
        raise NotImplementedError

    def metrics(self, regularization_losses: Any = None) -> Any:
        raise NotImplementedError(_NO_KERAS_METRICS.format("metrics"))

    def update_metrics(
        self, eval_metrics: Any, features: Any, logits: Any, labels: Any, mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        raise NotImplementedError(_NO_KERAS_METRICS.format("update_metrics"))

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Returns the loss of a batch, with the losses, weights and labels of its examples."""
        processed = self.labels(labels, logits)
        if self._loss_fn is None:
            unreduced = self.losses(processed, logits)
        else:
            from legacy_towers.compat.tf1.estimator import arguments

            given = dict(labels=processed, logits=logits, features=features)
            unreduced = self._loss_fn(**arguments.wanted(self._loss_fn, given))
        weights = example_weights(features, self._weight_column, logits)
        return LossSpec(weighted_loss(unreduced, weights, self._loss_reduction), unreduced, weights, processed)

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: Any = None,
        regularization_losses: Optional[Sequence[Any]] = None,
    ) -> Any:
        """Returns the loss of a batch, a scalar, with `regularization_losses` added; see `create_estimator_spec`."""
        loss = self.create_loss(features, mode, logits, labels).training_loss
        return loss + tf.add_n(list(regularization_losses)) if regularization_losses else loss

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
        """Returns the EstimatorSpec of `mode`.

        Args:
          features: the dict of features, for weights and `loss_fn`.
          mode: one of ModeKeys.
          logits: [batch, logits_dimension].
          labels: [batch, n]; not needed to predict.
          optimizer: of tf.train or tf.keras.optimizers; for training either it or `train_op_fn` is needed.
          train_op_fn: returns the train op of a loss.
          regularization_losses: scalars that are added to the loss.
          trainable_variables: see `train_op_of`.
          update_ops: see `train_op_of`.

        Raises:
          ValueError: the shape of `logits` is wrong, or both or neither of `optimizer` and `train_op_fn` are given.
        """
        logits = tf.convert_to_tensor(logits)
        with tf.name_scope(self._name, "head"):
            if logits.shape[-1] != self.logits_dimension:
                raise ValueError(
                    "logits must have {} as their last dimension, given: {}".format(self.logits_dimension, logits.shape)
                )
            predictions = self.all_predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions, export_outputs=self.export_outputs(predictions))
            spec = self.create_loss(features, mode, logits, labels)
            regularization = tf.add_n(list(regularization_losses)) if regularization_losses else None
            loss = spec.training_loss if regularization is None else spec.training_loss + regularization
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(
                    mode, predictions, loss, eval_metric_ops=self._all(spec, predictions, regularization)
                )
            train_op = train_op_of(loss, optimizer, train_op_fn, trainable_variables, update_ops)
            mean_loss = self._mean_loss(spec)
        self._summarize(loss, mean_loss, regularization)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def _key(self, name: str) -> str:
        return name if not self._name else "{}/{}".format(name, self._name)

    def _all(self, spec: LossSpec, predictions: Dict[str, Any], regularization: Any) -> Dict[str, Any]:
        # TensorFlow 1.15 has the scope "metrics" too, so that local variables have the same names.
        with tf.name_scope(None, "metrics"):
            found = {"average_loss": tf.metrics.mean(spec.unreduced_loss, spec.weights, name="average_loss")}
            found.update(self.metric_ops(spec.processed_labels, predictions, spec.weights))
            if regularization is not None:
                found["regularization_loss"] = tf.metrics.mean(regularization, name="regularization_loss")
        return {self._key(name): metric for name, metric in found.items()}

    def _mean_loss(self, spec: LossSpec) -> Any:
        # Its name in the graph is "head/truediv", as in TensorFlow 1.15: hooks of scripts use it.
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
