"""Wide and deep: the sum of a linear model and of hidden layers, each with an optimizer of its own."""
from typing import Any, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import heads
from legacy_towers.oldtf.estimator.canned import _Canned, _Parts
from legacy_towers.oldtf.estimator.head import Head

_SUM = tf.losses.Reduction.SUM


def _both(
    head: Head,
    linear: Sequence[Any],
    dnn: Sequence[Any],
    dnn_activation_fn: Any,
    dnn_dropout: Optional[float],
    partitioner: Any,
    batch_norm: bool,
    combiner: str,
) -> _Parts:
    parts = _Parts(head)
    parts.is_combined = True
    parts.linear_columns, parts.linear_optimizer = tuple(linear[0] or ()), linear[1]
    parts.dnn_columns, parts.dnn_optimizer, parts.hidden_units = tuple(dnn[0] or ()), dnn[1], dnn[2]
    parts.activation, parts.dropout, parts.batch_norm = dnn_activation_fn, dnn_dropout, batch_norm
    parts.input_partitioner, parts.sparse_combiner = partitioner, combiner
    if not parts.linear_columns and not parts.dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    return parts


class DNNLinearCombinedClassifier(_Canned):
    """Ftrl with 0.005 for the linear half, Adagrad with 0.05 for the deep one by default."""

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
        head = heads.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_both(head, linear, dnn, *rest), model_dir, config, warm_start_from)


class DNNLinearCombinedRegressor(_Canned):
    """The same for `label_dimension` numbers, by squared errors."""

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
        head = heads.RegressionHead(weight_column, label_dimension, loss_reduction)
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_both(head, linear, dnn, *rest), model_dir, config, warm_start_from)


class DNNLinearCombinedEstimator(_Canned):
    """The same with a head of the caller's."""

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
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        linear = (linear_feature_columns, linear_optimizer)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units)
        rest = (dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(_both(head, linear, dnn, *rest), model_dir, config, None)
