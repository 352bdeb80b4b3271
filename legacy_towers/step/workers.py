"""Training over the workers of a cluster: checks of what works, and the exchange of losses, metrics and votes."""
from typing import Any, Dict, List, NamedTuple, Sequence

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ClusterError
from legacy_towers.gradients.base import Reduction
from legacy_towers.gradients.chain import members_of
from legacy_towers.gradients.sums.add_n import AddN
from legacy_towers.gradients.sums.tree import Tree
from legacy_towers.gradients.transforms.accumulate import Accumulate
from legacy_towers.gradients.transforms.clip import ClipByGlobalNorm, ClipByNorm, ClipByValue
from legacy_towers.gradients.transforms.delayed import Delayed
from legacy_towers.gradients.transforms.densify import Densify
from legacy_towers.gradients.transforms.loss_scale import DynamicLossScale, LossScale
from legacy_towers.gradients.transforms.missing import Missing
from legacy_towers.gradients.transforms.noise import AddNoise
from legacy_towers.gradients.transforms.numerics import CheckNumerics
from legacy_towers.gradients.transforms.scale import Scale
from legacy_towers.gradients.wrappers.base import Wrapper
from legacy_towers.gradients.wrappers.compressed import Compressed
from legacy_towers.step.objective_gradients import ObjectiveGradients
from legacy_towers.step.objectives import Objective
from legacy_towers.step.setup import Setup, StepTowers
from legacy_towers.step.together import StartTogetherHook, StopTogetherHook
from legacy_towers.step.train_step import TrainOpSchedule
from legacy_towers.step.updates import Updates
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.step.worker_times import WorkerTimesHook
from legacy_towers.tensor_types import SessionRunHook, Tensor
from legacy_towers.text.names import counted, quoted
from legacy_towers.variables import LocalSGD, Replicated, Strategy
from legacy_towers.variables.synchronize import operations_of

# Reductions that work over all workers, parameter servers included, and those whose state each worker has itself.
_SHARED = (
    AddN, Tree, ClipByValue, ClipByNorm, ClipByGlobalNorm, Scale, Densify, Missing, LossScale,
)
_OF_EACH_WORKER = (Accumulate, AddNoise, CheckNumerics, Delayed, DynamicLossScale)


def check_workers_can_train(strategy: Strategy, workers: Workers) -> None:
    """Raises ClusterError unless the strategy works over these workers."""
    if isinstance(workers, ParameterServerWorkers):
        if strategy.copies:
            raise ClusterError(
                "the cluster has {}, which {!r} does not use: leave them out, or train with variables="
                "'parameter_server', 'balanced', 'partitioned' or 'asynchronous'".format(
                    counted(len(workers.servers), "parameter server"), strategy
                )
            )
        if strategy.updates == "asynchronous" and workers.backups:
            raise ClusterError(
                "backup_workers is {} with {!r}, where no worker waits for another: leave backup_workers out".format(
                    workers.backups, strategy
                )
            )
        return
    if not strategy.copies:
        raise ClusterError(
            "{!r} keeps variables on parameter servers, and the cluster has none: add tasks of the job ps, or train "
            "with variables='replicated'".format(strategy)
        )
    if not isinstance(strategy, (Replicated, LocalSGD)):
        raise ClusterError(
            "workers of a cluster train with variables='replicated' or 'local_sgd', or by parameter servers, and not "
            "with {!r}".format(strategy)
        )


def check_objective_of_workers(
    objective: Objective, reduction: Reduction, strategy: Strategy, has_servers: bool
) -> None:
    """Raises ClusterError unless the objective and its reduction work over workers."""
    if objective.steps is not None:
        raise ClusterError(
            "workers of a cluster can't train objectives that alternate, such as {!r} with steps={}: leave out the "
            "steps of each lt.Objective to train them jointly".format(objective.name, objective.steps)
        )
    check_reduction_of_workers(reduction, strategy, has_servers)


def check_reduction_of_workers(reduction: Reduction, strategy: Strategy, has_servers: bool) -> None:
    """Raises ClusterError unless the reduction works over workers."""
    for member in members_of(reduction):
        _check_member(member, strategy, has_servers)


def _check_member(member: Reduction, strategy: Strategy, has_servers: bool) -> None:
    inner = member
    while isinstance(inner, Wrapper):
        if has_servers and isinstance(inner, Compressed):
            raise ClusterError("parameter servers sum in 32 bits: leave {!r} out".format(member))
        inner = inner.reduction
    if not isinstance(inner, _SHARED if has_servers else _SHARED + _OF_EACH_WORKER):
        raise ClusterError(
            "workers of a cluster can't reduce gradients by {!r}{}: mean, sum and tree, bucketed of one of these, "
            "clipping, scale, loss_scale, missing and densify work{}".format(
                member, " with parameter servers" if isinstance(inner, _OF_EACH_WORKER) else "",
                "" if has_servers else
                ", and compressed, accumulate, delayed, check_numerics, dynamic_loss_scale and add_noise with a seed",
            )
        )
    if strategy.updates == "own" and isinstance(inner, (LossScale, DynamicLossScale, AddNoise)):
        raise ClusterError(
            "workers of a cluster can't train with {!r} and {!r}: {}".format(
                strategy, member, "their towers would have the same noise" if isinstance(inner, AddNoise) else
                "a step that one of them skips would not be skipped by the others",
            )
        )
    if isinstance(inner, AddNoise) and inner.seed is None:
        raise ClusterError(
            "{!r} needs a seed over workers, or their noise would not be that of one process: "
            "lt.gradients.add_noise(..., seed=1)".format(member)
        )


