"""tf.keras.wrappers.scikit_learn: Keras models as estimators of scikit-learn."""
import copy
import inspect
import types
from typing import Any, Callable, Dict, Iterable, Optional

import numpy as np

from legacy_towers.compat.tf1.keras import predictions
from legacy_towers.compat.versions import tf

_CROSS_ENTROPY = "categorical_crossentropy"
# Arguments of Keras 1 that are accepted.
_OF_KERAS_1 = ("nb_epoch",)


class BaseWrapper:
    """The base class of both estimators.

    Args:
      build_fn: a function or callable object that returns a compiled model; None if a subclass defines `__call__`.
      **sk_params: arguments of `build_fn`, and of the model's fit, predict and evaluate.

    Raises:
      ValueError: none of these functions has an argument of the name.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def __sklearn_tags__(self) -> Any:
        """Returns the tags that scikit-learn 1.6 and later need: no estimator type, unless the script sets one."""
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        kind = getattr(self, "_estimator_type", None)
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
        )

    def check_params(self, params: Iterable[str]) -> None:
        """Raises a ValueError if no function has an argument of one of these names."""
        model = tf.keras.Sequential
        takers = (model.fit, model.predict, model.evaluate, self._maker())
        for name in params:
            if name not in _OF_KERAS_1 and not any(_takes(taker, name) for taker in takers):
                raise ValueError("{} is not a legal parameter".format(name))

    def get_params(self, **params: Any) -> Dict[str, Any]:
        """Returns name -> value of all parameters; the arguments are ignored, as in 1.15."""
        return dict(copy.deepcopy(self.sk_params), build_fn=self.build_fn)

    def set_params(self, **params: Any) -> "BaseWrapper":
        """Sets parameters and returns the estimator."""
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def filter_sk_params(self, fn: Callable[..., Any], override: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        """Returns the parameters that `fn` has as arguments, updated with `override`."""
        return dict({name: value for name, value in self.sk_params.items() if _takes(fn, name)}, **(override or {}))

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, fits it, and returns its History.

        Args:
          x: an array [n, ...].
          y: targets [n] or [n, ...].
          **kwargs: arguments of the model's fit.
        """
        maker = self._maker()
        make: Any = self if self.build_fn is None else self.build_fn
        self.model = make(**self.filter_sk_params(maker))
        if _loss_of(self.model) == _CROSS_ENTROPY and len(y.shape) != 2:
            y = tf.keras.utils.to_categorical(y)
        arguments = copy.deepcopy(self.filter_sk_params(tf.keras.Sequential.fit))
        return self.model.fit(x, y, **dict(arguments, **kwargs))

    def _maker(self) -> Callable[..., Any]:
        make: Any = self if self.build_fn is None else self.build_fn
        is_function = isinstance(make, (types.FunctionType, types.MethodType))
        found: Callable[..., Any] = make if is_function else make.__call__
        return found


class KerasClassifier(BaseWrapper):
    """A classifier; labels may be of any type that numpy can sort, or one-hot rows."""

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, fits it, and returns its History.

        Args:
          x: an array [n, ...].
          y: labels, [n] or one-hot [n, classes].
          **kwargs: arguments of the model's fit.

        Raises:
          ValueError: `y` has another rank.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or y.ndim == 2:
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError("labels must have shape [n] or [n, classes], got {}".format(y.shape))
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the predicted labels, [n]; [n, 1] if the model has one sigmoid output."""
        arguments = self.filter_sk_params(tf.keras.Sequential.predict, kwargs)
        return self.classes_[predictions.OF_MODELS["predict_classes"](self.model, x, **arguments)]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """Returns the probabilities of the classes, [n, classes]."""
        found = self.model.predict(x, **self.filter_sk_params(tf.keras.Sequential.predict, kwargs))
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the accuracy.

        Raises:
          ValueError: the model is compiled without the metric accuracy.
        """
        y = np.searchsorted(self.classes_, y)
        arguments = self.filter_sk_params(tf.keras.Sequential.evaluate, kwargs)
        if _loss_of(self.model) == _CROSS_ENTROPY and len(y.shape) != 2:
            y = tf.keras.utils.to_categorical(y)
        found = self.model.evaluate(x, y, **arguments)
        for name, value in zip(self.model.metrics_names, found if isinstance(found, list) else [found]):
            if name in ("accuracy", "acc"):
                return value
        raise ValueError("the model computes no accuracy: compile it with metrics=[\"accuracy\"]")


class KerasRegressor(BaseWrapper):
    """A regressor."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the predictions, [n]."""
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(tf.keras.Sequential.predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the negative loss on `x` and `y`."""
        found = self.model.evaluate(x, y, **self.filter_sk_params(tf.keras.Sequential.evaluate, kwargs))
        return -(found[0] if isinstance(found, list) else found)


def _takes(function: Callable[..., Any], name: str) -> bool:
    found = inspect.signature(function).parameters.get(name)
    return found is not None and found.kind in (found.POSITIONAL_OR_KEYWORD, found.KEYWORD_ONLY)


def _loss_of(model: Any) -> Any:
    return getattr(model.loss, "__name__", model.loss)
