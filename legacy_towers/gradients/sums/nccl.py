"""`nccl`: the towers' gradients all-reduced by NVIDIA's NCCL."""
from typing import Dict, List, Sequence

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.compat.versions import collectives
from legacy_towers.errors import DeviceError
from legacy_towers.gradients.base import ReductionContext
from legacy_towers.gradients.sums.all_reduce import AllReduce
from legacy_towers.tensor_types import DType, Tensor

_DTYPES = (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)


class Nccl(AllReduce):
    """NCCL's all-reduce; see `nccl`."""

    operation = "nccl"

    def supports(self, dtype: DType) -> bool:
        return dtype in _DTYPES

    def all_sum(self, rows: Sequence[Sequence[Tensor]]) -> List[List[Tensor]]:
        return [collectives.nccl_all_sum(tensors) for tensors in rows]

    def check_devices(self, context: ReductionContext) -> None:
        specs = [tf.DeviceSpec.from_string(device_names.canonical(device)) for device in context.devices]
        seen: Dict[str, int] = {}
        for tower, device, spec in zip(context.towers, context.devices, specs):
            if spec.device_type != "GPU":
                raise DeviceError(
                    "{!r} reduces between GPUs, and tower {} is on {!r}: use lt.gradients.mean(), or collective() "
                    "for an all-reduce on CPUs".format(self, tower, device)
                )
            if spec.to_string() in seen:
                raise DeviceError(
                    "{!r} takes one tower per GPU, and towers {} and {} are both on {!r}: use lt.gradients.mean(), or "
                    "collective(), which sums on each device first".format(self, seen[spec.to_string()], tower, device)
                )
            seen[spec.to_string()] = tower
        if len({(spec.job, spec.replica, spec.task) for spec in specs}) > 1:
            raise DeviceError(
                "{!r} reduces between the GPUs of one process, and the towers are in several: {}. Use "
                "lt.gradients.collective()".format(self, ", ".join(map(repr, context.devices)))
            )


def nccl(combine: str = "mean") -> Nccl:
    """Returns the reduction by NCCL, NVIDIA's library for all-reduces between the GPUs of one machine.

        4 towers on 4 GPUs, variables A B

        tower   0     1     2     3                   0        1        2        3
                A0    A1    A2    A3          ->      mean(A)  mean(A)  mean(A)  mean(A)
                B0    B1    B2    B3                  mean(B)  mean(B)  mean(B)  mean(B)

    As with `collective`, every device gets the result, and sparse and empty gradients are reduced as by `mean`.
    bfloat16 is summed in float32. There is one call per variable: wrap it in `bucketed` if there are many small
    variables.

    The graph that this builds is tested, on TF 1.15 and 2.21. Its numbers are not: the tests have no two GPUs.

    Args:
      combine: "mean", weighted if towers have weights, or "sum", which leaves out a tower of weight 0.

    Raises:
      ArgumentError: `combine` is neither.
      DeviceError: (when it runs) a tower is not on a GPU, two are on the same one, or they are in several processes.
      TowerError: (when it runs) as for `mean`, or a dtype is not supported.
    """
    return Nccl(combine)
