"""The networks of tf.contrib.learn's canned estimators. Variables and slots have the names of TensorFlow 1.15."""
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.contrib import layers
from legacy_towers.compat.tf1.contrib.layers import feature_sums
from legacy_towers.compat.tf1.contrib.learn import sdca
from legacy_towers.compat.tf1.contrib.learn.parts import Model
from legacy_towers.compat.tf1.contrib.linear_optimizer import SDCAOptimizer
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_DNN_LEARNING_RATE, _LINEAR_LEARNING_RATE = 0.05, 0.2
# Variables of input layers and linear models are partitioned over parameter servers in slices of at least these bytes.
_MIN_SLICE_SIZE = 64 << 20


def build(
    model: Model,
    features: Any,
    labels: Any,
    mode: str,
    config: Any,
    metrics: Callable[[Any, Any], Dict[str, Any]],
) -> EstimatorSpec:
    """Returns the EstimatorSpec of `model` in `mode`."""
    features = dict(features) if isinstance(features, dict) else {"": features}
    num_ps_replicas = config.num_ps_replicas if config else 0
    if model.linear is None:
        return _build_dnn(model, features, labels, mode, num_ps_replicas, metrics)
    if model.dnn is None and isinstance(model.linear.optimizer, SDCAOptimizer):
        return sdca.build(model, features, labels, mode, metrics)
    if model.dnn is None:
        return _build_linear(model, features, labels, mode, num_ps_replicas, metrics)
    with tf.variable_scope("dnn", values=_tensors(features), partitioner=_partitioner(num_ps_replicas)):
        logits, inputs = _dnn_logits(model, model.dnn, features, mode, num_ps_replicas)
    partitioner = _partitioner(num_ps_replicas, _MIN_SLICE_SIZE)
    with tf.variable_scope("linear", values=_tensors(features), partitioner=partitioner) as scope:
        linear_logits = _linear_logits(model, model.linear, features, scope)
        _summarize(linear_logits, scope.name)

    def train(loss: Any) -> Any:
        step = tf.train.get_global_step()
        train_ops = tf.group(
            _train_op(model, model.dnn, loss, "dnn", inputs), _train_op(model, model.linear, loss, "linear", "")
        )
        if not model.increments_step_once:
            return train_ops
        with tf.control_dependencies([train_ops]), tf.colocate_with(step):
            return tf.assign_add(step, 1).op

    return model.head.spec(features, labels, mode, logits + linear_logits, train, metrics)


def _build_dnn(
    model: Model, features: Any, labels: Any, mode: str, num_ps_replicas: int, metrics: Any
) -> EstimatorSpec:
    part: Any = model.dnn
    # The head is built inside the scope, which is part of the slots' names in checkpoints.
    with tf.variable_scope("dnn", values=_tensors(features), partitioner=_partitioner(num_ps_replicas)):
        logits, inputs = _dnn_logits(model, model.dnn, features, mode, num_ps_replicas)

        def train(loss: Any) -> Any:
            return layers.optimize_loss(
                loss=loss,
                global_step=tf.train.get_global_step(),
                learning_rate=_DNN_LEARNING_RATE,
                optimizer=_create_optimizer(part.optimizer or "Adagrad"),
                gradient_multipliers=_gradient_multipliers(part, inputs),
                clip_gradients=model.clip_norm,
                name="dnn",
                summaries=[],
            )

        return model.head.spec(features, labels, mode, logits, train, metrics)


def _build_linear(
    model: Model, features: Any, labels: Any, mode: str, num_ps_replicas: int, metrics: Any
) -> EstimatorSpec:
    part: Any = model.linear
    partitioner = _partitioner(num_ps_replicas, _MIN_SLICE_SIZE)
    with tf.variable_scope("linear", values=_tensors(features), partitioner=partitioner) as scope:
        logits = _linear_logits(model, model.linear, features, scope)

        def train(loss: Any) -> Any:
            variables = tf.get_collection("linear")
            gradients = tf.gradients(loss, variables)
            if model.clip_norm:
                gradients, _ = tf.clip_by_global_norm(gradients, model.clip_norm)
            optimizer = _create_optimizer(part.optimizer)
            if optimizer is None:
                optimizer = tf.train.FtrlOptimizer(_linear_learning_rate(part))
            elif isinstance(optimizer, str):
                optimizer = layers.OPTIMIZER_CLS_NAMES[optimizer](learning_rate=_LINEAR_LEARNING_RATE)
            return optimizer.apply_gradients(zip(gradients, variables), tf.train.get_global_step())

        return model.head.spec(features, labels, mode, logits, train, metrics)


