"""Checks of a step over workers that need no graph: a worker knows them before it waits for the others."""
from typing import Any, Optional, Sequence

from legacy_towers.cluster.parameter_servers import workers_of
from legacy_towers.cluster.value import Cluster
from legacy_towers.cluster.workers import on_task
from legacy_towers.compat import tf
from legacy_towers.gradients.named import reduction_from
from legacy_towers.inputs import Input
from legacy_towers.step.parameter_servers import check_update_ops
from legacy_towers.step.workers import check_reduction_of_workers, check_workers_can_train
from legacy_towers.update.update_ops import chosen_policy
from legacy_towers.variables.over_workers import strategy_over_workers


def check_before_start(
    cluster: Cluster,
    inputs: Input,
    devices: Sequence[str],
    variables: Any = None,
    reduction: Any = None,
    update_ops: Optional[str] = None,
    backup_workers: int = 0,
) -> None:
    """Raises the errors that `build_train_step` raises for these arguments, as far as no graph has to be built.

    Raises:
      ArgumentError: an argument is out of range.
      InputError: the workers can't divide the data among themselves.
      ClusterError: workers can't train with this strategy or reduction.
    """
    with tf.Graph().as_default():
        workers = workers_of(cluster, backup_workers)
        assert workers is not None
        strategy = strategy_over_workers(variables, on_task(cluster, devices), cluster)
        check_workers_can_train(strategy, workers)
        check_update_ops(chosen_policy(update_ops, strategy), strategy, workers)
        if reduction is not None:
            check_reduction_of_workers(reduction_from(reduction), strategy, bool(cluster.parameter_servers))
        inputs.of_worker(workers)
