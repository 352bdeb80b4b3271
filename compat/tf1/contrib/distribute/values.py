"""tf.contrib.distribute.python.values of TensorFlow 1.8 to 1.12."""
from legacy_towers.compat.tf1.contrib.distribute.batches import (
    MapOutput,
    MultiStepContext,
    PerDeviceDataIterator,
    PerDeviceDataset,
    regroup,
    select_device,
    select_device_mirrored,
)
from legacy_towers.compat.tf1.contrib.private.strategies import (
    DistributedValues,
    Mirrored,
    MirroredVariable,
)
from legacy_towers.compat.tf1.contrib.private.strategies import PerReplica as PerDevice
from legacy_towers.compat.tf1.contrib.private.strategies import SyncOnReadVariable as TowerLocalVariable

__all__ = [
    "DistributedValues",
    "MapOutput",
    "Mirrored",
    "MirroredVariable",
    "MultiStepContext",
    "PerDevice",
    "PerDeviceDataIterator",
    "PerDeviceDataset",
    "TowerLocalVariable",
    "regroup",
    "select_device",
    "select_device_mirrored",
]
