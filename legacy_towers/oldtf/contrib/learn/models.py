"""The networks of tf.contrib.learn's canned estimators, with the variables of TensorFlow 1.15, slots included."""
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib import layers
from legacy_towers.oldtf.contrib.layers import feature_sums
from legacy_towers.oldtf.contrib.learn import sdca
from legacy_towers.oldtf.contrib.learn.parts import Model
from legacy_towers.oldtf.contrib.linear_optimizer import SDCAOptimizer
from legacy_towers.oldtf.estimator.spec import EstimatorSpec

_DNN_RATE, _LINEAR_RATE = 0.05, 0.2
# Input layers and linear weights are cut into parts over parameter servers from this size on, in bytes.
_LARGE = 64 << 20


def build(
    model: Model,
    features: Any,
    labels: Any,
    mode: str,
    config: Any,
    metrics: Callable[[Any, Any], Dict[str, Any]],
) -> EstimatorSpec:
    """Returns what the estimator runs in `mode`."""
    features = dict(features) if isinstance(features, dict) else {"": features}
    servers = config.num_ps_replicas if config else 0
    if model.linear is None:
        return _of_hidden_layers(model, features, labels, mode, servers, metrics)
    if model.dnn is None and isinstance(model.linear.optimizer, SDCAOptimizer):
        return sdca.build(model, features, labels, mode, metrics)
    if model.dnn is None:
        return _of_linear(model, features, labels, mode, servers, metrics)
    with tf.variable_scope("dnn", values=_tensors(features), partitioner=_parts(servers)):
        logits, inputs = _hidden_layers(model, model.dnn, features, mode, servers)
    with tf.variable_scope("linear", values=_tensors(features), partitioner=_parts(servers, _LARGE)) as scope:
        linear = _linear(model, model.linear, features, scope)
        _summarize(linear, scope.name)

    def train(loss: Any) -> Any:
        step = tf.train.get_global_step()
        done = [_optimized(model, model.dnn, loss, "dnn", inputs), _optimized(model, model.linear, loss, "linear", "")]
        if not model.counts_once:
            return tf.group(*done)
        with tf.control_dependencies([tf.group(*done)]), tf.colocate_with(step):
            return tf.assign_add(step, 1).op

    return model.head.spec(features, labels, mode, logits + linear, train, metrics)


def _of_hidden_layers(model: Model, features: Any, labels: Any, mode: str, servers: int, metrics: Any) -> EstimatorSpec:
    half: Any = model.dnn
    # The head is built inside the scope: names of slots in checkpoints come from there.
    with tf.variable_scope("dnn", values=_tensors(features), partitioner=_parts(servers)):
        logits, inputs = _hidden_layers(model, model.dnn, features, mode, servers)

        def train(loss: Any) -> Any:
            return layers.optimize_loss(
                loss=loss,
                global_step=tf.train.get_global_step(),
                learning_rate=_DNN_RATE,
                optimizer=_optimizer(half.optimizer or "Adagrad"),
                gradient_multipliers=_multipliers(half, inputs),
                clip_gradients=model.clip_norm,
                name="dnn",
                summaries=[],
            )

        return model.head.spec(features, labels, mode, logits, train, metrics)


def _of_linear(model: Model, features: Any, labels: Any, mode: str, servers: int, metrics: Any) -> EstimatorSpec:
    half: Any = model.linear
    with tf.variable_scope("linear", values=_tensors(features), partitioner=_parts(servers, _LARGE)) as scope:
        logits = _linear(model, model.linear, features, scope)

        def train(loss: Any) -> Any:
            variables = tf.get_collection("linear")
            gradients = tf.gradients(loss, variables)
            if model.clip_norm:
                gradients, _ = tf.clip_by_global_norm(gradients, model.clip_norm)
            optimizer = _optimizer(half.optimizer)
            if optimizer is None:
                optimizer = tf.train.FtrlOptimizer(_linear_rate(half))
            elif isinstance(optimizer, str):
                optimizer = layers.OPTIMIZER_CLS_NAMES[optimizer](learning_rate=_LINEAR_RATE)
            return optimizer.apply_gradients(zip(gradients, variables), tf.train.get_global_step())

        return model.head.spec(features, labels, mode, logits, train, metrics)


