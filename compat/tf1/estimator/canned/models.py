"""The models of the canned estimators: linear, hidden layers, or the sum of both."""
import math
from typing import Any, Callable, Optional, Sequence

from legacy_towers.compat.tf1.estimator.canned import linear_sdca, networks
from legacy_towers.compat.tf1.estimator.canned.optimizers import get_optimizer_instance
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_DNN_RATE = 0.05
_LINEAR_RATE_OF_COMBINED = 0.005
_DNN_RATE_OF_COMBINED = 0.001
_LINEAR_RATE = 0.2
# The minimum size, 64 MiB, from which variables of the input layer are partitioned over parameter servers.
_MIN_SLICE_SIZE = 64 << 20


class ModelParts:
    """The settings of a canned model, which has a linear part, a part of hidden layers, or both."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.is_combined = False
        self.linear_columns: Sequence[Any] = ()
        self.linear_optimizer: Any = "Ftrl"
        self.sparse_combiner = "sum"
        self.dnn_columns: Sequence[Any] = ()
        self.dnn_optimizer: Any = "Adagrad"
        self.hidden_units: Sequence[int] = ()
        self.activation: Any = tf.nn.relu
        self.dropout: Optional[float] = None
        self.batch_norm = False
        self.input_partitioner: Any = None

    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """Returns the model function of an Estimator."""

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _build(self, features, labels, mode, config)

        return model_fn


def _build(parts: ModelParts, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
    if not isinstance(features, dict):
        raise ValueError("features should be a dictionary of `Tensor`s. Given type: {}".format(type(features)))
    if not parts.linear_columns and not parts.dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    servers = config.num_ps_replicas if config else 0
    input_partitioner = parts.input_partitioner or tf.min_max_variable_partitioner(
        servers, min_slice_size=_MIN_SLICE_SIZE
    )
    logits, updates = [], []
    if parts.dnn_columns:
        with tf.variable_scope("dnn", partitioner=tf.min_max_variable_partitioner(servers)) as scope:
            logits.append(_dnn_logits(parts, features, mode, input_partitioner))
            rate = _DNN_RATE_OF_COMBINED if parts.is_combined else _DNN_RATE
            updates.append((scope.name, get_optimizer_instance(parts.dnn_optimizer, rate)))
            if not parts.is_combined:
                return _spec(parts, features, labels, mode, logits, updates)
    if not parts.linear_columns:
        return _spec(parts, features, labels, mode, logits, updates)
    with tf.variable_scope("linear", partitioner=input_partitioner) as scope:
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


def _dnn_logits(parts: ModelParts, features: Any, mode: str, input_partitioner: Any) -> Any:
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


def _spec(parts: ModelParts, features: Any, labels: Any, mode: str, logits: Any, updates: Any) -> EstimatorSpec:
    # A model with one part calls this inside the scope of the part, as TensorFlow 1.15 does: names of slots in
    # checkpoints, such as "dnn/logits/bias/t_0/Adagrad", depend on it.
    total = sum(logits[1:], logits[0])
    return parts.head.create_estimator_spec(
        features, mode, total, labels, train_op_fn=lambda loss: _train(loss, updates)
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


def _linear_rate(parts: ModelParts) -> float:
    limit = _LINEAR_RATE_OF_COMBINED if parts.is_combined else _LINEAR_RATE
    return min(limit, 1.0 / math.sqrt(len(parts.linear_columns)))


class CannedEstimator(Estimator):
    """The base class of the estimators with a linear part, a part of hidden layers, or both."""

    def __init__(self, parts: ModelParts, model_dir: Any, config: Any, warm_start_from: Any) -> None:
        super().__init__(parts.model_fn(), model_dir, config, warm_start_from=warm_start_from)
