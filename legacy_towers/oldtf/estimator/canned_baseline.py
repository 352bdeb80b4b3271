"""Estimators that learn nothing but how often each label comes."""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import heads
from legacy_towers.oldtf.estimator.canned import get_optimizer_instance
from legacy_towers.oldtf.estimator.estimator import Estimator
from legacy_towers.oldtf.estimator.head import Head
from legacy_towers.oldtf.estimator.spec import EstimatorSpec

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
    """Predicts the frequency of each class."""

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
        head = heads.classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(_Baseline):
    """Predicts the mean of the labels."""

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
            heads.RegressionHead(weight_column, label_dimension, loss_reduction), model_dir, optimizer, config
        )


class BaselineEstimator(_Baseline):
    """The same with a head of the caller's."""

    def __init__(
        self, head: Head, model_dir: Optional[str] = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        super().__init__(head, model_dir, optimizer, config)