def _hidden_layers(model: Model, half: Any, features: Any, mode: str, servers: int) -> Tuple[Any, str]:
    """Returns (logits, the name of the scope of the inputs)."""
    size = half.min_slice_size or _LARGE
    with tf.variable_scope(
        "input_from_feature_columns", values=_tensors(features), partitioner=_parts(servers, size)
    ) as inputs:
        if _are_of_contrib(half.columns):
            net = feature_sums.input_from_feature_columns(features, half.columns, ["dnn"], scope=inputs)
        else:
            net = tf.feature_column.input_layer(features, list(half.columns), weight_collections=["dnn"])
    for number, width in enumerate(half.hidden_units):
        with tf.variable_scope("hiddenlayer_%d" % number, values=(net,)) as scope:
            net = layers.fully_connected(
                net, width, activation_fn=half.activation, variables_collections=["dnn"], scope=scope
            )
            if half.dropout is not None and mode == "train":
                net = layers.dropout(net, keep_prob=1.0 - half.dropout)
        _summarize(net, scope.name)
    with tf.variable_scope("logits", values=(net,)) as scope:
        logits = layers.fully_connected(
            net, model.head.logits_dimension, activation_fn=None, variables_collections=["dnn"], scope=scope
        )
    _summarize(logits, scope.name)
    return logits, inputs.name


def _linear(model: Model, half: Any, features: Any, scope: Any) -> Any:
    outputs = model.head.logits_dimension
    if not _are_of_contrib(half.columns):
        return tf.feature_column.linear_model(
            features, list(half.columns), units=outputs, weight_collections=["linear"]
        )
    summed: Any = feature_sums.weighted_sum_from_feature_columns
    if half.joint_weights:
        summed = feature_sums.joint_weighted_sum_from_feature_columns
    return summed(features, half.columns, outputs, ["linear"], scope=scope)[0]


def _optimized(model: Model, half: Any, loss: Any, scope: str, inputs: str) -> Any:
    is_dnn = scope == "dnn"
    return layers.optimize_loss(
        loss=loss,
        global_step=tf.train.get_global_step(),
        learning_rate=_DNN_RATE if is_dnn else _linear_rate(half),
        optimizer=_optimizer(half.optimizer or ("Adagrad" if is_dnn else "Ftrl")),
        gradient_multipliers=_multipliers(half, inputs) if is_dnn else None,
        clip_gradients=model.clip_norm,
        variables=tf.get_collection(scope),
        name=scope,
        summaries=[],
        increment_global_step=not model.counts_once,
    )


def _optimizer(given: Any) -> Any:
    return given() if callable(given) and not isinstance(given, str) else given


def _linear_rate(half: Any) -> float:
    return min(_LINEAR_RATE, 1.0 / math.sqrt(len(half.columns)))


def _multipliers(half: Any, inputs: str) -> Optional[Dict[Any, float]]:
    if not half.embedding_multipliers:
        return None
    found = {}
    for column, factor in half.embedding_multipliers.items():
        variables = tf.get_collection("dnn", inputs + "/" + column.name)
        if not variables:
            raise ValueError("Couldn't find a variable for column {}".format(column))
        found.update({variable: factor for variable in variables})
    return found


def _are_of_contrib(columns: Sequence[Any]) -> bool:
    return all(feature_sums.is_of_contrib(column) for column in columns)


def _tensors(features: Dict[str, Any]) -> List[Any]:
    return list(features.values())


def _parts(servers: int, min_slice_size: Optional[int] = None) -> Any:
    if min_slice_size is None:
        return tf.min_max_variable_partitioner(servers)
    return tf.min_max_variable_partitioner(servers, min_slice_size=min_slice_size)


def _summarize(value: Any, name: str) -> None:
    tf.summary.scalar("%s/fraction_of_zero_values" % name, tf.nn.zero_fraction(value))
    tf.summary.histogram("%s/activation" % name, value)
