"""tf.contrib.distribute: the strategies of tf.distribute with the arguments of tf.contrib."""
from typing import Any, Optional, Sequence

from legacy_towers.compat.tf1.contrib.private.strategies import (
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
from legacy_towers.compat.versions import tf

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
    """Mirrors variables on several devices of one machine.

    Args:
      devices: the devices of the replicas.
      num_gpus: takes the first `num_gpus` GPUs; 0 takes the CPU. Not with `devices`.
      num_gpus_per_worker: another name of `num_gpus`.
      cross_device_ops: the tf.distribute.CrossDeviceOps that reduces gradients.
      auto_shard_dataset: must be False.
      cross_tower_ops: the older name of `cross_device_ops`.

    Raises:
      ValueError: arguments contradict each other, or `auto_shard_dataset` is True.
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
            raise ValueError("cross_tower_ops is the older name of cross_device_ops: pass only one of them")
        if auto_shard_dataset:
            raise ValueError(
                "auto_shard_dataset=True is not supported: call dataset.shard(num_workers, index) in the input_fn"
            )
        count = num_gpus if num_gpus is not None else num_gpus_per_worker
        if count is not None:
            if devices is not None:
                raise ValueError("Must only specify one of `devices` and `num_gpus`.")
            devices = ["/device:GPU:{}".format(number) for number in range(count)] or ["/device:CPU:0"]
        super().__init__(devices, cross_device_ops if cross_device_ops is not None else cross_tower_ops)


class CollectiveAllReduceStrategy(tf.distribute.experimental.MultiWorkerMirroredStrategy):
    """Mirrors variables on several workers and reduces gradients by collective operations."""

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        if communication is None:
            super().__init__()
        else:
            super().__init__(communication)
        # TensorFlow 2.x takes all GPUs of a worker.
        self._num_gpus_per_worker = num_gpus_per_worker


class ParameterServerStrategy(tf.distribute.experimental.ParameterServerStrategy):
    """Places variables on the parameter servers of TF_CONFIG, and computation on its workers."""

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        cluster = tf.distribute.cluster_resolver.SimpleClusterResolver(
            cluster_spec=resolver.cluster_spec(),
            task_type=resolver.task_type,
            task_id=resolver.task_id,
            num_accelerators={"GPU": num_gpus_per_worker},
        )
        super().__init__(cluster)
