"""The estimators that come with a model: linear, deep, and both, for classes and for numbers."""
import math
from typing import Any, Callable, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import heads, linear_sdca, networks
from legacy_towers.oldtf.estimator.estimator import Estimator
from legacy_towers.oldtf.estimator.head import Head
from legacy_towers.oldtf.estimator.spec import EstimatorSpec

_SUM = tf.losses.Reduction.SUM
_DNN_RATE = 0.05
_LINEAR_RATE_OF_BOTH = 0.005
_DNN_RATE_OF_BOTH = 0.001
_LINEAR_RATE = 0.2
# Variables of the input layer are cut for parameter servers from 64 MiB on.
_LARGE = 64 << 20


def get_optimizer_instance(opt: Any, learning_rate: Optional[float] = None) -> Any:
    """Returns the optimizer that `opt`, a name, a function or an optimizer, means.

    Raises:
      ValueError: an unknown name, a name without a learning rate, or no optimizer of TensorFlow 1.x.
    """
    named = {
        "Adagrad": tf.train.AdagradOptimizer,
        "Adam": tf.train.AdamOptimizer,
        "Ftrl": tf.train.FtrlOptimizer,
        "RMSProp": tf.train.RMSPropOptimizer,
        "SGD": tf.train.GradientDescentOptimizer,
    }
    if isinstance(opt, str):
        if opt not in named:
            raise ValueError("Unsupported optimizer name: {}. Supported names are: {}".format(opt, sorted(named)))
        if learning_rate is None:
            raise ValueError("learning_rate must be specified when opt is string.")
        return named[opt](learning_rate=learning_rate)
    made = opt() if callable(opt) else opt
    if not isinstance(made, tf.train.Optimizer):
        raise ValueError("The given object is not an Optimizer instance. Given: {}".format(made))
    return made


