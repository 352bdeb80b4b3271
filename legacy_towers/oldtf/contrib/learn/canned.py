"""The canned estimators of tf.contrib.learn, over those of tf.estimator: layers, columns and loss are theirs."""
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.estimator import BaseEstimator, metric_ops
from legacy_towers.oldtf.estimator import canned, extenders
from legacy_towers.oldtf.estimator import estimator as core

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class _Canned(BaseEstimator):
    """Features of an array are the column of the empty name."""

    _outputs = "classes"

    def __init__(self, columns: Sequence[Any], model_dir: Optional[str], config: Any) -> None:
        self._columns = list(columns)
        super().__init__(model_dir, config)

    def _canned(self) -> core.Estimator:
        raise NotImplementedError

    def _make(self, metrics: Dict[str, Any]) -> core.Estimator:
        made = self._canned()
        inner = made.model_fn

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            named = features if isinstance(features, dict) else {"": features}
            return inner(named, labels, mode, config)

        wrapped = core.Estimator(model_fn, made.model_dir, made.config)
        if not metrics:
            return wrapped
        return extenders.add_metrics(
            wrapped,
            lambda features, labels, predictions: metric_ops(metrics, features, labels, self._named(predictions)),
        )

    def _named(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        return predictions

    def predict(self, *args: Any, **options: Any) -> Any:
        """Returns classes, or numbers; `outputs` asks for others of the predictions."""
        asked = options.get("outputs") or (args[3] if len(args) > 3 else None)
        found = super().predict(*args, **options)
        if asked:
            return found
        if isinstance(found, dict):
            return found[self._outputs][:, 0]
        return (row[self._outputs][0] for row in found)


class _Classifier(_Canned):
    _outputs = "class_ids"

    def _named(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        return dict(predictions, classes=tf.squeeze(predictions["class_ids"], -1))

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the class of each row."""
        return self.predict(x, input_fn, batch_size, None, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the probabilities of each row."""
        found = BaseEstimator.predict(self, x, input_fn, batch_size, ["probabilities"], as_iterable)
        return found["probabilities"] if isinstance(found, dict) else (row["probabilities"] for row in found)


class _Regressor(_Canned):
    _outputs = "predictions"

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the number for each row."""
        return self.predict(x, input_fn, batch_size, None, as_iterable)


class DNNClassifier(_Classifier):
    """Fully connected layers for classes."""

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
        label_keys: Any = None,
    ) -> None:
        _refuse(enable_centered_bias)
        self._make_canned = lambda: canned.DNNClassifier(
            hidden_units,
            self._columns,
            self._model_dir,
            n_classes,
            weight_column_name,
            label_keys,
            _clipped(optimizer or "Adagrad", gradient_clip_norm, 0.05),
            activation_fn,
            dropout,
            config=self._given_config,
            loss_reduction=_MEAN,
        )
        super().__init__(feature_columns, model_dir, config)

    def _canned(self) -> core.Estimator:
        return self._make_canned()


class DNNRegressor(_Regressor):
    """Fully connected layers for numbers."""

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
        label_dimension: int = 1,
    ) -> None:
        _refuse(enable_centered_bias)
        self._make_canned = lambda: canned.DNNRegressor(
            hidden_units,
            self._columns,
            self._model_dir,
            label_dimension,
            weight_column_name,
            _clipped(optimizer or "Adagrad", gradient_clip_norm, 0.05),
            activation_fn,
            dropout,
            config=self._given_config,
            loss_reduction=_MEAN,
        )
        super().__init__(feature_columns, model_dir, config)

    def _canned(self) -> core.Estimator:
        return self._make_canned()


class LinearClassifier(_Classifier):
    """A linear model for classes."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        label_keys: Any = None,
    ) -> None:
        _refuse(enable_centered_bias)
        self._make_canned = lambda: canned.LinearClassifier(
            self._columns,
            self._model_dir,
            n_classes,
            weight_column_name,
            label_keys,
            _clipped(optimizer or "Ftrl", gradient_clip_norm, 0.2),
            self._given_config,
            loss_reduction=_MEAN,
        )
        super().__init__(feature_columns, model_dir, config)

    def _canned(self) -> core.Estimator:
        return self._make_canned()


class LinearRegressor(_Regressor):
    """A linear model for numbers."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[str] = None,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
    ) -> None:
        _refuse(enable_centered_bias)
        self._make_canned = lambda: canned.LinearRegressor(
            self._columns,
            self._model_dir,
            label_dimension,
            weight_column_name,
            _clipped(optimizer or "Ftrl", gradient_clip_norm, 0.2),
            self._given_config,
            loss_reduction=_MEAN,
        )
        super().__init__(feature_columns, model_dir, config)

    def _canned(self) -> core.Estimator:
        return self._make_canned()


def infer_real_valued_columns_from_input_fn(input_fn: Any) -> List[Any]:
    """Returns a numeric column for each feature of `input_fn`; a bare tensor is the column of the empty name."""
    with tf.Graph().as_default():
        features = input_fn()[0]
        named = features if isinstance(features, dict) else {"": features}
        return [
            tf.feature_column.numeric_column(name, shape=tuple(tensor.shape.as_list()[1:]) or (1,))
            for name, tensor in sorted(named.items())
        ]


def infer_real_valued_columns_from_input(x: Any) -> List[Any]:
    """Returns the numeric columns of an array, or of a dict of arrays."""
    named = x if isinstance(x, dict) else {"": x}
    return [
        tf.feature_column.numeric_column(name, shape=tuple(np.shape(array)[1:]) or (1,))
        for name, array in sorted(named.items())
    ]


def _refuse(enable_centered_bias: bool) -> None:
    if enable_centered_bias:
        raise ValueError("enable_centered_bias is not served: leave it out")


def _clipped(optimizer: Any, clip_norm: Optional[float], rate: float) -> Any:
    if clip_norm is None:
        return optimizer

    def made() -> Any:
        from legacy_towers.oldtf.contrib.estimator import clip_gradients_by_norm

        return clip_gradients_by_norm(canned._optimizer(optimizer, rate), clip_norm)

    return made
