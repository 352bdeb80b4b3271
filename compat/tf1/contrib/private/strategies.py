"""Names of tf.contrib.distribute that TensorFlow keeps in private modules."""
from tensorflow.python.distribute import cross_device_ops as _cross_device_ops

# Private API: tested on 1.15 and 2.21.
from tensorflow.python.distribute.distribute_config import DistributeConfig
from tensorflow.python.distribute.distribute_coordinator import run_standard_tensorflow_server
from tensorflow.python.distribute.distribute_lib import StrategyV1
from tensorflow.python.distribute.step_fn import StandardInputStep, StandardSingleLossStep, Step

try:
    from tensorflow.python.distribute.distribute_lib import (
        UpdateContext,
        get_cross_replica_context,
        require_replica_context,
    )
except ImportError:  # TensorFlow 1.15
    from tensorflow.python.distribute.distribute_lib import UpdateContext
    from tensorflow.python.distribute.distribution_strategy_context import (
        get_cross_replica_context,
        require_replica_context,
    )

AllReduceCrossDeviceOps = _cross_device_ops.AllReduceCrossDeviceOps
# Ended with 2.x: several workers reduce by collectives there.
MultiWorkerAllReduce = getattr(_cross_device_ops, "MultiWorkerAllReduce", None)

__all__ = [
    "AllReduceCrossDeviceOps",
    "DistributeConfig",
    "MultiWorkerAllReduce",
    "StandardInputStep",
    "StandardSingleLossStep",
    "Step",
    "StrategyV1",
    "UpdateContext",
    "get_cross_replica_context",
    "require_replica_context",
    "run_standard_tensorflow_server",
]
