"""LD503: many small gradients are copied between devices one by one."""
from typing import Dict, Iterator, Set, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.replicas import is_backward
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.tensor_types import Operation, Tensor

# Copies in one step that are reported, and bytes below which a copy takes about as long as an empty one.
COPIES, SMALL = 100, 1 << 16
# Where TensorFlow places an operation that names no device.
_DEFAULT = "/gpu:0"


@check("LD503", "gradient-copies", WARNING, """
Each step copies a hundred or more gradients of less than 64 KiB from one GPU to another device, each in a copy of its
own. Starting a copy takes longer than moving so few bytes, and the devices wait meanwhile. Models with batch
normalization have many such variables.

Pack small gradients before they are copied: the reduction `bucketed` of legacy_towers does so, or concatenate them
with `tf.concat` in each tower, and split the mean. Measure both: on a CPU packing is slower.
""")
def gradient_copies(subject: Subject) -> Iterator[Evidence]:
    small: Set[Tuple[Tensor, str]] = set()
    sources: Dict[str, Operation] = {}
    for operation in subject.operations:
        if operation not in subject.trained or _is_in_backward_pass(operation):
            continue
        target = subject.device_of(operation) or _DEFAULT
        for tensor in operation.inputs:
            source = subject.device_of(tensor.op)
            if source.startswith("/gpu") and source != target and _is_small(tensor) and is_backward(tensor.op):
                small.add((tensor, target))
                sources.setdefault(source, tensor.op)
    if len(small) >= COPIES:
        yield subject.evidence(
            sources[min(sources)],
            "each step copies {:,} gradients of less than {} KiB from {} to other devices, one by one".format(
                len(small), SMALL >> 10, " and ".join(sorted(sources))),
            "pack small gradients before they are copied",
        )


def _is_in_backward_pass(operation: Operation) -> bool:
    return is_backward(operation) and not applies_gradient(operation)


def _is_small(tensor: Tensor) -> bool:
    """Returns whether a tensor of floats, not a scalar, has a known size, which is small."""
    size = tensor.shape.num_elements() if tensor.dtype.is_floating else None
    return size is not None and tensor.shape.ndims > 0 and size * tensor.dtype.size < SMALL