def check_towers_of_workers(towers: StepTowers) -> None:
    """Raises ClusterError where towers exchange what workers don't, or validate."""
    if towers.validating:
        raise ClusterError(
            "towers {} validate, which workers of a cluster can't yet: train on all towers".format(
                [tower.index for tower in towers.validating]
            )
        )
    if towers.cross_tower.layers:
        raise ClusterError(
            "{} pass tensors between the towers of one process, not between workers: use "
            "tf.layers.batch_normalization".format(quoted(towers.cross_tower.layers))
        )


class Exchanged(NamedTuple):
    """What the workers exchange in each step besides gradients and statistics.

    Attributes:
      gradients: of each objective, with the loss over all workers.
      metrics: name -> scalar tensor, the mean over all workers' towers.
      watch: the hook to run first: it notices workers that don't answer.
      start: the hook to run next: one start for all.
      stop: the hook to run last: one end for all.
      times: the hook that finds out which worker the others wait for.
      needed: tensors that each step has to compute.
    """

    gradients: List[ObjectiveGradients]
    metrics: Dict[str, Tensor]
    watch: WatchWorkersHook
    start: SessionRunHook
    stop: StopTogetherHook
    times: WorkerTimesHook
    needed: List[Tensor]


def exchange(setup: Setup, gradients: Sequence[ObjectiveGradients], metrics: Dict[str, Tensor]) -> Exchanged:
    """Returns losses and metrics over all workers, by one all-reduce, which takes votes to stop and times too.

    Args:
      gradients: of each objective, with the loss over the towers of this worker.
      metrics: name -> scalar tensor, the mean over the towers of this worker.
    """
    workers = setup.options.workers
    assert workers is not None
    names = sorted(metrics)
    own = [each.loss for each in gradients] + [metrics[name] for name in names]
    with tf.device(workers.device), tf.name_scope("over_workers"):
        vote = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="stop_vote")
        values = tf.stack([tf.cast(each, tf.float64) for each in own])
        if setup.tower_weights is None:
            values = values / tf.constant(workers.size, tf.float64)
        busy = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="busy_seconds")
        slot = tf.one_hot(workers.index, workers.size, dtype=tf.float64)
        sent = tf.concat([values, slot * vote, slot * busy], axis=0)
        vector = workers.sum(sent, "losses, metrics {}".format(quoted(names)))
        means = [tf.cast(vector[position], each.dtype) for position, each in enumerate(own)]
        votes = tf.identity(vector[len(own):len(own) + workers.size], name="stop_votes")
        all_busy = tf.identity(vector[len(own) + workers.size:], name="busy_seconds_of_all")
        start_votes = workers.all_gather(vote, "votes to stop before the first step")
    losses = means[:len(gradients)]
    return Exchanged(
        [each._replace(loss=loss) for each, loss in zip(gradients, losses)],
        dict(zip(names, means[len(gradients):])),
        WatchWorkersHook(workers.cluster),
        StartTogetherHook(workers, fingerprint_of(setup)),
        StopTogetherHook(workers, vote, votes, start_votes, vector),
        WorkerTimesHook(workers, busy, all_busy, vector),
        [vector],
    )


def of_workers(setup: Setup, updates: Updates, exchanged: Exchanged) -> Updates:
    """Returns updates whose train op runs what the workers exchange in each step, with the hooks for that."""
    if isinstance(setup.strategy, LocalSGD):
        with tf.name_scope("average_at_end"):
            operations = operations_of(setup.variables)
            with tf.control_dependencies([operations.average()]):
                averaged = operations.mark_averaged(True)
        exchanged.watch.at_end = lambda session: session.run(averaged)
        exchanged.stop.step_multiple = setup.strategy.sync_every
    together = tf.group(*(updates.schedule.all_ops + exchanged.needed), name="train_op_of_workers")
    exchanged.times.measure(together)
    return updates._replace(
        schedule=TrainOpSchedule({}, [], together),
        hooks=[exchanged.watch, exchanged.start] + updates.hooks + [exchanged.times, exchanged.stop],
    )


def fingerprint_of(setup: Setup) -> str:
    """Returns what must be equal in all workers, besides the variables and what they exchange."""
    options: Any = setup.options
    return repr((
        len(setup.training), options.strategy, options.reduction, options.on_missing, options.update_ops,
        options.moving_average_decay, options.use_resource, options.skip_nonfinite,
        setup.batches.plan.per_tower_batch_size, setup.batches.plan.order, setup.batches.plan.seed,
    ))
