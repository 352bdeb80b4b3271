"""TensorFlow's coordinator of strategies over several processes, which tf.estimator used since 1.11."""
from typing import Any, Callable

# Private: tried on 1.15 and 2.21, where Estimators are gone and this is still used by strategies.
from tensorflow.python.distribute import distribute_coordinator, distribute_coordinator_context

INDEPENDENT_WORKER = distribute_coordinator.CoordinatorMode.INDEPENDENT_WORKER


def run(
    train: Callable[[Any], None], train_strategy: Any, evaluate: Callable[[Any], None], eval_strategy: Any,
    session_config: Any,
) -> None:
    """Runs the task that this process has in the cluster of TF_CONFIG.

    Every task but an evaluator starts its server first; a parameter server then waits for ever.

    Args:
      train: called with the strategy of this worker, in the context of the coordinator: each
        tf.train.MonitoredTrainingSession then uses this process's server, and the strategy decides what it writes.
      evaluate: called with the strategy of evaluations in an evaluator.
      session_config: the tf.ConfigProto that servers and sessions begin with.
    """
    distribute_coordinator.run_distribute_coordinator(
        train, train_strategy, evaluate, eval_strategy, mode=INDEPENDENT_WORKER, session_config=session_config
    )


def this_worker() -> Any:
    """Returns the context: cluster_spec, task_type, task_id, master_target and is_chief of the task that runs."""
    return distribute_coordinator_context.get_current_worker_context()
