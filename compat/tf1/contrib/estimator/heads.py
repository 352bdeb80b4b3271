"""Functions that create heads; clip_gradients_by_norm and forward_features."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.heads import public, several
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """Returns a head for classification with more than two classes."""
    return public.MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """Returns a head for binary classification."""
    return public.BinaryClassHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    classes_for_class_based_metrics: Any = None,
    name: Optional[str] = None,
) -> Head:
    """Returns a head for multi-label classification: classes do not exclude each other."""
    return several.MultiLabelHead(
        n_classes,
        weight_column,
        thresholds,
        label_vocabulary,
        loss_reduction,
        loss_fn,
        classes_for_class_based_metrics,
        name,
    )


def multi_head(heads: Sequence[Head], head_weights: Optional[Sequence[float]] = None) -> Head:
    """Returns a head for several objectives, a named head for each."""
    return several.MultiHead(heads, head_weights)


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    loss_fn: Any = None,
    inverse_link_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """Returns a head for regression with the mean squared error."""
    return public.RegressionHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    compute_full_loss: bool = True,
    name: Optional[str] = None,
) -> Head:
    """Returns a head for Poisson regression."""
    return public.PoissonRegressionHead(label_dimension, weight_column, loss_reduction, compute_full_loss, name)


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = _MEAN, name: Optional[str] = None
) -> Head:
    """Returns a head for logistic regression, with labels in [0, 1]."""
    return public.LogisticRegressionHead(weight_column, loss_reduction, name)


def clip_gradients_by_norm(optimizer: Any, clip_norm: float) -> Any:
    """Returns an optimizer that clips each gradient to the L2 norm `clip_norm` before `optimizer` applies it."""

    class Clipping(tf.train.Optimizer):  # pylint: disable=abstract-method
        def __init__(self) -> None:
            super().__init__(use_locking=False, name="Transform" + optimizer.get_name())

        def compute_gradients(self, *args: Any, **options: Any) -> Any:
            return optimizer.compute_gradients(*args, **options)

        def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
            clipped = [
                (None if gradient is None else tf.clip_by_norm(gradient, clip_norm), variable)
                for gradient, variable in grads_and_vars
            ]
            return optimizer.apply_gradients(clipped, global_step, name)

        def get_slot(self, *args: Any, **options: Any) -> Any:
            return optimizer.get_slot(*args, **options)

        def get_slot_names(self, *args: Any, **options: Any) -> Any:
            return optimizer.get_slot_names(*args, **options)

        def variables(self) -> Any:
            return optimizer.variables()

    return Clipping()


def forward_features(estimator: Estimator, keys: Any = None, sparse_default_values: Any = None) -> Estimator:
    """Returns an Estimator whose predictions also contain features.

    Args:
      estimator: the Estimator to extend.
      keys: the name or names of the features, by default all.
      sparse_default_values: name -> default value with which a sparse feature is converted to a dense tensor.

    Raises:
      ValueError: (when the graph is built) a key is not a feature, or predictions already contain it.
    """
    forwarded: Optional[Sequence[str]] = [keys] if isinstance(keys, str) else keys
    defaults = sparse_default_values or {}

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if not spec.predictions:
            return spec
        predictions = dict(spec.predictions)
        for key in forwarded if forwarded is not None else list(features):
            if key not in features:
                raise ValueError('keys should be exist in features. Key "{}" not found in features.'.format(key))
            if key in predictions:
                raise ValueError("Cannot forward feature key ({}). Since it does exist in predictions.".format(key))
            feature = features[key]
            if isinstance(feature, tf.SparseTensor):
                feature = tf.sparse_tensor_to_dense(feature, default_value=defaults.get(key, 0))
            predictions[key] = feature
        outputs = spec.export_outputs
        if outputs and "predict" in outputs:
            from legacy_towers.compat.tf1.estimator.export import receivers

            outputs = dict(outputs, predict=receivers.PredictOutput(predictions))
        return spec._replace(predictions=predictions, export_outputs=outputs)

    return Estimator(model_fn, estimator.model_dir, estimator.config)
