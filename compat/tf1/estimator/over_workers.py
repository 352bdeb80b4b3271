"""train_and_evaluate under a strategy over the workers of TF_CONFIG, with TensorFlow's own coordinator."""
import copy
from typing import Any, Callable, Dict

from legacy_towers.compat.tf1.estimator import cluster
from legacy_towers.compat.tf1.estimator.private import coordinator
from legacy_towers.compat.versions import tf

# Their sessions save and write summaries in step on all workers, since that can run collective operations.
_COLLECTIVE = ("CollectiveAllReduceStrategy", "CollectiveAllReduceStrategyV1", "MultiWorkerMirroredStrategy")
# The beginnings of the names of strategies that train over several processes.
_STRATEGIES = _COLLECTIVE + ("ParameterServerStrategy",)


def trains_over_workers(strategy: Any) -> bool:
    """Returns whether a strategy is one of those that can train over several processes."""
    return any(each.__name__.startswith(_STRATEGIES) for each in type(strategy).__mro__)


def mode_of(tf_config: Dict[str, Any], train_strategy: Any) -> Any:
    """Returns the coordinator's mode, or None where a process needs no coordinator: without a cluster or a strategy."""
    jobs = tf_config.get("cluster") or {}
    if not jobs or cluster.TaskType.MASTER in jobs or train_strategy is None:
        return None
    return coordinator.INDEPENDENT_WORKER


def train_and_evaluate(estimator: Any, train: Callable[[Any], None], evaluate: Callable[[Any], None]) -> None:
    """Runs the task of this process: a worker calls `train`, an evaluator `evaluate`, with the Estimator of the task.

    A parameter server serves for ever.
    """
    config = estimator.config
    coordinator.run(
        lambda strategy: train(_of_task(estimator, "train_distribute", strategy)),
        config.train_distribute,
        lambda strategy: evaluate(_of_task(estimator, "eval_distribute", strategy)),
        config.eval_distribute,
        copy.deepcopy(config.session_config),
    )


def saves_on_all_workers(config: Any) -> bool:
    """Returns whether sessions must save and write summaries on every worker: they can run collective operations."""
    name = type(config.train_distribute).__name__
    return bool(config.cluster_spec) and name in _COLLECTIVE


def _of_task(estimator: Any, name: str, strategy: Any) -> Any:
    """Returns a copy of the Estimator whose config has the task that the coordinator runs, and its strategy."""
    config = copy.copy(estimator.config)
    worker = coordinator.this_worker()
    setattr(config, "_" + name, strategy)
    # Not again: `train` and `evaluate` run in the coordinator already.
    config._distribute_coordinator_mode = None
    config._set_task(_task_of(worker, strategy))
    local = copy.copy(estimator)
    local._config = config
    local._train_distribution, local._eval_distribution = config.train_distribute, config.eval_distribute
    tf.logging.info("Updated config: %s", vars(config))
    return local


def _task_of(worker: Any, strategy: Any) -> cluster.Task:
    """Returns the task that the coordinator runs; an evaluator does not know the others.

    Raises:
      ValueError: an evaluator would use parameter servers, which it can't reach.
    """
    spec, kind, number = worker.cluster_spec, worker.task_type, worker.task_id
    if kind != cluster.TaskType.EVALUATOR:
        return cluster.task_of(spec, kind, number, worker.master_target, worker.is_chief)
    master = ""
    if strategy is not None and any("/job:" + kind in device for device in strategy.extended.worker_devices):
        if strategy.extended.parameter_devices != strategy.extended.worker_devices:
            raise ValueError(
                "eval_distribute={} is not supported in an evaluator, which has no parameter servers: leave it "
                "out".format(type(strategy).__name__)
            )
        # The strategy's devices are those of /job:evaluator, for which 1.15 started a server, and 2.x does not.
        own = tf.train.ClusterSpec({kind: spec.job_tasks(kind)})
        master = tf.train.Server(own, job_name=kind, task_index=number).target
    return cluster.Task(tf.train.ClusterSpec({}), kind, number, master, master, True, 0, 0, None, None)
