"""Training and evaluation under a tf.distribute strategy, which calls the model function for each replica."""
from typing import Any, Callable, Dict, List, Tuple

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import input_results
from legacy_towers.compat.tf1.estimator.loops import training
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf


def train(estimator: Any, input_fn: Callable[..., Any], hooks: List[Any], listeners: List[Any]) -> Any:
    """Trains one replica per device of `config.train_distribute`, with the mean of their gradients.

    Returns:
      the last loss, averaged over replicas.
    """
    strategy = estimator.config.train_distribute
    with script_api.tensorflow().Graph().as_default() as graph:
        with strategy.scope(), runtime.scaled_losses(strategy):
            tf.set_random_seed(estimator.config.tf_random_seed)
            iterator, input_hooks = _iterator(estimator, input_fn, ModeKeys.TRAIN, strategy)
            step = tf.train.create_global_step(graph)
            runtime.add_global_step_read(strategy.extended.read_var(step))
            spec = _call(estimator, iterator, ModeKeys.TRAIN, strategy)
            loss = strategy.reduce(tf.distribute.ReduceOp.MEAN, spec.loss, axis=None)
            whole = EstimatorSpec(
                ModeKeys.TRAIN,
                loss=loss,
                train_op=strategy.group(spec.train_op),
                training_hooks=_of_first(spec.training_hooks, strategy),
                training_chief_hooks=_of_first(spec.training_chief_hooks, strategy),
                scaffold=_scaffold(spec.scaffold, strategy),
            )
            return training.run(estimator, whole, input_hooks, hooks, listeners)


def build_evaluation(
    estimator: Any, input_fn: Callable[..., Any], strategy: Any, metrics_of: Callable[[Any], Dict[str, Any]]
) -> Tuple[Any, Any, Dict[str, Any], List[Any]]:
    """Returns (scaffold, update op, name -> value tensor, hooks) of an evaluation over the replicas."""
    iterator, hooks = _iterator(estimator, input_fn, ModeKeys.EVAL, strategy)
    spec = _call(estimator, iterator, ModeKeys.EVAL, strategy)
    metrics = dict(spec.eval_metric_ops, loss=_mean_loss(spec.loss, strategy))
    values = {name: value for name, (value, _) in metrics.items()}
    update = tf.group(*[strategy.group(metrics[name][1]) for name in sorted(metrics)])
    hooks += _of_first(spec.evaluation_hooks, strategy)
    return _scaffold(spec.scaffold, strategy), update, values, hooks


def _mean_loss(loss: Any, strategy: Any) -> Any:
    return strategy.extended.call_for_each_replica(tf.metrics.mean, args=(loss,))


def _iterator(estimator: Any, input_fn: Callable[..., Any], mode: str, strategy: Any) -> Tuple[Any, List[Any]]:
    iterator = strategy.make_input_fn_iterator(
        lambda input_context: estimator._call_input_fn(input_fn, mode, input_context)
    )
    return iterator, [input_results.InitializeIterator(iterator.initialize())]


def _call(estimator: Any, iterator: Any, mode: str, strategy: Any) -> Any:
    features, labels = input_results.split(iterator.get_next())
    return strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(features, labels, mode, estimator.config)
    )


def _of_first(hooks: Any, strategy: Any) -> List[Any]:
    return [strategy.experimental_local_results(hook)[0] for hook in hooks]


def _scaffold(scaffolds: Any, strategy: Any) -> Any:
    """Merges the scaffolds of all replicas; the init ops of all of them run."""
    each = strategy.experimental_local_results(scaffolds)
    if len(each) == 1:
        return each[0]
    init_ops = [scaffold.init_op for scaffold in each if scaffold.init_op is not None]
    local_init_ops = [scaffold.local_init_op for scaffold in each if scaffold.local_init_op is not None]
    init_functions = [runtime.init_function_of(scaffold) for scaffold in each]
    return tf.train.Scaffold(
        init_op=tf.group(*init_ops) if init_ops else None,
        local_init_op=tf.group(*local_init_ops) if local_init_ops else None,
        init_fn=next((function for function in init_functions if function is not None), None),
        saver=next((scaffold.saver for scaffold in each if scaffold.saver is not None), None),
    )
