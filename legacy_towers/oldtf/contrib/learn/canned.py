"""The canned estimators of tf.contrib.learn; what they build is in `models` and `heads`."""
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn import heads
from legacy_towers.oldtf.contrib.learn.estimator import BaseEstimator, metric_ops
from legacy_towers.oldtf.contrib.learn.heads import PredictionKey
from legacy_towers.oldtf.contrib.learn.parts import Half, Model, linear_model
from legacy_towers.oldtf.estimator import estimator as core


class _Canned(BaseEstimator):
    """Features of an array are the column of the empty name."""

    _outputs = PredictionKey.CLASSES

    def __init__(self, model: Model, model_dir: Optional[str], config: Any, engineer: Any, bias: bool = False) -> None:
        if bias:
            raise ValueError("enable_centered_bias is not served: leave it out")
        self._model = model
        self._engineer = engineer or (lambda features, labels: (features, labels))
        super().__init__(model_dir, config)

    def _make(self, metrics: Dict[str, Any]) -> core.Estimator:
        # Here, for layers need tf_slim: on TensorFlow 1.15 the rest of learn does without it.
        from legacy_towers.oldtf.contrib.learn import models

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            features, labels = self._engineer(features, labels)

            def more(labels: Any, predictions: Any) -> Dict[str, Any]:
                return metric_ops(metrics, features, labels, predictions)

            return models.build(self._model, features, labels, mode, config, more)

        return core.Estimator(model_fn, self._model_dir, self._given_config)

    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        batch_size: Optional[int] = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns classes, or numbers; `outputs` asks for others of the predictions, as name -> value."""
        found = super().predict(x, input_fn, batch_size, outputs, as_iterable)
        return found if outputs else _only(found, self._outputs)

    def _predict(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        return _only(BaseEstimator.predict(self, x, input_fn, batch_size, [key], as_iterable), key)


def _only(found: Any, key: str) -> Any:
    return found[key] if isinstance(found, dict) else (row[key] for row in found)


class _Classifier(_Canned):
    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the class of each row."""
        return self._predict(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the probabilities of each row."""
        return self._predict(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class _Regressor(_Canned):
    _outputs = PredictionKey.SCORES

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the number for each row."""
        return self._predict(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


def _deep(
    columns: Any,
    optimizer: Any,
    hidden_units: Any,
    activation: Any,
    dropout: Optional[float],
    embedding_multipliers: Any,
    min_slice_size: Optional[int],
) -> Half:
    """Returns the half of hidden layers."""
    return Half(
        tuple(columns or ()),
        optimizer,
        hidden_units or (),
        activation,
        dropout,
        embedding_multipliers=embedding_multipliers,
        min_slice_size=min_slice_size,
    )


class DNNClassifier(_Classifier):
    """Fully connected layers for classes; Adagrad with 0.05 by default."""

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
        half = _deep(feature_columns, optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        model = Model(heads.classes(n_classes, weight_column_name, label_keys), half, None, gradient_clip_norm)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class DNNRegressor(_Regressor):
    """Fully connected layers for numbers; Adagrad with 0.05 by default."""

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
        half = _deep(feature_columns, optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        model = Model(heads.regression(label_dimension, weight_column_name), half, None, gradient_clip_norm)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class LinearClassifier(_Classifier):
    """A linear model for classes; Ftrl with min(0.2, 1 / sqrt(columns)) by default."""

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
        head = heads.classes(n_classes, weight_column_name, label_keys)
        model = linear_model(head, feature_columns, optimizer, gradient_clip_norm, _joint_weight)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class LinearRegressor(_Regressor):
    """A linear model for numbers; Ftrl with min(0.2, 1 / sqrt(columns)) by default."""

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


def _both(head: Any, linear: Half, dnn: Half, clip_norm: Optional[float], counts_once: bool) -> Model:
    if not linear.columns and not dnn.columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if dnn.columns and not dnn.hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    halves = (dnn if dnn.columns else None, linear if linear.columns else None)
    return Model(head, halves[0], halves[1], clip_norm, counts_once)


class DNNLinearCombinedClassifier(_Classifier):
    """The sum of a linear model (Ftrl) and of hidden layers (Adagrad) for classes.

    Without `fix_global_step_increment_bug` a step counts twice, as on TensorFlow 1.15.
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
        linear = Half(tuple(linear_feature_columns or ()), linear_optimizer, joint_weights=_joint_linear_weights)
        layers = (dnn_hidden_units, dnn_activation_fn, dnn_dropout)
        dnn = _deep(dnn_feature_columns, dnn_optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        head = heads.classes(n_classes, weight_column_name, label_keys)
        model = _both(head, linear, dnn, gradient_clip_norm, fix_global_step_increment_bug)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


class DNNLinearCombinedRegressor(_Regressor):
    """The same for numbers."""

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
        linear = Half(tuple(linear_feature_columns or ()), linear_optimizer, joint_weights=_joint_linear_weights)
        layers = (dnn_hidden_units, dnn_activation_fn, dnn_dropout)
        dnn = _deep(dnn_feature_columns, dnn_optimizer, *layers, embedding_lr_multipliers, input_layer_min_slice_size)
        head = heads.regression(label_dimension, weight_column_name)
        model = _both(head, linear, dnn, gradient_clip_norm, fix_global_step_increment_bug)
        super().__init__(model, model_dir, config, feature_engineering_fn, enable_centered_bias)


def infer_real_valued_columns_from_input_fn(input_fn: Any) -> List[Any]:
    """Returns a numeric column for each feature of `input_fn`; a bare tensor is the column of the empty name."""
    from legacy_towers.oldtf.contrib.layers import feature_column

    with tf.Graph().as_default():
        return feature_column.infer_real_valued_columns(input_fn()[0])


def infer_real_valued_columns_from_input(x: Any) -> List[Any]:
    """Returns the numeric columns of an array, or of a dict of arrays."""
    from legacy_towers.oldtf.contrib.layers import feature_column

    with tf.Graph().as_default():
        shapes = {name: np.shape(array) for name, array in (x if isinstance(x, dict) else {"": x}).items()}
        return feature_column.infer_real_valued_columns(
            {name: tf.placeholder(tf.float32, (None,) + shape[1:]) for name, shape in shapes.items()}
        )