def _dnn_logits(model: Model, part: Any, features: Any, mode: str, num_ps_replicas: int) -> Tuple[Any, str]:
    """Returns (logits, name of the variable scope of the input layer)."""
    size = part.min_slice_size or _MIN_SLICE_SIZE
    with tf.variable_scope(
        "input_from_feature_columns", values=_tensors(features), partitioner=_partitioner(num_ps_replicas, size)
    ) as inputs:
        if _are_contrib_columns(part.columns):
            net = feature_sums.input_from_feature_columns(features, part.columns, ["dnn"], scope=inputs)
        else:
            net = tf.feature_column.input_layer(features, list(part.columns), weight_collections=["dnn"])
    for number, width in enumerate(part.hidden_units):
        with tf.variable_scope("hiddenlayer_%d" % number, values=(net,)) as scope:
            net = layers.fully_connected(
                net, width, activation_fn=part.activation, variables_collections=["dnn"], scope=scope
            )
            if part.dropout is not None and mode == "train":
                net = layers.dropout(net, keep_prob=1.0 - part.dropout)
        _summarize(net, scope.name)
    with tf.variable_scope("logits", values=(net,)) as scope:
        logits = layers.fully_connected(
            net, model.head.logits_dimension, activation_fn=None, variables_collections=["dnn"], scope=scope
        )
    _summarize(logits, scope.name)
    return logits, inputs.name


def _linear_logits(model: Model, part: Any, features: Any, scope: Any) -> Any:
    outputs = model.head.logits_dimension
    if not _are_contrib_columns(part.columns):
        return tf.feature_column.linear_model(
            features, list(part.columns), units=outputs, weight_collections=["linear"]
        )
    weighted_sum: Any = feature_sums.weighted_sum_from_feature_columns
    if part.joint_weights:
        weighted_sum = feature_sums.joint_weighted_sum_from_feature_columns
    return weighted_sum(features, part.columns, outputs, ["linear"], scope=scope)[0]


def _train_op(model: Model, part: Any, loss: Any, scope: str, inputs: str) -> Any:
    is_dnn = scope == "dnn"
    return layers.optimize_loss(
        loss=loss,
        global_step=tf.train.get_global_step(),
        learning_rate=_DNN_LEARNING_RATE if is_dnn else _linear_learning_rate(part),
        optimizer=_create_optimizer(part.optimizer or ("Adagrad" if is_dnn else "Ftrl")),
        gradient_multipliers=_gradient_multipliers(part, inputs) if is_dnn else None,
        clip_gradients=model.clip_norm,
        variables=tf.get_collection(scope),
        name=scope,
        summaries=[],
        increment_global_step=not model.increments_step_once,
    )


def _create_optimizer(optimizer: Any) -> Any:
    return optimizer() if callable(optimizer) and not isinstance(optimizer, str) else optimizer


def _linear_learning_rate(part: Any) -> float:
    return min(_LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(part.columns)))


def _gradient_multipliers(part: Any, inputs: str) -> Optional[Dict[Any, float]]:
    if not part.embedding_multipliers:
        return None
    multipliers = {}
    for column, factor in part.embedding_multipliers.items():
        variables = tf.get_collection("dnn", inputs + "/" + column.name)
        if not variables:
            raise ValueError("Couldn't find a variable for column {}".format(column))
        multipliers.update({variable: factor for variable in variables})
    return multipliers


def _are_contrib_columns(columns: Sequence[Any]) -> bool:
    return all(feature_sums.is_contrib_column(column) for column in columns)


def _tensors(features: Dict[str, Any]) -> List[Any]:
    return list(features.values())


def _partitioner(num_ps_replicas: int, min_slice_size: Optional[int] = None) -> Any:
    if min_slice_size is None:
        return tf.min_max_variable_partitioner(num_ps_replicas)
    return tf.min_max_variable_partitioner(num_ps_replicas, min_slice_size=min_slice_size)


def _summarize(value: Any, name: str) -> None:
    tf.summary.scalar("%s/fraction_of_zero_values" % name, tf.nn.zero_fraction(value))
    tf.summary.histogram("%s/activation" % name, value)
