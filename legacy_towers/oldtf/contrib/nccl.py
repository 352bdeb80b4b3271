"""tf.contrib.nccl of TensorFlow 1.4 to 1.12: sums over the GPUs of a machine.

Where a tensor is not on a GPU there is no NCCL, and the same sums are made by plain operations, on each tensor's
device: towers that are tried on a CPU run, and say once what stands for what.
"""
from typing import Any, Callable, List, Sequence

from legacy_towers.compat import contrib_parts, tf
from legacy_towers.oldtf import current

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]


def all_sum(tensors: Sequence[Any]) -> List[Any]:
    """Returns the sum of `tensors`, once on the device of each."""
    if not _on_gpus(tensors, "all_sum"):
        return _on_each(tensors, tf.add_n)
    return contrib_parts.nccl_ops.all_sum(tensors)


def all_prod(tensors: Sequence[Any]) -> List[Any]:
    """Returns the product of `tensors`, once on the device of each."""
    if not _on_gpus(tensors, "all_prod"):
        return _on_each(tensors, _folded(tf.multiply))
    return contrib_parts.nccl_ops.all_prod(tensors)


def all_min(tensors: Sequence[Any]) -> List[Any]:
    """Returns the least values of `tensors`, once on the device of each."""
    if not _on_gpus(tensors, "all_min"):
        return _on_each(tensors, _folded(tf.minimum))
    return contrib_parts.nccl_ops.all_min(tensors)


def all_max(tensors: Sequence[Any]) -> List[Any]:
    """Returns the greatest values of `tensors`, once on the device of each."""
    if not _on_gpus(tensors, "all_max"):
        return _on_each(tensors, _folded(tf.maximum))
    return contrib_parts.nccl_ops.all_max(tensors)


def reduce_sum(tensors: Sequence[Any], dst_device: Any = None) -> Any:
    """Returns the sum of `tensors`, on `dst_device` as TensorFlow 1.4 had it, or on the current device."""
    if _on_gpus(tensors, "reduce_sum"):
        if dst_device is None:
            return contrib_parts.nccl_ops.reduce_sum(tensors)
        with tf.device(dst_device):
            return contrib_parts.nccl_ops.reduce_sum(tensors)
    with tf.device(dst_device):
        return tf.add_n(list(tensors))


def broadcast(tensor: Any, dst_devices: Sequence[Any] = ()) -> Any:
    """Returns `tensor`, once for each of `dst_devices` where there are any."""
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
    current.say_once(
        "tf.contrib.nccl." + name, "plain operations, for the tensors are on {}".format(sorted(set(devices)))
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
