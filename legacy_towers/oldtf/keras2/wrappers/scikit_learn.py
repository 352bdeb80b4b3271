"""tf.keras.wrappers.scikit_learn: a function that makes a compiled model, as an estimator of scikit-learn."""
import copy
import inspect
import types
from typing import Any, Callable, Dict, Iterable, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.changed import attributes

_CROSS_ENTROPY = "categorical_crossentropy"
# What a name of Keras 1 is still taken for.
_OF_KERAS_1 = ("nb_epoch",)


class BaseWrapper:
    """What both estimators are.

    Args:
      build_fn: makes and compiles a model: a function, an object that can be called, or None where a class below this
        one has a `__call__` that does.
      **sk_params: arguments of `build_fn`, and of the model's fit, predict and evaluate.

    Raises:
      ValueError: nothing takes an argument of this name.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def __sklearn_tags__(self) -> Any:
        """Returns what scikit-learn from 1.6 on asks: no kind of estimator, unless the script set one."""
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        kind = getattr(self, "_estimator_type", None)
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
        )

    def check_params(self, params: Iterable[str]) -> None:
        model = tf.keras.Sequential
        takers = (model.fit, model.predict, model.evaluate, self._maker())
        for name in params:
            if name not in _OF_KERAS_1 and not any(_takes(taker, name) for taker in takers):
                raise ValueError("{} is not a legal parameter".format(name))

    def get_params(self, **params: Any) -> Dict[str, Any]:
        """Returns name -> value; what is given is not looked at."""
        return dict(copy.deepcopy(self.sk_params), build_fn=self.build_fn)

    def set_params(self, **params: Any) -> "BaseWrapper":
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def filter_sk_params(self, fn: Callable[..., Any], override: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        """Returns those of the parameters that `fn` takes, and what is in `override`."""
        return dict({name: value for name, value in self.sk_params.items() if _takes(fn, name)}, **(override or {}))

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model, fits it, and returns its History."""
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
    """A classifier; labels may be of any kind that numpy sorts, or one column for each class."""

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or y.ndim == 2:
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError("labels are [n] or [n, classes], and their shape is {}".format(y.shape))
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the labels, [n]; of one sigmoid, [n, 1]."""
        arguments = self.filter_sk_params(tf.keras.Sequential.predict, kwargs)
        return self.classes_[attributes.OF_MODELS["predict_classes"](self.model, x, **arguments)]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """Returns a probability for each class, [n, classes]."""
        found = self.model.predict(x, **self.filter_sk_params(tf.keras.Sequential.predict, kwargs))
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the accuracy.

        Raises:
          ValueError: the model is compiled without it.
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
        """Returns [n]."""
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(tf.keras.Sequential.predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the negative loss."""
        found = self.model.evaluate(x, y, **self.filter_sk_params(tf.keras.Sequential.evaluate, kwargs))
        return -(found[0] if isinstance(found, list) else found)


def _takes(function: Callable[..., Any], name: str) -> bool:
    found = inspect.signature(function).parameters.get(name)
    return found is not None and found.kind in (found.POSITIONAL_OR_KEYWORD, found.KEYWORD_ONLY)


def _loss_of(model: Any) -> Any:
    return getattr(model.loss, "__name__", model.loss)
