"""tf.contrib.nccl of TensorFlow 1.4 to 1.12: all-reduce and broadcast on the GPUs of one machine.

If a tensor is not on a GPU, other TensorFlow operations compute the same result on each tensor's device, so that
towers can be tested on a CPU; a warning reports this.
"""
from typing import Any, Callable, List, Sequence

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.contrib.private import contrib_parts
from legacy_towers.compat.versions import tf

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]


def all_sum(tensors: Sequence[Any]) -> List[Any]:
    """Returns the sum of `tensors`, once on the device of each tensor."""
    if not _on_gpus(tensors, "all_sum"):
        return _on_each(tensors, tf.add_n)
    return contrib_parts.nccl_ops.all_sum(tensors)


def all_prod(tensors: Sequence[Any]) -> List[Any]:
    """Returns the product of `tensors`, once on the device of each tensor."""
    if not _on_gpus(tensors, "all_prod"):
        return _on_each(tensors, _folded(tf.multiply))
    return contrib_parts.nccl_ops.all_prod(tensors)


def all_min(tensors: Sequence[Any]) -> List[Any]:
    """Returns the element-wise minimum of `tensors`, once on the device of each tensor."""
    if not _on_gpus(tensors, "all_min"):
        return _on_each(tensors, _folded(tf.minimum))
    return contrib_parts.nccl_ops.all_min(tensors)


def all_max(tensors: Sequence[Any]) -> List[Any]:
    """Returns the element-wise maximum of `tensors`, once on the device of each tensor."""
    if not _on_gpus(tensors, "all_max"):
        return _on_each(tensors, _folded(tf.maximum))
    return contrib_parts.nccl_ops.all_max(tensors)


def reduce_sum(tensors: Sequence[Any], dst_device: Any = None) -> Any:
    """Returns the sum of `tensors` on `dst_device` (an argument of TensorFlow 1.4), or else on the current device."""
    if _on_gpus(tensors, "reduce_sum"):
        if dst_device is None:
            return contrib_parts.nccl_ops.reduce_sum(tensors)
        with tf.device(dst_device):
            return contrib_parts.nccl_ops.reduce_sum(tensors)
    with tf.device(dst_device):
        return tf.add_n(list(tensors))


def broadcast(tensor: Any, dst_devices: Sequence[Any] = ()) -> Any:
    """Returns `tensor`; with `dst_devices` (an argument of TensorFlow 1.4), a list of copies on these devices."""
    if not dst_devices:
        return contrib_parts.nccl_ops.broadcast(tensor) if _on_gpus([tensor], "broadcast") else tf.identity(tensor)
    copies = []
    for device in dst_devices:
        with tf.device(device):
            copies.append(tf.identity(tensor))
    return copies


def _on_gpus(tensors: Sequence[Any], name: str) -> bool:
    if not tensors:
        raise ValueError("Must pass >0 tensors to {}".format(name))
    devices = [str(tensor.device) for tensor in tensors]
    if all("GPU" in device.upper() for device in devices):
        return True
    user_script.report_replacement(
        "tf.contrib.nccl." + name, "operations without NCCL, because the tensors are on {}".format(sorted(set(devices)))
    )
    return False


def _on_each(tensors: Sequence[Any], combine: Callable[[List[Any]], Any]) -> List[Any]:
    found = []
    for tensor in tensors:
        with tf.device(tensor.device):
            found.append(combine(list(tensors)))
    return found


def _folded(function: Callable[[Any, Any], Any]) -> Callable[[List[Any]], Any]:
    def combine(tensors: List[Any]) -> Any:
        result = tensors[0]
        for tensor in tensors[1:]:
            result = function(result, tensor)
        return result

    return combine
