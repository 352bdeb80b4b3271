"""DNNClassifier, DNNRegressor and DNNEstimator."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.estimator.canned.models import CannedEstimator, ModelParts
from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.versions import tf

_SUM = tf.losses.Reduction.SUM


def _dnn(
    head: Head,
    hidden_units: Any,
    columns: Any,
    optimizer: Any,
    activation: Any,
    dropout: Optional[float],
    batch_norm: bool,
    partitioner: Any,
) -> ModelParts:
    parts = ModelParts(head)
    parts.hidden_units, parts.dnn_columns = hidden_units, tuple(columns or ())
    parts.dnn_optimizer, parts.activation = optimizer, activation
    parts.dropout, parts.batch_norm, parts.input_partitioner = dropout, batch_norm, partitioner
    return parts


class DNNClassifier(CannedEstimator):
    """A classifier of fully connected layers; two classes have one logit.

    The default optimizer is Adagrad with learning rate 0.05.
    """

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
        head = single.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        rest = (dropout, batch_norm, input_layer_partitioner)
        parts = _dnn(head, hidden_units, feature_columns, optimizer, activation_fn, *rest)
        super().__init__(parts, model_dir, config, warm_start_from)


class DNNRegressor(CannedEstimator):
    """A regressor of fully connected layers: `label_dimension` outputs with squared errors."""

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
        head = single.RegressionHead(weight_column, label_dimension, loss_reduction)
        rest = (dropout, batch_norm, input_layer_partitioner)
        parts = _dnn(head, hidden_units, feature_columns, optimizer, activation_fn, *rest)
        super().__init__(parts, model_dir, config, warm_start_from)


class DNNEstimator(CannedEstimator):
    """Fully connected layers with the given head."""

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
