"""LinearClassifier, LinearRegressor and LinearEstimator."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.estimator.canned import linear_sdca
from legacy_towers.compat.tf1.estimator.canned.models import CannedEstimator, ModelParts
from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.versions import tf

_SUM = tf.losses.Reduction.SUM


def _linear(head: Head, columns: Any, optimizer: Any, partitioner: Any, combiner: str) -> ModelParts:
    linear_sdca.check(optimizer, head, combiner)
    parts = ModelParts(head)
    parts.linear_columns, parts.linear_optimizer = tuple(columns or ()), optimizer
    parts.input_partitioner, parts.sparse_combiner = partitioner, combiner
    return parts


class LinearClassifier(CannedEstimator):
    """A linear classifier: logits are weighted sums of the columns.

    The default optimizer is Ftrl with learning rate min(0.2, 1 / sqrt(number of columns)).
    """

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
        head = single.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        parts = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(parts, model_dir, config, warm_start_from)


class LinearRegressor(CannedEstimator):
    """A linear regressor: `label_dimension` outputs with squared errors."""

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
        head = single.RegressionHead(weight_column, label_dimension, loss_reduction)
        parts = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(parts, model_dir, config, warm_start_from)


class LinearEstimator(CannedEstimator):
    """A linear model with the given head."""

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
