"""What tf.contrib.distribute needs of TensorFlow's private modules of strategies."""
from typing import Any, Callable, Dict, Sequence

from tensorflow.python.distribute import cross_device_ops as _cross_device_ops
from tensorflow.python.distribute import distribute_lib as _distribute_lib
from tensorflow.python.distribute import input_lib as _input_lib
from tensorflow.python.distribute import mirrored_strategy as _mirrored
from tensorflow.python.distribute import values as _values

# Private API: tested on 1.15 and 2.21.
from tensorflow.python.distribute.distribute_config import DistributeConfig
from tensorflow.python.distribute.distribute_coordinator import run_standard_tensorflow_server
from tensorflow.python.distribute.distribute_lib import StrategyV1, UpdateContext, require_replica_context

from legacy_towers.compat.versions import tf

try:
    from tensorflow.python.distribute.distribute_lib import get_cross_replica_context
except ImportError:  # TensorFlow 1.15
    from tensorflow.python.distribute.distribution_strategy_context import get_cross_replica_context

try:
    # Only this class of TensorFlow 1.15 takes the number of GPUs.
    from tensorflow.contrib.distribute import CollectiveAllReduceStrategy
except ImportError:
    CollectiveAllReduceStrategy = tf.distribute.experimental.MultiWorkerMirroredStrategy

AllReduceCrossDeviceOps = _cross_device_ops.AllReduceCrossDeviceOps
CrossDeviceOps = _cross_device_ops.CrossDeviceOps
ReductionToOneDevice = _cross_device_ops.ReductionToOneDevice
DistributedValues = _values.DistributedValues
Mirrored = _values.Mirrored
PerReplica = _values.PerReplica
MirroredVariable = _values.MirroredVariable
SyncOnReadVariable = _values.SyncOnReadVariable
MirroredStrategyV1 = _mirrored.MirroredStrategyV1
StrategyExtendedV1 = _distribute_lib.StrategyExtendedV1
MultiStepContext = getattr(_input_lib, "MultiStepContext", None) or _values.MultiStepContext

__all__ = [
    "AllReduceCrossDeviceOps",
    "CollectiveAllReduceStrategy",
    "CrossDeviceOps",
    "DistributeConfig",
    "DistributedValues",
    "Mirrored",
    "MirroredStrategyV1",
    "MirroredVariable",
    "MultiStepContext",
    "PerReplica",
    "PerReplicaBatches",
    "ReductionToOneDevice",
    "StrategyExtendedV1",
    "StrategyV1",
    "SyncOnReadVariable",
    "UpdateContext",
    "get_cross_replica_context",
    "get_update_device",
    "gpus_per_worker",
    "regrouped",
    "require_replica_context",
    "run_standard_tensorflow_server",
    "scaled_losses",
    "selected",
]


class PerReplicaBatches(_mirrored.MirroredExtended):
    """The implementation of MirroredStrategy where a batch of the dataset is that of one replica, not of all."""

    # Keras reads it.
    _global_batch_size = property(lambda self: False)

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        return self._make_input_fn_iterator(lambda context: dataset)


def gpus_per_worker(number: int, resolver: Callable[[int], Any]) -> Dict[str, Any]:
    """Returns the arguments of `CollectiveAllReduceStrategy` for `number` GPUs; `resolver` makes a cluster resolver."""
    if CollectiveAllReduceStrategy is tf.distribute.experimental.MultiWorkerMirroredStrategy:
        return {"cluster_resolver": resolver(number)}
    return {"num_gpus_per_worker": number}


def regrouped(strategy: Any, values: Sequence[Any], mirrored: bool = False) -> Any:
    """Returns the nested structure of per-replica values made of one structure for each replica.

    Args:
      strategy: the strategy, with as many replicas as there are `values`.
      values: the structures; a leaf that is the same object in all stays as it is.
      mirrored: whether the values of the replicas are equal.
    """
    wrapper = Mirrored if mirrored else PerReplica
    if len(values) == 1:
        return values[0]
    if hasattr(_values, "regroup"):  # TensorFlow 1.15
        return _values.regroup(strategy.extended._device_map, tuple(values), wrapper)
    from tensorflow.python.distribute import distribute_utils

    return distribute_utils.regroup(tuple(values), wrapper)


def selected(replica: int, structure: Any) -> Any:
    """Returns the nested structure of the values that the per-replica values in `structure` have for `replica`."""
    if hasattr(_values, "select_replica"):  # TensorFlow 1.15
        return _values.select_replica(replica, structure)
    from tensorflow.python.distribute import distribute_utils

    return distribute_utils.select_replica(replica, structure)


def scaled_losses(strategy: Any) -> Any:
    """Returns a context in which optimizers divide a loss by the number of replicas, so that gradients are averaged."""
    return strategy._scale_loss_for_estimator_enabled()


def get_update_device() -> Any:
    """Returns the device in the function of `Strategy.update`, None outside of it."""
    get = getattr(_distribute_lib, "get_update_device", None)  # TensorFlow 1.15
    if get is not None:
        return get()
    replica = _distribute_lib.get_update_replica_id()
    return None if replica is None else tf.distribute.get_strategy().extended.worker_devices[int(replica)]
