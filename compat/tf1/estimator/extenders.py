"""tf.estimator.add_metrics."""
from typing import Any, Callable

from legacy_towers.compat.tf1.estimator import arguments
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """Returns a copy of `estimator` that also evaluates the metrics of `metric_fn`.

    Args:
      estimator: an Estimator.
      metric_fn: called with those of labels, predictions, features and config that are arguments of it; returns
        name -> (value tensor, update op).

    Raises:
      ValueError: `metric_fn` has another argument.
    """
    unexpected = sorted(set(arguments.names(metric_fn)) - {"features", "labels", "predictions", "config", "self"})
    if unexpected:
        raise ValueError("metric_fn ({}) has following not expected args: {}".format(metric_fn, unexpected))

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != "eval":
            return spec
        offered = dict(features=features, labels=labels, predictions=spec.predictions, config=config)
        more = metric_fn(**arguments.wanted(metric_fn, offered)) or {}
        return spec._replace(eval_metric_ops=dict(spec.eval_metric_ops, **more))

    return Estimator(model_fn, estimator.model_dir, estimator.config, warm_start_from=estimator._warm_start_settings)
