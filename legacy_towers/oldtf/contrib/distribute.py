"""tf.contrib.distribute: the strategies of tf.distribute under the arguments that they had."""
from typing import Any, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.strategies import (
    AllReduceCrossDeviceOps,
    DistributeConfig,
    StandardInputStep,
    StandardSingleLossStep,
    Step,
    StrategyV1,
    UpdateContext,
    get_cross_replica_context,
    require_replica_context,
    run_standard_tensorflow_server,
)

CrossDeviceOps = tf.distribute.CrossDeviceOps
DistributionStrategy = StrategyV1
OneDeviceStrategy = tf.distribute.OneDeviceStrategy
ReplicaContext = tf.distribute.ReplicaContext
get_distribution_strategy = tf.distribute.get_strategy
get_loss_reduction = tf.distribute.get_loss_reduction
get_replica_context = tf.distribute.get_replica_context
get_strategy = tf.distribute.get_strategy
has_distribution_strategy = tf.distribute.has_strategy
has_strategy = tf.distribute.has_strategy
in_cross_replica_context = tf.distribute.in_cross_replica_context

__all__ = [
    "AllReduceCrossDeviceOps",
    "CollectiveAllReduceStrategy",
    "CrossDeviceOps",
    "DistributeConfig",
    "DistributionStrategy",
    "MirroredStrategy",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReplicaContext",
    "StandardInputStep",
    "StandardSingleLossStep",
    "Step",
    "UpdateContext",
    "get_cross_replica_context",
    "get_distribution_strategy",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "has_distribution_strategy",
    "has_strategy",
    "in_cross_replica_context",
    "require_replica_context",
    "run_standard_tensorflow_server",
]


class MirroredStrategy(tf.distribute.MirroredStrategy):
    """A replica with its own variables on each of `devices`, or on the first `num_gpus` GPUs (0: the CPU).

    Raises:
      ValueError: arguments contradict each other.
    """

    def __init__(
        self,
        devices: Optional[Sequence[str]] = None,
        num_gpus: Optional[int] = None,
        num_gpus_per_worker: Optional[int] = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        if cross_device_ops is not None and cross_tower_ops is not None:
            raise ValueError("cross_tower_ops is the older name of cross_device_ops: give one of them")
        if auto_shard_dataset:
            raise ValueError("auto_shard_dataset is for several workers: shard with dataset.shard(...) in the input_fn")
        count = num_gpus if num_gpus is not None else num_gpus_per_worker
        if count is not None:
            if devices is not None:
                raise ValueError("Must only specify one of `devices` and `num_gpus`.")
            devices = ["/device:GPU:{}".format(number) for number in range(count)] or ["/device:CPU:0"]
        super().__init__(devices, cross_device_ops if cross_device_ops is not None else cross_tower_ops)


class CollectiveAllReduceStrategy(tf.distribute.experimental.MultiWorkerMirroredStrategy):
    """Several workers with a copy of the variables each; their gradients are summed by collective operations."""

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        if communication is None:
            super().__init__()
        else:
            super().__init__(communication)
        self._asked_gpus = num_gpus_per_worker


class ParameterServerStrategy(tf.distribute.experimental.ParameterServerStrategy):
    """Variables on the parameter servers of TF_CONFIG."""

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        cluster = tf.distribute.cluster_resolver.SimpleClusterResolver(
            cluster_spec=resolver.cluster_spec(),
            task_type=resolver.task_type,
            task_id=resolver.task_id,
            num_accelerators={"GPU": num_gpus_per_worker},
        )
        super().__init__(cluster)
