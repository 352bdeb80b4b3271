"""EstimatorSpec, the result of a model function."""
from typing import Any, Dict, NamedTuple, Optional, Tuple

from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Dict[str, Any]
    export_outputs: Optional[Dict[str, Any]]
    training_chief_hooks: Tuple[Any, ...]
    training_hooks: Tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: Tuple[Any, ...]
    prediction_hooks: Tuple[Any, ...]


class EstimatorSpec(_Fields):
    """The ops and tensors that an Estimator runs in one mode.

    Args:
      mode: one of `ModeKeys`.
      predictions: a tensor, or name -> tensor; required in mode PREDICT.
      loss: a scalar, or a tensor of shape [1]; required in modes TRAIN and EVAL.
      train_op: required in mode TRAIN.
      eval_metric_ops: name -> (value tensor, update op), or name -> a Keras metric with update_state called.
      export_outputs: name -> ExportOutput, the signatures of an exported model.
      training_chief_hooks: tf.train.SessionRunHooks of the chief.
      training_hooks: tf.train.SessionRunHooks of all workers.
      scaffold: a tf.train.Scaffold.
      evaluation_hooks: tf.train.SessionRunHooks.
      prediction_hooks: tf.train.SessionRunHooks.

    Raises:
      ValueError: an argument that the mode requires is missing, or is from another graph.
      TypeError: an argument has the wrong type.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> "EstimatorSpec":
        hooks = [tuple(given or ()) for given in (training_chief_hooks, training_hooks, evaluation_hooks)]
        hooks.append(tuple(prediction_hooks or ()))
        for hook in sum(hooks, ()):
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError("All hooks must be SessionRunHook instances, given: {}".format(hook))
        scaffold = scaffold or tf.train.Scaffold()
        if not isinstance(scaffold, tf.train.Scaffold):
            raise TypeError("scaffold must be tf.train.Scaffold. Given: {}".format(scaffold))
        predictions = _predictions(predictions, mode)
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=_loss(loss, mode),
            train_op=_train_op(train_op, mode),
            eval_metric_ops=_metrics(eval_metric_ops),
            export_outputs=_outputs(export_outputs, predictions, mode),
            training_chief_hooks=hooks[0],
            training_hooks=hooks[1],
            scaffold=scaffold,
            evaluation_hooks=hooks[2],
            prediction_hooks=hooks[3],
        )

    def _replace(self, **changes: Any) -> "EstimatorSpec":
        if changes.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**dict(zip(self._fields, self), **changes))


def _train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    is_tensor = isinstance(train_op, (tf.Operation, tf.Tensor))
    # Also variables and the results of assignments, which minimize() returns under a distribution strategy.
    if not is_tensor and not isinstance(getattr(train_op, "op", None), tf.Operation):
        raise TypeError("train_op must be Operation or Tensor, given: {}".format(train_op))
    _check_graph(train_op, "train_op")
    return train_op if is_tensor else train_op.op


def _loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    _check_tensor(loss, "loss")
    if not loss.shape.is_compatible_with([]) and not loss.shape.is_compatible_with([1]):
        raise ValueError("Loss must be scalar, given: {}".format(loss))
    return loss if loss.shape.is_compatible_with([]) else tf.reshape(loss, [])


def _predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    named = predictions if isinstance(predictions, dict) else {"predictions": predictions}
    for name, value in named.items():
        _check_tensor(value, "predictions[{}]".format(name))
    return predictions


def _metrics(metrics: Any) -> Dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError("eval_metric_ops must be a dict, given: {}".format(metrics))
    return {name: _metric(name, value) for name, value in metrics.items()}


def _metric(name: str, value: Any) -> Tuple[Any, Any]:
    if hasattr(value, "updates") and hasattr(value, "result"):  # a Keras metric
        if not value.updates:
            raise ValueError("Please call update_state(...) on the {} metric {!r}".format(type(value).__name__, name))
        for variable in value.variables:
            for collection in (tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES):
                if all(variable is not known for known in tf.get_collection(collection)):
                    tf.add_to_collection(collection, variable)
        return value.result(), value.updates[0]
    if not isinstance(value, tuple) or len(value) != 2:
        raise TypeError(
            "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {} for key: {}".format(
                value, name
            )
        )
    for part in tf.nest.flatten(value):
        _check_graph(part, "eval_metric_ops[{}]".format(name))
    return value


def _outputs(outputs: Any, predictions: Any, mode: str) -> Optional[Dict[str, Any]]:
    if mode != ModeKeys.PREDICT:
        return outputs
    return runtime.checked_outputs(outputs, predictions)


def _check_tensor(value: Any, name: str) -> None:
    if isinstance(value, tf.Operation) or not hasattr(value, "dtype") or not hasattr(value, "graph"):
        raise TypeError("{} must be Tensor, given: {}".format(name, value))
    _check_graph(value, name)


def _check_graph(value: Any, name: str) -> None:
    graph = getattr(value, "graph", None)
    if graph is not None and graph is not tf.get_default_graph():
        raise ValueError("{} must be from the default graph, given: {}".format(name, value))
