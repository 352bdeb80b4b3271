"""tf.contrib.distribute of TensorFlow 1.8 to 1.15: strategies, with the names, methods and arguments of each version.

Up to 1.12 a replica is a tower, and code is written with `call_for_each_tower`; see `tower_methods`.
"""
from legacy_towers.compat.tf1.contrib.distribute.contexts import (
    TowerContext,
    get_cross_tower_context,
    get_distribution_strategy,
    get_replica_context,
    get_tower_context,
    require_tower_context,
)
from legacy_towers.compat.tf1.contrib.distribute.monitor import Monitor
from legacy_towers.compat.tf1.contrib.distribute.reductions import (
    AllReduceCrossDeviceOps,
    AllReduceCrossTowerOps,
    CrossTowerOps,
    ReductionToOneDeviceCrossTowerOps,
)
from legacy_towers.compat.tf1.contrib.distribute.step_fn import StandardInputStep, StandardSingleLossStep, Step
from legacy_towers.compat.tf1.contrib.distribute.strategies import (
    CollectiveAllReduceStrategy,
    MirroredStrategy,
    OneDeviceStrategy,
    ParameterServerStrategy,
)
from legacy_towers.compat.tf1.contrib.private.strategies import (
    CrossDeviceOps,
    DistributeConfig,
    StrategyExtendedV1,
    StrategyV1,
    UpdateContext,
    get_cross_replica_context,
    require_replica_context,
    run_standard_tensorflow_server,
)
from legacy_towers.compat.versions import tf

DistributionStrategy = StrategyV1
DistributionStrategyExtended = StrategyExtendedV1
ReductionToOneDeviceCrossDeviceOps = ReductionToOneDeviceCrossTowerOps
ReplicaContext = tf.distribute.ReplicaContext
get_loss_reduction = tf.distribute.get_loss_reduction
get_strategy = tf.distribute.get_strategy
has_distribution_strategy = tf.distribute.has_strategy
has_strategy = tf.distribute.has_strategy
in_cross_replica_context = tf.distribute.in_cross_replica_context

__all__ = [
    "AllReduceCrossDeviceOps",
    "AllReduceCrossTowerOps",
    "CollectiveAllReduceStrategy",
    "CrossDeviceOps",
    "CrossTowerOps",
    "DistributeConfig",
    "DistributionStrategy",
    "DistributionStrategyExtended",
    "MirroredStrategy",
    "Monitor",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReductionToOneDeviceCrossDeviceOps",
    "ReductionToOneDeviceCrossTowerOps",
    "ReplicaContext",
    "StandardInputStep",
    "StandardSingleLossStep",
    "Step",
    "TowerContext",
    "UpdateContext",
    "get_cross_replica_context",
    "get_cross_tower_context",
    "get_distribution_strategy",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "get_tower_context",
    "has_distribution_strategy",
    "has_strategy",
    "in_cross_replica_context",
    "require_replica_context",
    "require_tower_context",
    "run_standard_tensorflow_server",
]
