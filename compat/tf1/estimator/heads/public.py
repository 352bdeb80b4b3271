"""The heads of tf.estimator: those of the canned estimators, whose default loss is the mean over the batch."""
from typing import Any, Callable, Optional, Sequence

from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.versions import tf

Head = Head
_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class BinaryClassHead(single.BinaryClassHead):
    """A head for two classes, with one logit."""

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


class MultiClassHead(single.MultiClassHead):
    """A head for more than two classes, with softmax cross entropy."""

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


class RegressionHead(single.RegressionHead):
    """A head for regression, with squared errors."""

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
    """A head for labels in [0, 1], with sigmoid cross entropy."""

    def __init__(self, weight_column: Any = None, loss_reduction: str = _MEAN, name: Optional[str] = None) -> None:
        super().__init__(1, weight_column, loss_reduction, _sigmoid_loss, tf.sigmoid, name)


class PoissonRegressionHead(RegressionHead):
    """A head for counts, with the log loss of a Poisson distribution of rate exp(logits)."""

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
