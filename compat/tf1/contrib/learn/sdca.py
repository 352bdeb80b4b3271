"""Linear models of tf.contrib.learn trained by an SDCAOptimizer."""
from typing import Any, Callable, Dict

from legacy_towers.compat.tf1.contrib import layers
from legacy_towers.compat.tf1.contrib.layers import feature_sums
from legacy_towers.compat.tf1.contrib.learn.parts import Model
from legacy_towers.compat.tf1.estimator.canned.sdca_model import UpdateWeightsHook
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

# Name of a head -> the loss that the optimizer minimizes.
_LOSSES = {
    "binary_logistic_head": "logistic_loss",
    "binary_svm_head": "hinge_loss",
    "regression_head": "squared_loss",
}


def build(
    model: Model,
    features: Dict[str, Any],
    labels: Any,
    mode: str,
    metrics: Callable[[Any, Any], Dict[str, Any]],
) -> EstimatorSpec:
    """Returns the EstimatorSpec of `model` in `mode`."""
    part: Any = model.linear
    head, optimizer = model.head, part.optimizer
    with tf.variable_scope("linear", values=list(features.values()), partitioner=optimizer.partitioner) as scope:
        logits, variables, bias = feature_sums.weighted_sum_from_feature_columns(
            features, part.columns, 1, scope=scope
        )
    hooks = []

    def train(loss: Any) -> Any:
        ones = layers.real_valued_column("tf_virtual_bias_column")
        features_with_bias = dict(features)
        features_with_bias[ones] = tf.ones([tf.shape(labels)[0], 1])
        weights = dict(variables)
        weights[ones] = [bias]
        with tf.name_scope("train_op"):  # part of the variables' names
            solver, train_op = optimizer.get_train_step(
                weights,
                head.weight_column_name,
                _LOSSES[head.name],
                features_with_bias,
                labels,
                tf.train.get_global_step(),
            )
        hooks.append(UpdateWeightsHook(solver, train_op))
        return train_op

    spec = head.spec(features, labels, mode, logits, train, metrics)
    return spec._replace(training_chief_hooks=tuple(spec.training_chief_hooks) + tuple(hooks))
