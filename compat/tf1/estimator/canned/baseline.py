"""Baseline estimators, which ignore the features and learn the frequency or the mean of the labels."""
from typing import Any, Optional

from legacy_towers.compat.tf1.estimator.canned.optimizers import get_optimizer_instance
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_RATE = 0.3


class _Baseline(Estimator):
    def __init__(self, head: Head, model_dir: Any, optimizer: Any, config: Any) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            with tf.variable_scope("baseline"):
                first = next(iter(features.values())) if isinstance(features, dict) else features
                rows = first.dense_shape[0] if isinstance(first, tf.SparseTensor) else tf.shape(first)[0]
                bias = tf.get_variable("bias", initializer=tf.zeros([head.logits_dimension]))
                logits = tf.ones([rows, 1]) * tf.reshape(bias, [1, head.logits_dimension])
            chosen = get_optimizer_instance(optimizer, _RATE)
            step = tf.train.get_global_step()
            return head.create_estimator_spec(
                features, mode, logits, labels, train_op_fn=lambda loss: chosen.minimize(loss, step)
            )

        super().__init__(model_fn, model_dir, config)


class BaselineClassifier(_Baseline):
    """A classifier that predicts the frequency of each class."""

    def __init__(
        self,
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
    ) -> None:
        head = single.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(_Baseline):
    """A regressor that predicts the mean of the labels."""

    def __init__(
        self,
        model_dir: Optional[str] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
    ) -> None:
        super().__init__(
            single.RegressionHead(weight_column, label_dimension, loss_reduction), model_dir, optimizer, config
        )


class BaselineEstimator(_Baseline):
    """A baseline with the given head."""

    def __init__(
        self, head: Head, model_dir: Optional[str] = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        super().__init__(head, model_dir, optimizer, config)
