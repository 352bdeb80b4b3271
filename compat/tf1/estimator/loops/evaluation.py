"""An evaluation: builds the graph, updates the metrics for each batch, and writes them to an event file."""
from typing import Any, Dict, List, Optional, Tuple

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import input_results, replicated
from legacy_towers.compat.tf1.estimator.loops import evaluation_events
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


def evaluate(
    estimator: Any, input_fn: Any, hooks: List[Any], checkpoint_path: Optional[str], name: Optional[str]
) -> Dict[str, Any]:
    """Returns name -> value of the metrics, with variables of `checkpoint_path`, or initialized ones if it is None."""
    strategy = estimator.config.eval_distribute
    with script_api.tensorflow().Graph().as_default():
        if strategy is None:
            return _evaluate(estimator, _build(estimator, input_fn), hooks, checkpoint_path, name)
        with strategy.scope():
            return _evaluate(estimator, _build(estimator, input_fn, strategy), hooks, checkpoint_path, name)


def evaluate_with(
    estimator: Any, input_fn: Any, hooks: List[Any], steps: Optional[int], variables: Dict[str, Any]
) -> Dict[str, Any]:
    """Returns name -> value of the metrics with the given values of variables; the others are initialized."""
    with script_api.tensorflow().Graph().as_default():
        scaffold, update, values, more_hooks = _build(estimator, input_fn)
        assignments, feed = [], {}
        for variable in tf.global_variables():
            if variable.op.name in variables:
                assignments.append(variable.initializer)
                feed[variable.initializer.inputs[1]] = variables[variable.op.name]
        scaffold = tf.train.Scaffold(
            init_fn=lambda _, session: session.run(assignments, feed), copy_from_scaffold=scaffold
        )
        limits = [runtime.stop_after_evaluations(steps)] if steps is not None else []
        return runtime.evaluate_once(
            checkpoint_path=None,
            master="",
            scaffold=scaffold,
            eval_ops=update,
            final_ops=values,
            hooks=more_hooks + hooks + limits,
            config=estimator.config.session_config,
        )


def _build(estimator: Any, input_fn: Any, strategy: Any = None) -> Tuple[Any, Any, Dict[str, Any], List[Any]]:
    """Returns (scaffold, update op, name -> value tensor, hooks)."""
    tf.set_random_seed(estimator.config.tf_random_seed)
    tf.train.create_global_step()
    if strategy is not None:
        return replicated.build_evaluation(estimator, input_fn, strategy, metrics_of)
    given = input_results.parse(estimator._call_input_fn(input_fn, ModeKeys.EVAL))
    spec = estimator._call_model_fn(given.features, given.labels, ModeKeys.EVAL, estimator.config)
    metrics = metrics_of(spec)
    values = {name: value for name, (value, _) in metrics.items()}
    update = tf.group(*[metrics[name][1] for name in sorted(metrics)])
    return spec.scaffold, update, values, given.hooks + list(spec.evaluation_hooks)


def metrics_of(spec: Any) -> Dict[str, Tuple[Any, Any]]:
    """Returns the metrics of an EstimatorSpec, with the mean loss.

    Raises:
      ValueError: a metric is named "loss" or "global_step".
    """
    if tf.GraphKeys.GLOBAL_STEP in spec.eval_metric_ops:
        raise ValueError(
            "Metric with name `global_step` is not allowed, because Estimator already defines a default metric with "
            "the same name."
        )
    if "loss" in spec.eval_metric_ops:
        raise ValueError(
            'Metric with name "loss" is not allowed, because Estimator already defines a default metric with the same '
            "name."
        )
    return dict(spec.eval_metric_ops, loss=tf.metrics.mean(spec.loss))


def _evaluate(
    estimator: Any, built: Any, hooks: List[Any], checkpoint_path: Optional[str], name: Optional[str]
) -> Dict[str, Any]:
    scaffold, update, values, more_hooks = built
    config = estimator.config
    estimator._maybe_warm_start(checkpoint_path)
    values[tf.GraphKeys.GLOBAL_STEP] = tf.train.get_global_step()
    if scaffold is not None and scaffold.local_init_op is not None:
        # Only the op of the scaffold would run, but the local variables of metrics and of the counter need theirs.
        runtime.create_evaluation_step()
        scaffold = tf.train.Scaffold(
            local_init_op=tf.group(scaffold.local_init_op, tf.train.Scaffold.default_local_init_op()),
            copy_from_scaffold=scaffold,
        )
    results = runtime.evaluate_once(
        checkpoint_path=checkpoint_path,
        master=config.evaluation_master,
        scaffold=scaffold,
        eval_ops=update,
        final_ops=values,
        hooks=more_hooks + hooks,
        config=config.session_config,
    )
    step = results[tf.GraphKeys.GLOBAL_STEP]
    evaluation_events.write_results(estimator.eval_dir(name), results, step)
    if checkpoint_path:
        evaluation_events.write_checkpoint_path(estimator.eval_dir(name), checkpoint_path, step)
    return results
