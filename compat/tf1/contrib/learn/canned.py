"""The canned estimators of tf.contrib.learn. `models` builds their networks, `heads` their losses and predictions."""
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat.tf1.contrib.learn import heads
from legacy_towers.compat.tf1.contrib.learn.estimator import BaseEstimator, metric_ops
from legacy_towers.compat.tf1.contrib.learn.heads import PredictionKey
from legacy_towers.compat.tf1.contrib.learn.parts import Model, ModelPart, linear_model
from legacy_towers.compat.tf1.estimator import estimator as core
from legacy_towers.compat.versions import tf


class _CannedEstimator(BaseEstimator):
    """Base of the canned estimators. Features given as an array have the name ""."""

    _default_output = PredictionKey.CLASSES

    def __init__(
        self,
        model: Model,
        model_dir: Optional[str],
        config: Any,
        feature_engineering_fn: Any,
        enable_centered_bias: bool = False,
    ) -> None:
        if enable_centered_bias:
            raise ValueError("enable_centered_bias is not supported: leave it out")
        self._model = model
        self._feature_engineering_fn = feature_engineering_fn or (lambda features, labels: (features, labels))
        super().__init__(model_dir, config)

    def _make_estimator(self, metrics: Dict[str, Any]) -> core.Estimator:
        # Imported here because layers need tf_slim, which the rest of learn does not need on TensorFlow 1.15.
        from legacy_towers.compat.tf1.contrib.learn import models

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            features, labels = self._feature_engineering_fn(features, labels)

            def create_metric_ops(labels: Any, predictions: Any) -> Dict[str, Any]:
                return metric_ops(metrics, features, labels, predictions)

            return models.build(self._model, features, labels, mode, config, create_metric_ops)

        return core.Estimator(model_fn, self._model_dir, self._given_config)

    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        batch_size: Optional[int] = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the predicted class (classifiers) or value (regressors) of each example.

        With `outputs`, a list of keys, returns dicts of those predictions.
        """
        predictions = super().predict(x, input_fn, batch_size, outputs, as_iterable)
        return predictions if outputs else _select(predictions, self._default_output)

    def _predict(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        return _select(BaseEstimator.predict(self, x, input_fn, batch_size, [key], as_iterable), key)


def _select(predictions: Any, key: str) -> Any:
    return predictions[key] if isinstance(predictions, dict) else (row[key] for row in predictions)


class _Classifier(_CannedEstimator):
    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the class of each example."""
        return self._predict(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the class probabilities [n_classes] of each example."""
        return self._predict(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class _Regressor(_CannedEstimator):
    _default_output = PredictionKey.SCORES

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the predicted value of each example."""
        return self._predict(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


def _dnn_part(
    columns: Any,
    optimizer: Any,
    hidden_units: Any,
    activation: Any,
    dropout: Optional[float],
    embedding_multipliers: Any,
    min_slice_size: Optional[int],
) -> ModelPart:
    return ModelPart(
        tuple(columns or ()),
        optimizer,
        hidden_units or (),
        activation,
        dropout,
        embedding_multipliers=embedding_multipliers,
        min_slice_size=min_slice_size,
    )


class DNNClassifier(_Classifier):
    """Classifier with fully connected hidden layers; trained by Adagrad (learning rate 0.05) by default."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: Optional[int] = None,
        label_keys: Any = None,
    ) -> None:
        layers = (hidden_units, activation_fn, dropout)
        part = _dnn_part(feature_columns, optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        model = Model(heads.classification(n_classes, weight_column_name, label_keys), part, None, gradient_clip_norm)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class DNNRegressor(_Regressor):
    """Regressor with fully connected hidden layers; trained by Adagrad (learning rate 0.05) by default."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: Optional[int] = None,
    ) -> None:
        layers = (hidden_units, activation_fn, dropout)
        part = _dnn_part(feature_columns, optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        model = Model(heads.regression(label_dimension, weight_column_name), part, None, gradient_clip_norm)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class LinearClassifier(_Classifier):
    """Linear classifier; trained by Ftrl (learning rate min(0.2, 1 / sqrt(columns))) by default."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        head = heads.classification(n_classes, weight_column_name, label_keys)
        model = linear_model(head, feature_columns, optimizer, gradient_clip_norm, _joint_weight)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class LinearRegressor(_Regressor):
    """Linear regressor; trained by Ftrl (learning rate min(0.2, 1 / sqrt(columns))) by default."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        head = heads.regression(label_dimension, weight_column_name)
        model = linear_model(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


def _combined_model(
    head: Any, linear: ModelPart, dnn: ModelPart, clip_norm: Optional[float], increments_step_once: bool
) -> Model:
    if not linear.columns and not dnn.columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if dnn.columns and not dnn.hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    return Model(
        head,
        dnn if dnn.columns else None,
        linear if linear.columns else None,
        clip_norm,
        increments_step_once,
    )


class DNNLinearCombinedClassifier(_Classifier):
    """Classifier whose logits are the sum of a linear model's (Ftrl) and a DNN's (Adagrad).

    Unless `fix_global_step_increment_bug` is true, each train step increments the global step by 2, as on
    TensorFlow 1.15.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: Optional[int] = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        linear = ModelPart(tuple(linear_feature_columns or ()), linear_optimizer, joint_weights=_joint_linear_weights)
        dnn = _dnn_part(
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
        head = heads.classification(n_classes, weight_column_name, label_keys)
        model = _combined_model(head, linear, dnn, gradient_clip_norm, fix_global_step_increment_bug)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class DNNLinearCombinedRegressor(_Regressor):
    """Regressor whose output is the sum of a linear model's (Ftrl) and a DNN's (Adagrad).

    Unless `fix_global_step_increment_bug` is true, each train step increments the global step by 2, as on
    TensorFlow 1.15.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        weight_column_name: Optional[str] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: Optional[int] = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        linear = ModelPart(tuple(linear_feature_columns or ()), linear_optimizer, joint_weights=_joint_linear_weights)
        dnn = _dnn_part(
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
        head = heads.regression(label_dimension, weight_column_name)
        model = _combined_model(head, linear, dnn, gradient_clip_norm, fix_global_step_increment_bug)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


def infer_real_valued_columns_from_input_fn(input_fn: Any) -> List[Any]:
    """Returns a real_valued_column for each feature that `input_fn` returns; a single tensor has the name ""."""
    from legacy_towers.compat.tf1.contrib.layers import feature_column

    with tf.Graph().as_default():
        return feature_column.infer_real_valued_columns(input_fn()[0])


def infer_real_valued_columns_from_input(x: Any) -> List[Any]:
    """Returns a real_valued_column for an array [examples, ...] (name ""), or for each array of a dict."""
    from legacy_towers.compat.tf1.contrib.layers import feature_column

    with tf.Graph().as_default():
        shapes = {name: np.shape(array) for name, array in (x if isinstance(x, dict) else {"": x}).items()}
        return feature_column.infer_real_valued_columns(
            {name: tf.placeholder(tf.float32, (None,) + shape[1:]) for name, shape in shapes.items()}
        )
