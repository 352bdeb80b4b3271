"""tf.contrib.learn.Estimator: fit, evaluate and predict on arrays or by input functions."""
from typing import Any, Callable, Dict, Iterable, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.mode import MetricSpec, ModeKeys, ModelFnOps
from legacy_towers.oldtf.estimator import arguments, export, input_results, inputs
from legacy_towers.oldtf.estimator import estimator as core
from legacy_towers.oldtf.estimator.spec import EstimatorSpec


class Trainable:
    """What can be fitted."""


class Evaluable:
    """What can be evaluated."""


class BaseEstimator(Trainable, Evaluable):
    """fit, evaluate and predict over a tf.estimator.Estimator that `_make(metrics)` returns.

    Data are arrays `x` and `y`, shuffled to fit and in order otherwise, or come from `input_fn`.
    """

    def __init__(self, model_dir: Optional[str], config: Any) -> None:
        self._model_dir = model_dir
        self._given_config = config
        self._trained = self._make({})
        self._model_dir = self._trained.model_dir

    def _make(self, metrics: Dict[str, Any]) -> core.Estimator:
        raise NotImplementedError

    @property
    def model_dir(self) -> str:
        return self._trained.model_dir

    @property
    def config(self) -> Any:
        return self._trained.config

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
        """Trains for `steps` more steps or to the step `max_steps`."""
        if steps is None and max_steps is None and input_fn is None:
            raise ValueError("fit of arrays goes on for ever: give it steps or max_steps")
        hooks = [monitor.bind(self) if hasattr(monitor, "bind") else monitor for monitor in monitors or ()]
        source = _source(x, y, input_fn, batch_size, None, True)
        self._trained.train(source, hooks, steps, max_steps)
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
        """`fit` of a part of the data."""
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
        """Returns name -> value; `metrics` (name -> MetricSpec, or a function) come beside the model's own."""
        if feed_fn is not None:
            raise ValueError("feed_fn is not served: give an input_fn")
        source = _source(x, y, input_fn, batch_size, 1, False)
        return self._make(metrics or {}).evaluate(source, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        x: Any = None,
        input_fn: Optional[Callable[[], Any]] = None,
        batch_size: Optional[int] = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns an iterable of predictions, or one array of them all; `outputs` are the keys that are wanted."""
        source = _OneBatchUnlessMore(_source(x, None, input_fn, batch_size, 1, False))
        found = self._trained.predict(source.features, outputs, [source], yield_single_examples=not iterate_batches)
        if as_iterable:
            return found
        rows = list(found)
        if rows and isinstance(rows[0], dict):
            return {key: np.array([row[key] for row in rows]) for key in rows[0]}
        return np.array(rows)

    def get_variable_names(self) -> List[str]:
        """Returns the names of all variables in the latest checkpoint."""
        return self._trained.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable in the latest checkpoint."""
        return self._trained.get_variable_value(name)

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
        """Writes a SavedModel; `serving_input_fn` returns an InputFnOps or a ServingInputReceiver."""

        def receiver() -> Any:
            given = serving_input_fn()
            if hasattr(given, "receiver_tensors"):
                return given
            return export.ServingInputReceiver(given.features, given.default_inputs)

        return self._trained.export_savedmodel(export_dir_base, receiver, assets_extra, as_text, checkpoint_path)


class Estimator(BaseEstimator):
    """The model of `model_fn`, which returns ModelFnOps or (predictions, loss, train_op).

    Args:
      model_fn: called with features, labels and those of mode, params, config that it takes.
      feature_engineering_fn: (features, labels) -> the ones that `model_fn` gets.
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
        self._engineer = feature_engineering_fn or (lambda features, labels: (features, labels))
        # Model functions of the time make their loss in every mode: to predict, labels that were seen before are
        # placeholders, which nothing asks for.
        self._labels_like: Callable[[], Any] = lambda: None
        super().__init__(model_dir, config)

    def _make(self, metrics: Dict[str, Any]) -> core.Estimator:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            if mode == ModeKeys.INFER:
                labels = self._labels_like()
            else:
                self._labels_like = _placeholder_like(labels)
            features, labels = self._engineer(features, labels)
            offered = {"mode": mode, "params": self.params, "config": config, "model_dir": self._model_dir}
            result = self._model_fn(features, labels, **arguments.wanted(self._model_fn, offered))
            if not isinstance(result, ModelFnOps):
                if isinstance(result, EstimatorSpec):
                    return result
                if len(result) != 3:
                    raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
                result = ModelFnOps(mode, *result)
            return _spec(result, mode, features, labels, metrics)

        return core.Estimator(model_fn, self._model_dir, self._given_config)


def _spec(result: ModelFnOps, mode: str, features: Any, labels: Any, metrics: Any) -> EstimatorSpec:
    of_metrics = {}
    if mode == "eval":
        for name, value in (result.eval_metric_ops or {}).items():
            of_metrics[name] = value
        of_metrics.update(metric_ops(metrics, features, labels, result.predictions))
    return EstimatorSpec(
        mode,
        predictions=result.predictions,
        loss=result.loss if mode != "infer" else None,
        train_op=result.train_op if mode == "train" else None,
        eval_metric_ops={name: value for name, value in of_metrics.items() if name != "loss"},
        training_chief_hooks=result.training_chief_hooks,
        training_hooks=result.training_hooks,
        scaffold=result.scaffold,
    )


def metric_ops(metrics: Any, features: Any, labels: Any, predictions: Any) -> Dict[str, Any]:
    """Returns name -> (value, update op) of MetricSpecs, of functions, and of (name, prediction key) pairs."""
    found = {}
    for name, metric in dict(metrics or {}).items():
        if isinstance(metric, MetricSpec):
            found[name] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(name, tuple):
            found[name[0]] = metric(predictions[name[1]], labels)
        else:
            found[name] = metric(predictions, labels)
    return {name: value if isinstance(value, tuple) else (value, tf.no_op()) for name, value in found.items()}


class _OneBatchUnlessMore(tf.train.SessionRunHook):
    """Ends predictions after the first batch of an input that has neither queues nor datasets: all are the same."""

    def __init__(self, input_fn: Callable[[], Any]) -> None:
        self._input_fn = input_fn
        self._is_constant = False

    def features(self) -> Any:
        result = self._input_fn()
        given = result[0] if isinstance(result, tuple) else result
        self._is_constant = not input_results.ends(given)
        return result

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._is_constant:
            run_context.request_stop()


def _source(
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


def _placeholder_like(labels: Any) -> Callable[[], Any]:
    """Returns what makes placeholders for any number of such labels."""
    if isinstance(labels, dict):
        makers = {key: _placeholder_like(value) for key, value in labels.items()}
        return lambda: {key: make() for key, make in makers.items()}
    if isinstance(labels, tf.SparseTensor):
        dtype = labels.dtype
        return lambda: tf.sparse_placeholder(dtype)
    if not isinstance(labels, tf.Tensor):
        return lambda: None
    dtype, shape = labels.dtype, labels.shape
    rows_left_open = [None] + shape.as_list()[1:] if shape.ndims else shape
    return lambda: tf.placeholder(dtype, rows_left_open)


class SKCompat:
    """fit, score and predict as scikit-learn has them, over an estimator."""

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(
        self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, max_steps: Any = None, monitors: Any = None
    ) -> "SKCompat":
        """Trains on arrays."""
        self._estimator.fit(x, y, None, steps, batch_size, monitors, max_steps)
        return self

    def score(
        self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, metrics: Any = None, name: Any = None
    ) -> Any:
        """Returns name -> value of the metrics over the arrays."""
        return self._estimator.evaluate(x, y, None, None, batch_size, steps, metrics, name or "score")

    def predict(self, x: Any, batch_size: int = 128, outputs: Any = None) -> Any:
        """Returns the predictions for all rows of `x`: of models with several a dict, of canned ones too."""
        return BaseEstimator.predict(self._estimator, x, None, batch_size, outputs, as_iterable=False)
