"""`collective`: the towers' gradients all-reduced by TensorFlow's collective operations."""
from typing import List, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions import collectives
from legacy_towers.gradients.sums.all_reduce import AllReduce
from legacy_towers.tensor_types import DType, Tensor


class Collective(AllReduce):
    """TensorFlow's collective all-reduce; see `collective`."""

    operation = "collective"

    def supports(self, dtype: DType) -> bool:
        return collectives.supports_sum(dtype)

    def all_sum(self, rows: Sequence[Sequence[Tensor]]) -> List[List[Tensor]]:
        instances = collectives.free_instance_keys(tf.get_default_graph(), len(rows))
        return [
            collectives.all_reduce_sum(tensors, collectives.group_key([each.device for each in tensors]), instance)
            for tensors, instance in zip(rows, instances)
        ]


def collective(combine: str = "mean") -> Collective:
    """Returns the reduction by TensorFlow's collective operations: a ring all-reduce over the towers' devices.

        4 towers, variables A B; each gradient is split into as many chunks as there are devices

        tower   0     1     2     3                   0        1        2        3
                A0    A1    A2    A3          ->      mean(A)  mean(A)  mean(A)  mean(A)
                B0    B1    B2    B3                  mean(B)  mean(B)  mean(B)  mean(B)

    Every device gets the same result, bit for bit. If each tower has its own copy of the variables, each uses the one
    on its device. If towers share the variables, the result on the variable's device is used, or else that of the first
    device in the variable's process. Towers on the same device are summed there first.

    Sparse gradients and those without elements are reduced as by `mean`. float16 and bfloat16 are summed as they are on
    TF 2.x, and in float32 on 1.15, which can't sum them. On the CPUs of one machine this is slower than `mean`:
    measure.

    In a session without one of the group's devices the all-reduce would never finish. A hook rejects such a session
    before the first step, as well as towers in several processes without `lt.session_config(collective_leader=...)`; a
    single process needs no configuration. `lt.build_train_step` adds the hook to the step's hooks; with
    `lt.reduce_gradients` it is in `collective().hooks(reduced.context)`. In a session without the hook leave soft
    placement off: TensorFlow then rejects a missing device itself.

    Args:
      combine: "mean", weighted if towers have weights, or "sum", which leaves out a tower of weight 0.

    Raises:
      ArgumentError: `combine` is neither.
      DeviceError: (when it runs) a tower's device string has no type or index.
      TowerError: (when it runs) as for `mean`, or a dtype is not supported.

    Source of the method: ring all-reduce: Patarasuk, Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters
    of workstations"; the operations are those of `tf.distribute.MultiWorkerMirroredStrategy`.
    """
    return Collective(combine)
