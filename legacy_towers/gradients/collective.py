"""The towers' gradients all-reduced by TensorFlow's collective operations."""
from typing import Any, List, Sequence

from legacy_towers.compat import collectives, tf
from legacy_towers.gradients.all_reduce import AllReduce


class Collective(AllReduce):
    """TensorFlow's collective all-reduce; see `collective`."""

    how = "collective"

    def carries(self, dtype: Any) -> bool:
        return collectives.sums_in(dtype)

    def all_sum(self, rows: Sequence[Sequence[Any]]) -> List[List[Any]]:
        instances = collectives.free_instance_keys(tf.get_default_graph(), len(rows))
        return [
            collectives.all_reduce_sum(tensors, collectives.group_key([each.device for each in tensors]), instance)
            for tensors, instance in zip(rows, instances)
        ]


def collective(combine: str = "mean") -> Collective:
    """Returns the reduction by TensorFlow's own collective operations: a ring over the towers' devices.

        4 towers, variables A B; each gradient travels around the ring in as many parts as there are devices

        tower   0     1     2     3                   0        1        2        3
                A0    A1    A2    A3          ->      mean(A)  mean(A)  mean(A)  mean(A)
                B0    B1    B2    B3                  mean(B)  mean(B)  mean(B)  mean(B)

    Every device ends with the result, the same to the last bit, where it is wanted if each tower has variables of its
    own. Where towers share their variables, the one on the variable's device is taken, or else that of the first device
    in the variable's process. Towers on the same device are added up there first.

    Sparse gradients and those without elements go the way of `mean`. float16 and bfloat16 are summed as they are on
    TF 2.x, and in float32 on 1.15, which can't. On one machine's CPU this is slower than `mean`: measure.

    A session in which a device of the group is missing would wait for ever. So a hook refuses it before the first
    step, as well as towers in several processes without `lt.session_config(collective_leader=...)`; a single process
    needs no configuration. `lt.build_train_step` puts it among the step's hooks; beside `lt.reduce_gradients` it is in
    `collective().hooks(reduced.site)`. In a session without it use no soft placement: TensorFlow then refuses a missing
    device itself.

    Args:
      combine: "mean", weighed where towers have weights, or "sum", from which a tower of weight 0 is left out.

    Raises:
      ArgumentError: `combine` is neither.
      DeviceError: (when it runs) a tower's device is not named by its number.
      TowerError: (when it runs) as for `mean`.
    """
    return Collective(combine)
