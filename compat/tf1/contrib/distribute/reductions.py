"""CrossTowerOps: how gradients of towers are combined, with the arguments of TensorFlow 1.8 to 1.13.

NCCL needs a GPU per tower. Where there are fewer, the values are copied to one device and added there, and a line
reports it.
"""
from typing import Any, List, Sequence

from legacy_towers.compat.patches import default_sessions
from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.contrib.distribute import operations
from legacy_towers.compat.tf1.contrib.private import strategies
from legacy_towers.compat.versions import tf

CrossTowerOps = strategies.CrossDeviceOps


class _OldArguments:
    """A mixin of CrossTowerOps: their methods take the arguments of TensorFlow 1.8 and 1.12 too."""

    def reduce(
        self,
        reduce_op: Any = None,
        per_replica_value: Any = None,
        destinations: Any = None,
        options: Any = None,
        aggregation: Any = None,
        method_string: Any = None,
        per_device_value: Any = None,
    ) -> Any:
        """Reduces a per-tower value to `destinations`; `reduce_op` may be "mean", "sum" or a tf.VariableAggregation."""
        operation = operations.reduce_op(operations.only_one(reduce_op, aggregation, method_string))
        value = per_replica_value if per_device_value is None else per_device_value
        further = () if options is None else (options,)
        return super().reduce(operation, value, destinations, *further)  # type: ignore[misc]

    def batch_reduce(
        self,
        reduce_op: Any = None,
        value_destination_pairs: Any = None,
        options: Any = None,
        aggregation: Any = None,
        method_string: Any = None,
    ) -> Any:
        """Reduces several (value, destinations); see `reduce`."""
        operation = operations.reduce_op(operations.only_one(reduce_op, aggregation, method_string))
        further = () if options is None else (options,)
        return super().batch_reduce(operation, value_destination_pairs, *further)  # type: ignore[misc]


class ReductionToOneDeviceCrossTowerOps(_OldArguments, strategies.ReductionToOneDevice):
    """Copies the values to one device, adds them there, and copies the sum to the towers.

    Args:
      reduce_to_device: the device; None: the first destination.
      accumulation_fn: the function that adds a list of tensors; None: tf.add_n.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        super().__init__(reduce_to_device, accumulation_fn)


class AllReduceCrossDeviceOps(_OldArguments, strategies.AllReduceCrossDeviceOps):
    """Adds the gradients of all towers with NCCL or in a hierarchy of copies.

    Args:
      all_reduce_alg: "nccl" or "hierarchical_copy".
      num_packs: the number of tensors into which the gradients are packed; 0: not packed.
      agg_small_grads_max_bytes: TensorFlow 1.8 and 1.12 packed gradients up to this size together if `num_packs` is 0;
        no longer has an effect, and changes no sum.
      agg_small_grads_max_group: how many of them at most; no longer has an effect either.
    """

    def __init__(
        self,
        all_reduce_alg: str = "nccl",
        num_packs: int = 1,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        super().__init__(all_reduce_alg, num_packs)
        self._reported = "all_reduce_alg={!r}".format(all_reduce_alg)

    def _batch_all_reduce(self, reduce_op: Any, per_replica_values: Any) -> Any:
        devices = devices_of(per_replica_values[0])
        if has_gpus(devices):
            return super()._batch_all_reduce(reduce_op, per_replica_values)
        report_copies(self._reported, devices)
        copied = strategies.ReductionToOneDevice()
        return copied.batch_reduce(reduce_op, [(value, value) for value in per_replica_values])


AllReduceCrossTowerOps = AllReduceCrossDeviceOps


class NcclAllReduce(AllReduceCrossDeviceOps):
    """tf.distribute.NcclAllReduce, which copies where there are not enough GPUs."""

    def __init__(self, num_packs: int = 1) -> None:
        super().__init__("nccl", num_packs)
        self._reported = "tf.distribute.NcclAllReduce"


def choose_the_best(devices: Sequence[str], session_config: Any = None) -> Any:
    """Returns the CrossTowerOps for towers on `devices`: NCCL for several GPUs, else a reduction to one device."""
    names = [str(device) for device in devices]
    if len(names) > 1 and has_gpus(names):
        return AllReduceCrossTowerOps("nccl")
    return ReductionToOneDeviceCrossTowerOps()


def devices_of(value: Any) -> List[str]:
    """Returns the devices of a per-tower value."""
    found = getattr(value, "_devices", None)
    return [str(device) for device in (found if found is not None else value.devices)]


def has_gpus(devices: Sequence[str]) -> bool:
    """Returns whether each of `devices` is a GPU that this machine has."""
    specs = [tf.DeviceSpec.from_string(device) for device in devices]
    return all(spec.device_type == "GPU" for spec in specs) and (
        max([spec.device_index or 0 for spec in specs]) < default_sessions.gpu_count()
    )


def report_copies(what: str, devices: Sequence[str]) -> None:
    """Reports that the gradients of towers on `devices` are copied to one device, in place of `what`."""
    number = default_sessions.gpu_count()
    user_script.report_replacement(
        what,
        "a copy of the values to one device, because the {} towers have {} GPU{}".format(
            len(devices), number or "no", "s" if number > 1 else ""
        ),
    )
