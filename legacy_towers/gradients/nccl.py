"""The towers' gradients all-reduced by NVIDIA's NCCL."""
from typing import Any, Dict, List, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat import collectives, tf
from legacy_towers.errors import DeviceError
from legacy_towers.gradients.all_reduce import AllReduce
from legacy_towers.gradients.base import Site

_DTYPES = (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)


class Nccl(AllReduce):
    """NCCL's all-reduce; see `nccl`."""

    how = "nccl"

    def carries(self, dtype: Any) -> bool:
        return dtype in _DTYPES

    def all_sum(self, rows: Sequence[Sequence[Any]]) -> List[List[Any]]:
        return [collectives.nccl_all_sum(tensors) for tensors in rows]

    def check_devices(self, site: Site) -> None:
        specs = [tf.DeviceSpec.from_string(devices_room.canonical(device)) for device in site.devices]
        seen: Dict[str, int] = {}
        for tower, device, spec in zip(site.towers, site.devices, specs):
            if spec.device_type != "GPU":
                raise DeviceError(
                    "{!r} reduces between GPUs, and tower {} is on {!r}: use lt.gradients.mean(), or collective() "
                    "where it has to be an all-reduce".format(self, tower, device)
                )
            if spec.to_string() in seen:
                raise DeviceError(
                    "{!r} takes one tower per GPU, and towers {} and {} are both on {!r}: use lt.gradients.mean(), or "
                    "collective(), which adds up on a device first".format(self, seen[spec.to_string()], tower, device)
                )
            seen[spec.to_string()] = tower
        if len({(spec.job, spec.replica, spec.task) for spec in specs}) > 1:
            raise DeviceError(
                "{!r} reduces between the GPUs of one process, and the towers' are in several: {}. Use "
                "lt.gradients.collective()".format(self, ", ".join(map(repr, site.devices)))
            )


def nccl(combine: str = "mean") -> Nccl:
    """Returns the reduction by NCCL, NVIDIA's all-reduce over the links between the GPUs of one machine.

        4 towers on 4 GPUs, variables A B

        tower   0     1     2     3                   0        1        2        3
                A0    A1    A2    A3          ->      mean(A)  mean(A)  mean(A)  mean(A)
                B0    B1    B2    B3                  mean(B)  mean(B)  mean(B)  mean(B)

    What `collective` says of where the result is, of sparse and of empty gradients, is so here too; bfloat16 is summed
    in float32. One call per variable: put `packed` around it where there are many small ones.

    The graph that this builds is tested, on TF 1.15 and 2.21. Its numbers are not: the tests have no two GPUs.

    Args:
      combine: "mean", weighed where towers have weights, or "sum", from which a tower of weight 0 is left out.

    Raises:
      ArgumentError: `combine` is neither.
      DeviceError: (when it runs) a tower is on no GPU, two are on the same, or they are in several processes.
      TowerError: (when it runs) as for `mean`.
    """
    return Nccl(combine)
