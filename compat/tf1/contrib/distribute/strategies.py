"""The strategies of tf.contrib.distribute and tf.distribute, with the arguments of TensorFlow 1.8 to 1.15."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.contrib.distribute import reductions
from legacy_towers.compat.tf1.contrib.distribute.tower_methods import TowerMethods
from legacy_towers.compat.tf1.contrib.private import strategies
from legacy_towers.compat.versions import tf


class _CoreMethods(TowerMethods):
    """The methods of tf.distribute's strategies."""

    unwrap = strategies.StrategyV1.unwrap  # of 1.14 and 1.15, which returns a tuple


def _named(name: str) -> Callable[[type], type]:
    """Returns a decorator that gives a class the name that Keras and Estimators look at."""

    def decorate(strategy: type) -> type:
        strategy.__name__ = strategy.__qualname__ = name
        return strategy

    return decorate


@_named("MirroredStrategy")
class CoreMirroredStrategy(_CoreMethods, strategies.MirroredStrategyV1):
    """tf.distribute.MirroredStrategy, with the methods of TensorFlow 1.13 too.

    Gradients are reduced by NCCL only if there is a GPU for each replica.

    Args:
      devices: the devices of the replicas; None: all GPUs, or the CPU.
      cross_device_ops: the tf.distribute.CrossDeviceOps that reduces gradients.
    """

    def __init__(self, devices: Optional[Sequence[str]] = None, cross_device_ops: Any = None) -> None:
        devices = user_script.strategy_devices(devices) if devices else None
        super().__init__(devices, _with_enough_gpus(devices, cross_device_ops))


@_named("OneDeviceStrategy")
class CoreOneDeviceStrategy(_CoreMethods, tf.distribute.OneDeviceStrategy):
    """tf.distribute.OneDeviceStrategy."""

    def __init__(self, device: str) -> None:
        super().__init__(user_script.strategy_devices([device])[0])


class MirroredStrategy(TowerMethods, strategies.MirroredStrategyV1):
    """Mirrors variables on several devices of one machine.

    A batch of a dataset is the batch of one replica, in Keras's `fit` too.

    Args:
      devices: the devices of the replicas.
      num_gpus: takes the first `num_gpus` GPUs; 0 takes the CPU. Not with `devices`.
      num_gpus_per_worker: another name of `num_gpus`.
      cross_device_ops: the tf.distribute.CrossDeviceOps that reduces gradients.
      auto_shard_dataset: whether to give each worker other data; in one process it has no effect.
      cross_tower_ops: the older name of `cross_device_ops`.
      prefetch_on_device: whether `distribute_dataset` reads the elements of the next step ahead; None: yes.

    Raises:
      ValueError: arguments contradict each other.
    """

    def __init__(
        self,
        devices: Any = None,
        num_gpus: Optional[int] = None,
        num_gpus_per_worker: Any = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: Any = False,
        cross_tower_ops: Any = None,
        prefetch_on_device: Optional[bool] = None,
    ) -> None:
        given = [num_gpus_per_worker, cross_device_ops, auto_shard_dataset]
        # By position, TensorFlow 1.8 has the cross_tower_ops third, and prefetch_on_device fourth.
        if isinstance(given[0], strategies.CrossDeviceOps):
            given = [None, given[0], False]
            if isinstance(cross_device_ops, bool):
                prefetch_on_device = cross_device_ops
        elif isinstance(given[1], bool):  # TensorFlow 1.12 has no cross_device_ops
            raise ValueError("cross_device_ops must be a tf.distribute.CrossDeviceOps, got {}".format(given[1]))
        if num_gpus is not None and given[0] is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        if given[1] is not None and cross_tower_ops is not None:
            raise ValueError("cross_tower_ops is the older name of cross_device_ops: pass only one of them")
        count = num_gpus if num_gpus is not None else given[0]
        if count is not None:
            if devices is not None:
                raise ValueError("Must only specify one of `devices` and `num_gpus`.")
            devices = ["/device:GPU:{}".format(number) for number in range(count)] or ["/device:CPU:0"]
        devices = user_script.strategy_devices(devices) if devices else None
        reduction = _with_enough_gpus(devices, given[1] if given[1] is not None else cross_tower_ops)
        self.prefetch_on_device = prefetch_on_device
        # Not MirroredStrategyV1.__init__, which makes the implementation whose batches are those of all replicas.
        strategies.StrategyV1.__init__(self, strategies.PerReplicaBatches(self, devices, reduction))


class OneDeviceStrategy(TowerMethods, tf.distribute.OneDeviceStrategy):
    """Places everything on one device.

    Args:
      device: the device.
      prefetch_on_device: whether `distribute_dataset` reads the elements of the next step ahead; None: yes.
    """

    def __init__(self, device: str, prefetch_on_device: Optional[bool] = None) -> None:
        super().__init__(user_script.strategy_devices([device])[0])
        self.prefetch_on_device = prefetch_on_device


class CollectiveAllReduceStrategy(TowerMethods, strategies.CollectiveAllReduceStrategy):
    """Mirrors variables on several workers and reduces gradients by collective operations.

    Args:
      num_gpus_per_worker: the number of GPUs of each worker; 0: the CPU.
      communication: a tf.distribute.experimental.CollectiveCommunication.
    """

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        options: Dict[str, Any] = {} if communication is None else {"communication": communication}
        options.update(strategies.gpus_per_worker(num_gpus_per_worker, _resolver))
        super().__init__(**options)


class ParameterServerStrategy(TowerMethods, tf.distribute.experimental.ParameterServerStrategy):
    """Places variables on the parameter servers of TF_CONFIG, and computation on its workers.

    Without TF_CONFIG, variables are on the CPU, or on the GPU if there is one, and each GPU is a tower.

    Args:
      num_gpus_per_worker: the number of GPUs of each worker; 0: the CPU.
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        super().__init__(_resolver(num_gpus_per_worker))


@_named("CentralStorageStrategy")
class CoreCentralStorageStrategy(_CoreMethods, tf.distribute.experimental.CentralStorageStrategy):
    """tf.distribute.experimental.CentralStorageStrategy, with the methods of TensorFlow 1.15 too."""


@_named("CollectiveAllReduceStrategy")
class CoreMultiWorkerMirroredStrategy(_CoreMethods, tf.distribute.experimental.MultiWorkerMirroredStrategy):
    """tf.distribute.experimental.MultiWorkerMirroredStrategy, with the methods of TensorFlow 1.15 too."""


@_named("ParameterServerStrategy")
class CoreParameterServerStrategy(_CoreMethods, tf.distribute.experimental.ParameterServerStrategy):
    """tf.distribute.experimental.ParameterServerStrategy, with the methods of TensorFlow 1.15 too."""


def _resolver(gpus: int) -> Any:
    of_config = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster_spec=of_config.cluster_spec(),
        task_type=of_config.task_type,
        task_id=of_config.task_id,
        num_accelerators={"GPU": gpus},
    )


def _with_enough_gpus(devices: Optional[Sequence[str]], cross_device_ops: Any) -> Any:
    """Returns `cross_device_ops`, or a reduction to one device where TensorFlow's default would need more GPUs."""
    if cross_device_ops is not None or not devices:
        return cross_device_ops
    named: List[str] = [str(device) for device in devices]
    if len(named) == 1 or reductions.has_gpus(named):
        return None
    return reductions.ReductionToOneDeviceCrossTowerOps()
