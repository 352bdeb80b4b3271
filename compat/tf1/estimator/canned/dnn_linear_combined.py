"""Wide and deep models: the sum of a linear model and of hidden layers, each with its own optimizer."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.estimator.canned.models import CannedEstimator, ModelParts
from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.versions import tf

_SUM = tf.losses.Reduction.SUM


def _combined(
    head: Head,
    linear: Sequence[Any],
    dnn: Sequence[Any],
    dnn_activation_fn: Any,
    dnn_dropout: Optional[float],
    partitioner: Any,
    batch_norm: bool,
    combiner: str,
) -> ModelParts:
    parts = ModelParts(head)
    parts.is_combined = True
    parts.linear_columns, parts.linear_optimizer = tuple(linear[0] or ()), linear[1]
    parts.dnn_columns, parts.dnn_optimizer, parts.hidden_units = tuple(dnn[0] or ()), dnn[1], dnn[2]
    parts.activation, parts.dropout, parts.batch_norm = dnn_activation_fn, dnn_dropout, batch_norm
    parts.input_partitioner, parts.sparse_combiner = partitioner, combiner
    if not parts.linear_columns and not parts.dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    return parts


class DNNLinearCombinedClassifier(CannedEstimator):
    """A wide and deep classifier.

    The default optimizers are Ftrl for the linear part, with learning rate min(0.005, 1 / sqrt(number of linear
    columns)), and Adagrad for the hidden layers, with learning rate 0.001.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Optional[float] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = single.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_combined(head, linear, dnn, *rest), model_dir, config, warm_start_from)


class DNNLinearCombinedRegressor(CannedEstimator):
    """A wide and deep regressor: `label_dimension` outputs with squared errors."""

    def __init__(
        self,
        model_dir: Optional[str] = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Optional[float] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = single.RegressionHead(weight_column, label_dimension, loss_reduction)
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_combined(head, linear, dnn, *rest), model_dir, config, warm_start_from)


class DNNLinearCombinedEstimator(CannedEstimator):
    """A wide and deep model with the given head."""

    def __init__(
        self,
        head: Head,
        model_dir: Optional[str] = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
        batch_norm: bool = False,
    ) -> None:
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_combined(head, linear, dnn, *rest), model_dir, config, None)
