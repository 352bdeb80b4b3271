"""tf.contrib.learn.SVM: a linear support vector machine for two classes."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.contrib.learn import heads
from legacy_towers.compat.tf1.contrib.learn.canned import _Classifier
from legacy_towers.compat.tf1.contrib.learn.estimator import BaseEstimator
from legacy_towers.compat.tf1.contrib.learn.parts import linear_model
from legacy_towers.compat.tf1.contrib.linear_optimizer import SDCAOptimizer


class SVM(_Classifier):
    """Linear model for binary classification with hinge loss, trained by stochastic dual coordinate ascent.

    Args:
      example_id_column: the string feature [batch] with the examples' ids; not one of the feature columns.
      feature_columns: columns of tf.contrib.layers.
      weight_column_name: the feature of the examples' weights.
      model_dir: the folder of the checkpoints.
      l1_regularization: 0 or more.
      l2_regularization: values below 1 are treated as 1 in training.
      num_loss_partitions: the number of workers that train at the same time.
      kernels: must be None; only the linear kernel is supported.
      config: a RunConfig.
      feature_engineering_fn: (features, labels) -> (features, labels), applied to the results of the input function.

    Raises:
      ValueError: `kernels` is not None.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Sequence[Any],
        weight_column_name: Optional[str] = None,
        model_dir: Optional[str] = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: Any = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        optimizer = SDCAOptimizer(
            example_id_column,
            num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
        )
        head = heads.binary_svm(weight_column_name)
        model = linear_model(head, feature_columns, optimizer, None, False)
        super().__init__(model, model_dir, config, feature_engineering_fn)

    def predict(  # type: ignore[override]
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, outputs: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns for each example a dict with "logits" [1] and "classes" (int64)."""
        return BaseEstimator.predict(self, x, input_fn, batch_size, outputs, as_iterable)
