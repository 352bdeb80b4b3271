"""TensorFlow's collective all-reduce and NVIDIA's NCCL: each device of a group gets the sum over the group.

A session run that includes only some devices of a group blocks: on TF 1.15 these operations can't be cancelled, and a
timeout exists on 2.x only. Callers therefore make each result of a group depend on all of them.
"""
import math
import zlib
from typing import Any, List, Sequence

from legacy_towers.compat.versions import tf

# Keys of other libraries in the same graph begin at 0, 1 or 100 (MirroredStrategy's).
_FIRST_INSTANCE = 1000000
# 25 MB between 2 processes took 61 to 66 ms in one ring, 51 to 57 ms in two to eight (1.15 and 2.21, on 2 cores); 1 MB
# takes longer in several rings.
_BYTES_PER_PART = 4 * 1024 * 1024
_MOST_RINGS = 16
_KINDS = ("CollectiveReduce", "CollectiveGather", "CollectiveBcastSend", "CollectiveBcastRecv")


def all_reduce_sum(tensors: Sequence[Any], group: int, instance: int) -> List[Any]:
    """Returns the sum of `tensors` once per tensor, each on its tensor's device: TensorFlow's collective all-reduce.

    Args:
      tensors: at least two, of one dtype and shape, each on a device of its own and not empty: TF 2.13 to 2.21 crash
        on an empty one (grappler hides it where the shape is static). Sizes may differ from run to run.
      group: the result of `group_key`.
      instance: a key from `free_instance_keys`.
    """
    # Private: nothing public makes a collective in a graph of TF1. Version 1 of the operation, the only one in 1.15,
    # still exists in 2.21: tried on 1.15, 2.13 and 2.21.
    from tensorflow.python.ops import collective_ops

    results = []
    for tensor in tensors:
        with tf.device(tensor.device):
            results.append(collective_ops.all_reduce(tensor, len(tensors), group, instance, "Add", "Id"))
    return results


def all_reduce_between(tensor: Any, members: int, group: int, instance: int) -> Any:
    """Returns the sum of the tensors that `members` graphs pass in, one in each process of a cluster.

    Each of them must run it equally often: a member that does not run blocks the others.

    Args:
      tensor: of a dtype that `supports_sum`, of the same shape in all graphs, not empty, on the device that the group
        has in this process.
      group: the result of `group_key` for the devices of all members.
      instance: the same number in all graphs.
    """
    # Private, as in `all_reduce_sum`. Tried on 1.15 and 2.21, with tf.train.Servers of 2 processes.
    from tensorflow.python.ops import collective_ops

    rings = [0] * _rings(tensor, members)
    with tf.device(tensor.device):
        return collective_ops.all_reduce(tensor, members, group, instance, "Add", "Id", subdiv_offsets=rings)


def _rings(tensor: Any, members: int) -> int:
    """Returns into how many rings an all-reduce divides a tensor: each sends parts of the tensor at the same time."""
    if not tensor.shape.is_fully_defined():
        return 1
    bytes_per_member = tensor.shape.num_elements() * tensor.dtype.size / float(members)
    return min(max(int(math.ceil(bytes_per_member / _BYTES_PER_PART)), 1), _MOST_RINGS)


def all_gather_between(tensor: Any, members: int, group: int, instance: int) -> Any:
    """Returns the tensors that `members` graphs pass in, one after the other along the first axis.

    The arguments are those of `all_reduce_between`. Sizes may differ from run to run where `gathers_any_size`.
    """
    # Private, as in `all_reduce_sum`. Tried on 2.13 and 2.21, with tf.train.Servers of 2 and 3 tasks.
    from tensorflow.python.ops import collective_ops

    with tf.device(tensor.device):
        return collective_ops.all_gather(tensor, members, group, instance)


def gathers_any_size() -> bool:
    """Returns whether the tensors of `all_gather_between` can have other sizes in each run.

    1.15 keeps the sizes of the first run ("Inconsistent output shapes, got [9,2], but expected is [3,2]"); tried on
    1.15, 2.13 and 2.21. Ends with 1.15.
    """
    from tensorflow.python.ops import collective_ops

    return hasattr(collective_ops, "all_gather_v2")


def supports_sum(dtype: Any) -> bool:
    """Returns whether `all_reduce_sum` takes tensors of `dtype`."""
    if dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
        return True
    # 1.15 has no sums in float16 ("CollectiveImplementation does not support datatype 19") and no bfloat16 at all, and
    # it has no version 2 of the operation. Tried on 1.15, 2.13 and 2.21; ends with 1.15.
    from tensorflow.python.ops import collective_ops

    return dtype in (tf.float16, tf.bfloat16) and hasattr(collective_ops, "all_reduce_v2")


def is_collective(operation: Any) -> bool:
    """Returns whether an operation waits for those of other devices or workers."""
    return operation.type.startswith("Collective")


def is_step_ended_by_another(error: BaseException) -> bool:
    """Returns whether `error` tells that another task has ended a step in which this one waits for its tensors.

    Its session was closed, or its run has failed. TensorFlow's texts for it are "Delete called on non-empty
    BufRendezvous" and "Collective ops is aborted by: op cancelled". Seen on 2.21; on 1.15 such a step waits on.
    """
    text = str(error)
    if isinstance(error, tf.errors.CancelledError):
        return "Collective ops is aborted by" in text and "op cancelled" in text
    return isinstance(error, tf.errors.InternalError) and "non-empty BufRendezvous" in text


def group_key(devices: Sequence[str]) -> int:
    """Returns the key of a group of devices: the same for the same list, in every graph.

    A server stores the devices of each key for all its sessions, and rejects other devices under the same key.
    """
    return zlib.crc32("|".join(devices).encode("utf-8")) & 0x7FFFFFFF


def free_instance_keys(graph: Any, count: int) -> List[int]:
    """Returns `count` keys that no collective in `graph` has; the same for the same graph."""
    used = [int(op.get_attr("instance_key")) for op in graph.get_operations() if op.type in _KINDS]
    first = max(used + [_FIRST_INSTANCE - 1]) + 1
    return list(range(first, first + count))


def instance_key(text: str) -> int:
    """Returns a key of one collective, the same for the same text: above those of `free_instance_keys`.

    A server remembers shape and dtype of each key for all its graphs: a text that contains them suits every graph.
    """
    first = 2 * _FIRST_INSTANCE
    return first + zlib.crc32(text.encode("utf-8")) % (0x7FFFFFFF - first)


def nccl_all_sum(tensors: Sequence[Any]) -> List[Any]:
    """Returns the sum of `tensors` once per tensor, each on its tensor's GPU, computed with NVIDIA's NCCL.

    Args:
      tensors: one per GPU, all of one shape and dtype: float16, float32, float64, int32 or int64.
    """
    # Private: tf.contrib.nccl of 1.15 is this module too, and 2.x has no public name. Built on 1.15 and 2.21; without
    # GPUs it can't run.
    from tensorflow.python.ops import nccl_ops

    return list(nccl_ops.all_sum(list(tensors)))
