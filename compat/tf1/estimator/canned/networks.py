"""The networks of the canned estimators: fully connected layers over feature columns, and a linear model."""
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.versions import tf


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    activation_fn: Any,
    dropout: Optional[float],
    input_layer_partitioner: Any,
    batch_norm: bool = False,
) -> Callable[[Any, str], Any]:
    """Returns a function (features, mode) -> logits [batch, units] of fully connected layers.

    Raises:
      ValueError: `units` is not an int.
    """
    if not isinstance(units, int):
        raise ValueError("units must be an int.  Given type: {}".format(type(units)))

    def dnn_logit_fn(features: Any, mode: str) -> Any:
        training = mode == ModeKeys.TRAIN
        with tf.variable_scope("input_from_feature_columns", partitioner=input_layer_partitioner):
            net = tf.feature_column.input_layer(features, list(feature_columns))
        for number, width in enumerate(hidden_units):
            with tf.variable_scope("hiddenlayer_{}".format(number)) as scope:
                net = _dense(net, width)
                net = net if activation_fn is None else activation_fn(net)
                if dropout is not None and training:
                    net = tf.nn.dropout(net, rate=dropout)
                if batch_norm:
                    net = tf.layers.batch_normalization(
                        net, momentum=0.999, training=training, name="batchnorm_{}".format(number)
                    )
            summarize(net, scope.name)
        with tf.variable_scope("logits") as scope:
            logits = _dense(net, units)
        summarize(logits, scope.name)
        return logits

    return dnn_logit_fn


def linear_logit_fn_builder(
    units: int, feature_columns: Sequence[Any], sparse_combiner: str = "sum"
) -> Callable[[Any], Any]:
    """Returns a function (features) -> logits [batch, units], a weighted sum of the columns."""

    def linear_logit_fn(features: Any) -> Any:
        return linear_logits(features, units, feature_columns, sparse_combiner)[0]

    return linear_logit_fn


def linear_logits(
    features: Any, units: int, feature_columns: Sequence[Any], sparse_combiner: str = "sum"
) -> Tuple[Any, Dict[Any, Any]]:
    """Returns the logits [batch, units], and a dict of the variables of each column and of "bias"."""
    variables: Dict[Any, Any] = {}
    logits = tf.feature_column.linear_model(
        features,
        list(feature_columns),
        units=units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=variables,
    )
    weights = [each for column, each in variables.items() if column != "bias"]
    if units == 1:
        tf.summary.scalar("bias", variables["bias"][0][0])
    tf.summary.scalar("fraction_of_zero_weights", _fraction_of_zeros(weights))
    return logits, variables


def _dense(net: Any, units: int) -> Any:
    kernel = tf.get_variable("kernel", [net.shape[-1], units], net.dtype, initializer=tf.glorot_uniform_initializer())
    bias = tf.get_variable("bias", [units], net.dtype, initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(net, kernel), bias)


def summarize(values: Any, tag: str) -> None:
    """Adds summaries of the fraction of zeros and of the distribution of a layer's output."""
    tf.summary.scalar(tag + "/fraction_of_zero_values", tf.nn.zero_fraction(values))
    tf.summary.histogram(tag + "/activation", values)


def _fraction_of_zeros(variables: Any) -> Any:
    parts = [part for variable in tf.nest.flatten(variables) for part in _parts(variable)]
    zeros = tf.add_n([tf.reduce_sum(tf.cast(tf.equal(part, 0), tf.float32)) for part in parts])
    return zeros / tf.cast(tf.add_n([tf.size(part) for part in parts]), tf.float32)


def _parts(variable: Any) -> Any:
    # A partitioned variable; one of a strategy is not a tf.Variable either.
    return list(variable) if hasattr(variable, "partitions") else [variable]
