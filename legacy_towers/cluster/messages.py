"""Tensor fusion: several tensors are reduced in few messages, large ones one by one, small ones together."""
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.tensor_types import Tensor

# An all-reduce takes about a millisecond, however small it is: tensors up to the first size are sent together, in
# messages up to the second.
_SMALL_BYTES = 256 * 1024
_MESSAGE_BYTES = 4 * 1024 * 1024


class FusedVector:
    """A vector that the workers sum in each step, fused with gradients into one message if one can include it.

    Attributes:
      tensor: this worker's vector, float32 or float64 of shape [n].
      total: the sum over all workers; None until it is part of a message.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.total: Optional[Tensor] = None


def reduce_fused(
    tensors: Sequence[Tensor], names: Sequence[str], workers: Workers, reduce: Callable[[Tensor, str], Tensor]
) -> List[Tensor]:
    """Returns what `reduce` returns for each tensor, called with messages of one or several of them.

        A B C (small)    ->    [A B C] -> reduce    ->    A B C
        D (large)              D       -> reduce          D

    Messages are created from the last tensor to the first: backpropagation yields the last gradients first, and these
    are sent while the others are computed.

    Args:
      names: of the tensors, the same in all workers.
      reduce: a function of a tensor and a name that treats each element on its own.
    """
    result = list(tensors)
    for positions in messages_of(tensors):
        first = names[positions[0]]
        if len(positions) == 1:
            result[positions[0]] = reduce(tensors[positions[0]], first)
            continue
        parts = [tensors[position] for position in positions]
        with tf.device(workers.device):
            flat = tf.concat([tf.reshape(each, [-1]) for each in parts], axis=0)
            whole = reduce(flat, "{} and {} others".format(first, len(positions) - 1))
            for position, each in zip(positions, tf.split(whole, [part.shape.num_elements() for part in parts])):
                result[position] = tf.reshape(each, tensors[position].shape)
    return result


def messages_of(tensors: Sequence[Tensor]) -> List[List[int]]:
    """Returns the positions of the tensors that are sent together, from the last one to the first.

    Of each, the dtype and the shape are read.
    """
    messages: List[List[int]] = []
    open_messages: Dict[Any, Tuple[List[int], int]] = {}  # dtype -> (the positions, their bytes)
    for position in reversed(range(len(tensors))):
        tensor = tensors[position]
        size = tensor.shape.num_elements() * tensor.dtype.size if tensor.shape.is_fully_defined() else None
        if size is None or size > _SMALL_BYTES:
            messages.append([position])
            continue
        members, filled = open_messages.get(tensor.dtype, ([], _MESSAGE_BYTES))
        if filled + size > _MESSAGE_BYTES:
            members, filled = [], 0
            messages.append(members)
        members.append(position)
        open_messages[tensor.dtype] = (members, filled + size)
    return messages
