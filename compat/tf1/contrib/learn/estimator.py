"""tf.contrib.learn.Estimator: fit, evaluate and predict on arrays or input functions."""
from typing import Any, Callable, Dict, Iterable, List, Optional

import numpy as np

from legacy_towers.compat.tf1.contrib.learn.mode import MetricSpec, ModeKeys, ModelFnOps
from legacy_towers.compat.tf1.estimator import arguments, input_results, inputs
from legacy_towers.compat.tf1.estimator import estimator as core
from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf


class Trainable:
    """Interface of objects with a method `fit`."""


class Evaluable:
    """Interface of objects with a method `evaluate`."""


class BaseEstimator(Trainable, Evaluable):
    """fit, evaluate and predict of a tf.estimator.Estimator, which a subclass returns from `_make_estimator(metrics)`.

    The data are arrays `x` and `y` (shuffled by `fit`, in order otherwise) or the results of `input_fn`.
    """

    def __init__(self, model_dir: Optional[str], config: Any) -> None:
        self._model_dir = model_dir
        self._given_config = config
        self._estimator = self._make_estimator({})
        self._model_dir = self._estimator.model_dir

    def _make_estimator(self, metrics: Dict[str, Any]) -> core.Estimator:
        raise NotImplementedError

    @property
    def model_dir(self) -> str:
        return self._estimator.model_dir

    @property
    def config(self) -> Any:
        return self._estimator.config

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        steps: Optional[int] = None,
        batch_size: Optional[int] = None,
        monitors: Optional[Iterable[Any]] = None,
        max_steps: Optional[int] = None,
    ) -> "BaseEstimator":
        """Trains for `steps` more steps or until global step `max_steps`.

        Raises:
          ValueError: `x` and `y` are given without `steps` and `max_steps`, or together with `input_fn`.
        """
        if steps is None and max_steps is None and input_fn is None:
            raise ValueError("fit(x, y) needs steps or max_steps: it repeats the arrays without an end")
        hooks = [monitor.bind(self) if hasattr(monitor, "bind") else monitor for monitor in monitors or ()]
        self._estimator.train(_make_input_fn(x, y, input_fn, batch_size, None, True), hooks, steps, max_steps)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: Any = 1,
        batch_size: Any = None,
        monitors: Any = None,
    ) -> "BaseEstimator":
        """Trains for `steps` more steps, as `fit` does."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        feed_fn: Any = None,
        batch_size: Optional[int] = None,
        steps: Optional[int] = None,
        metrics: Any = None,
        name: Optional[str] = None,
        checkpoint_path: Optional[str] = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> Dict[str, Any]:
        """Returns name -> value of the loss and the metrics.

        Args:
          metrics: name -> MetricSpec or function, evaluated in addition to the model's metrics.
        """
        if feed_fn is not None:
            raise ValueError("feed_fn is not supported: use input_fn")
        evaluated_input_fn = _make_input_fn(x, y, input_fn, batch_size, 1, False)
        return self._make_estimator(metrics or {}).evaluate(evaluated_input_fn, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        x: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        batch_size: Optional[int] = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns an iterable of predictions, or an array of all (a dict of arrays where the model predicts a dict).

        Args:
          outputs: the keys of the predictions to return; None: all.
        """
        hook = _StopAfterConstantBatch(_make_input_fn(x, None, input_fn, batch_size, 1, False))
        predictions = self._estimator.predict(
            hook.input_fn, outputs, [hook], yield_single_examples=not iterate_batches
        )
        if as_iterable:
            return predictions
        rows = list(predictions)
        if rows and isinstance(rows[0], dict):
            return {key: np.array([row[key] for row in rows]) for key in rows[0]}
        return np.array(rows)

    def get_variable_names(self) -> List[str]:
        """Returns the names of all variables in the latest checkpoint."""
        return self._estimator.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable in the latest checkpoint."""
        return self._estimator.get_variable_value(name)

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: Optional[str] = None,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
        **options: Any,
    ) -> Any:
        """Writes a SavedModel and returns its folder.

        Args:
          serving_input_fn: returns an InputFnOps or a ServingInputReceiver.
        """

        def serving_input_receiver_fn() -> Any:
            inputs = serving_input_fn()
            if hasattr(inputs, "receiver_tensors"):
                return inputs
            return receivers.ServingInputReceiver(inputs.features, inputs.default_inputs)

        return self._estimator.export_savedmodel(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )


class Estimator(BaseEstimator):
    """Estimator of the model that `model_fn` builds.

    Args:
      model_fn: (features, labels[, mode][, params][, config][, model_dir]) -> ModelFnOps, EstimatorSpec or
        (predictions, loss, train_op).
      feature_engineering_fn: (features, labels) -> (features, labels), applied before `model_fn`.
    """

    def __init__(
        self,
        model_fn: Optional[Callable[..., Any]] = None,
        model_dir: Optional[str] = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Optional[Callable[[Any, Any], Any]] = None,
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        self._model_fn = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn or (lambda features, labels: (features, labels))
        # Model functions of tf.contrib.learn may build the loss in INFER mode too. They then get placeholders like the
        # labels seen in training; nothing evaluates them.
        self._make_label_placeholders: Callable[[], Any] = lambda: None
        super().__init__(model_dir, config)

    def _make_estimator(self, metrics: Dict[str, Any]) -> core.Estimator:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            if mode == ModeKeys.INFER:
                labels = self._make_label_placeholders()
            else:
                self._make_label_placeholders = _placeholder_maker(labels)
            features, labels = self._feature_engineering_fn(features, labels)
            keywords = {"mode": mode, "params": self.params, "config": config, "model_dir": self._model_dir}
            result = self._model_fn(features, labels, **arguments.wanted(self._model_fn, keywords))
            if not isinstance(result, ModelFnOps):
                if isinstance(result, EstimatorSpec):
                    return result
                if len(result) != 3:
                    raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
                result = ModelFnOps(mode, *result)
            return _spec(result, mode, features, labels, metrics)

        return core.Estimator(model_fn, self._model_dir, self._given_config)


def _spec(result: ModelFnOps, mode: str, features: Any, labels: Any, metrics: Any) -> EstimatorSpec:
    eval_metric_ops: Dict[str, Any] = {}
    if mode == "eval":
        eval_metric_ops.update(result.eval_metric_ops or {})
        eval_metric_ops.update(metric_ops(metrics, features, labels, result.predictions))
    return EstimatorSpec(
        mode,
        predictions=result.predictions,
        loss=result.loss if mode != "infer" else None,
        train_op=result.train_op if mode == "train" else None,
        eval_metric_ops={name: value for name, value in eval_metric_ops.items() if name != "loss"},
        training_chief_hooks=result.training_chief_hooks,
        training_hooks=result.training_hooks,
        scaffold=result.scaffold,
    )


def metric_ops(metrics: Any, features: Any, labels: Any, predictions: Any) -> Dict[str, Any]:
    """Returns name -> (value, update op) of `metrics`.

    Args:
      metrics: name -> MetricSpec or function of (predictions, labels); a name may be (name, key of the prediction).
    """
    results = {}
    for name, metric in dict(metrics or {}).items():
        if isinstance(metric, MetricSpec):
            results[name] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(name, tuple):
            results[name[0]] = metric(predictions[name[1]], labels)
        else:
            results[name] = metric(predictions, labels)
    return {name: value if isinstance(value, tuple) else (value, tf.no_op()) for name, value in results.items()}


class _StopAfterConstantBatch(tf.train.SessionRunHook):
    """Stops prediction after one batch if the input is constant: it has neither an iterator nor queue runners."""

    def __init__(self, input_fn: Callable[[], Any]) -> None:
        self._input_fn = input_fn
        self._is_constant = False

    def input_fn(self) -> Any:
        result = self._input_fn()
        features = result[0] if isinstance(result, tuple) else result
        self._is_constant = not input_results.ends(features)
        return result

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._is_constant:
            run_context.request_stop()


def _make_input_fn(
    x: Any,
    y: Any,
    input_fn: Optional[Callable[[], Any]],
    batch_size: Optional[int],
    epochs: Optional[int],
    shuffle: bool,
) -> Callable[[], Any]:
    if input_fn is not None:
        if x is not None or y is not None or batch_size is not None:
            raise ValueError("Can not provide both input_fn and x, y or batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Must provide input_fn or x.")
    arrays = {key: np.asarray(value) for key, value in x.items()} if isinstance(x, dict) else np.asarray(x)
    rows = len(next(iter(arrays.values()))) if isinstance(arrays, dict) else len(arrays)
    size = batch_size or min(rows, 4096)
    labels = y if y is None or isinstance(y, dict) else np.asarray(y)
    return inputs.numpy_input_fn(arrays, labels, size, epochs, shuffle)


def _placeholder_maker(labels: Any) -> Callable[[], Any]:
    """Returns a function that creates placeholders with the structure of `labels`, for any batch size."""
    if isinstance(labels, dict):
        makers = {key: _placeholder_maker(value) for key, value in labels.items()}
        return lambda: {key: make() for key, make in makers.items()}
    if isinstance(labels, tf.SparseTensor):
        dtype = labels.dtype
        return lambda: tf.sparse_placeholder(dtype)
    if not isinstance(labels, tf.Tensor):
        return lambda: None
    dtype, shape = labels.dtype, labels.shape
    placeholder_shape = [None] + shape.as_list()[1:] if shape.ndims else shape
    return lambda: tf.placeholder(dtype, placeholder_shape)


class SKCompat:
    """Wrapper of an estimator with the methods of scikit-learn: fit, score and predict on arrays."""

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(
        self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, max_steps: Any = None, monitors: Any = None
    ) -> "SKCompat":
        """Trains on arrays `x` and `y`."""
        self._estimator.fit(x, y, None, steps, batch_size, monitors, max_steps)
        return self

    def score(
        self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, metrics: Any = None, name: Any = None
    ) -> Any:
        """Returns name -> value of the loss and the metrics."""
        return self._estimator.evaluate(x, y, None, None, batch_size, steps, metrics, name or "score")

    def predict(self, x: Any, batch_size: int = 128, outputs: Any = None) -> Any:
        """Returns the predictions for `x` as an array, or as a dict of arrays where the model has several outputs."""
        return BaseEstimator.predict(self._estimator, x, None, batch_size, outputs, as_iterable=False)