class _Parts:
    """What a canned model is made of, with the defaults of both halves."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.is_combined = False
        self.linear_columns: Sequence[Any] = ()
        self.linear_optimizer: Any = "Ftrl"
        self.linear_rate: Optional[float] = None
        self.sparse_combiner = "sum"
        self.dnn_columns: Sequence[Any] = ()
        self.dnn_optimizer: Any = "Adagrad"
        self.hidden_units: Sequence[int] = ()
        self.activation: Any = tf.nn.relu
        self.dropout: Optional[float] = None
        self.batch_norm = False
        self.input_partitioner: Any = None

    def model_fn(self) -> Callable[..., EstimatorSpec]:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _build(self, features, labels, mode, config)

        return model_fn


def _build(parts: _Parts, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
    if not isinstance(features, dict):
        raise ValueError("features should be a dictionary of `Tensor`s. Given type: {}".format(type(features)))
    if not parts.linear_columns and not parts.dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    servers = config.num_ps_replicas if config else 0
    of_input = parts.input_partitioner or tf.min_max_variable_partitioner(servers, min_slice_size=_LARGE)
    logits, updates = [], []
    if parts.dnn_columns:
        with tf.variable_scope("dnn", partitioner=tf.min_max_variable_partitioner(servers)) as scope:
            logits.append(_dnn_logits(parts, features, mode, of_input))
            rate = _DNN_RATE_OF_BOTH if parts.is_combined else _DNN_RATE
            updates.append((scope.name, get_optimizer_instance(parts.dnn_optimizer, rate)))
            if not parts.is_combined:
                return _spec(parts, features, labels, mode, logits, updates)
    if not parts.linear_columns:
        return _spec(parts, features, labels, mode, logits, updates)
    with tf.variable_scope("linear", partitioner=of_input) as scope:
        optimizer = parts.linear_optimizer
        if isinstance(optimizer, linear_sdca.LinearSDCA) and not parts.is_combined:
            return linear_sdca.build(parts.head, parts.linear_columns, optimizer, features, labels, mode)
        linear = networks.linear_logit_fn_builder(
            parts.head.logits_dimension, parts.linear_columns, parts.sparse_combiner
        )
        logits.append(linear(features))
        updates.append((scope.name, get_optimizer_instance(parts.linear_optimizer, _linear_rate(parts))))
        if not parts.is_combined:
            return _spec(parts, features, labels, mode, logits, updates)
        networks.summarize(logits[-1], scope.name)
    return _spec(parts, features, labels, mode, logits, updates)


def _dnn_logits(parts: _Parts, features: Any, mode: str, input_partitioner: Any) -> Any:
    if not parts.hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    network = networks.dnn_logit_fn_builder(
        parts.head.logits_dimension,
        parts.hidden_units,
        parts.dnn_columns,
        parts.activation,
        parts.dropout,
        input_partitioner,
        parts.batch_norm,
    )
    return network(features, mode)


def _spec(parts: _Parts, features: Any, labels: Any, mode: str, logits: Any, updates: Any) -> EstimatorSpec:
    # A model of one half calls this inside the half's scope: the names of its slots in checkpoints, odd as they are
    # ("dnn/logits/bias/t_0/Adagrad"), come from there on TensorFlow 1.15.
    whole = sum(logits[1:], logits[0])
    return parts.head.create_estimator_spec(
        features, mode, whole, labels, train_op_fn=lambda loss: _train(loss, updates)
    )


def _train(loss: Any, updates: Sequence[Any]) -> Any:
    step = tf.train.get_global_step()
    if len(updates) == 1:
        return updates[0][1].minimize(loss, step)
    applied = [
        optimizer.minimize(loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + "/"))
        for scope, optimizer in updates
    ]
    with tf.control_dependencies(applied):
        return tf.assign_add(step, 1).op


def _linear_rate(parts: _Parts) -> float:
    most = _LINEAR_RATE_OF_BOTH if parts.is_combined else _LINEAR_RATE
    return min(most, 1.0 / math.sqrt(len(parts.linear_columns)))


class _Canned(Estimator):
    def __init__(self, parts: _Parts, model_dir: Any, config: Any, warm_start_from: Any) -> None:
        super().__init__(parts.model_fn(), model_dir, config, warm_start_from=warm_start_from)


def _dnn(
    head: Head,
    hidden_units: Any,
    columns: Any,
    optimizer: Any,
    activation: Any,
    dropout: Optional[float],
    batch_norm: bool,
    partitioner: Any,
) -> _Parts:
    parts = _Parts(head)
    parts.hidden_units, parts.dnn_columns = hidden_units, tuple(columns or ())
    parts.dnn_optimizer, parts.activation = optimizer, activation
    parts.dropout, parts.batch_norm, parts.input_partitioner = dropout, batch_norm, partitioner
    return parts


class DNNClassifier(_Canned):
    """Fully connected layers of `hidden_units`; two classes have one logit. Adagrad with 0.05 by default."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
    ) -> None:
        head = heads.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        rest = (dropout, batch_norm, input_layer_partitioner)
        parts = _dnn(head, hidden_units, feature_columns, optimizer, activation_fn, *rest)
        super().__init__(parts, model_dir, config, warm_start_from)


class DNNRegressor(_Canned):
    """The same for `label_dimension` numbers, by squared errors."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
    ) -> None:
        head = heads.RegressionHead(weight_column, label_dimension, loss_reduction)
        rest = (dropout, batch_norm, input_layer_partitioner)
        parts = _dnn(head, hidden_units, feature_columns, optimizer, activation_fn, *rest)
        super().__init__(parts, model_dir, config, warm_start_from)


class DNNEstimator(_Canned):
    """The same with a head of the caller's."""

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        rest = (dropout, batch_norm, input_layer_partitioner)
        parts = _dnn(head, hidden_units, feature_columns, optimizer, activation_fn, *rest)
        super().__init__(parts, model_dir, config, warm_start_from)


def _linear(head: Head, columns: Any, optimizer: Any, partitioner: Any, combiner: str) -> _Parts:
    linear_sdca.check(optimizer, head, combiner)
    parts = _Parts(head)
    parts.linear_columns, parts.linear_optimizer = tuple(columns or ()), optimizer
    parts.input_partitioner, parts.sparse_combiner = partitioner, combiner
    return parts


class LinearClassifier(_Canned):
    """A weighted sum of the columns; Ftrl with min(0.2, 1 / sqrt(columns)) by default."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = heads.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        parts = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(parts, model_dir, config, warm_start_from)


class LinearRegressor(_Canned):
    """The same for `label_dimension` numbers, by squared errors."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = heads.RegressionHead(weight_column, label_dimension, loss_reduction)
        parts = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(parts, model_dir, config, warm_start_from)


class LinearEstimator(_Canned):
    """The same with a head of the caller's."""

    def __init__(
        self,
        head: Head,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        parts = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(parts, model_dir, config, warm_start_from)
