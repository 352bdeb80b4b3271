"""Training over the workers of a cluster: checks of what works."""
from legacy_towers.cluster.parameter_servers import ParameterServerWorkers
from legacy_towers.cluster.workers import Workers
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
from legacy_towers.step.objectives import Objective
from legacy_towers.step.setup import StepTowers
from legacy_towers.text.names import counted, quoted
from legacy_towers.variables import LocalSGD, Replicated, Strategy

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
