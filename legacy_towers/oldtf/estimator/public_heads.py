"""The heads of tf.estimator: those of the canned estimators, with the mean over the batch as the default loss."""
from typing import Any, Callable, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import heads
from legacy_towers.oldtf.estimator.head import Head

Head = Head
_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class BinaryClassHead(heads.BinaryClassHead):
    """Two classes by one logit."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Optional[Sequence[float]] = None,
        label_vocabulary: Optional[Sequence[str]] = None,
        loss_reduction: str = _MEAN,
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


class MultiClassHead(heads.MultiClassHead):
    """More than two classes."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[str]] = None,
        loss_reduction: str = _MEAN,
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


class RegressionHead(heads.RegressionHead):
    """Numbers by squared errors."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = _MEAN,
        loss_fn: Any = None,
        inverse_link_fn: Optional[Callable[[Any], Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name)


class LogisticRegressionHead(RegressionHead):
    """Numbers in [0, 1] by the cross entropy of a sigmoid."""

    def __init__(self, weight_column: Any = None, loss_reduction: str = _MEAN, name: Optional[str] = None) -> None:
        super().__init__(1, weight_column, loss_reduction, _sigmoid_loss, tf.sigmoid, name)


class PoissonRegressionHead(RegressionHead):
    """Counts by a Poisson distribution whose rate is exp(logits)."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = _MEAN,
        compute_full_loss: bool = True,
        name: Optional[str] = None,
    ) -> None:
        def loss_fn(labels: Any, logits: Any) -> Any:
            return tf.nn.log_poisson_loss(labels, logits, compute_full_loss=compute_full_loss)

        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, tf.exp, name)


def _sigmoid_loss(labels: Any, logits: Any) -> Any:
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
