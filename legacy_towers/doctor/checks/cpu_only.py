"""LD505: operations without a kernel for GPUs in the middle of a tower."""
from typing import Dict, Iterator, List

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import PYTHON_FUNCTION_OPS
from legacy_towers.tensor_types import Operation

# None of them has a kernel for GPUs in TensorFlow 1.15 to 2.21.
_CPU_ONLY = PYTHON_FUNCTION_OPS | {
    "CTCBeamSearchDecoder", "CTCGreedyDecoder", "EditDistance", "ExtractGlimpse", "Print", "PrintV2", "ResizeArea",
}


@check("LD505", "moved-to-cpu", WARNING, """
An operation between others on a GPU has no kernel for GPUs: `tf.py_func`, `tf.Print` or `tf.image.resize_area`, for
instance. With soft placement it runs on the CPU without a warning: in each step the GPU waits until its inputs are
copied to the host, it has run, and its results are copied back. Without soft placement the session fails.

Use an operation that runs on GPUs; move the computation into the input pipeline; or remove what was made for
debugging.
""")
def moved_to_cpu(subject: Subject) -> Iterator[Evidence]:
    found: Dict[str, List[Operation]] = {}
    for operation in subject.of_types(sorted(_CPU_ONLY)):
        if operation in subject.trained and _is_between(subject, operation):
            found.setdefault(operation.type, []).append(operation)
    for kind, operations in sorted(found.items()):
        yield subject.evidence(
            operations[0], "{} runs on the CPU, as it has no kernel for {}: {} of them copy tensors to the host and "
            "back in each step".format(kind, subject.device_of(operations[0]), len(operations)),
            "use an operation that runs on GPUs, or move it into the input pipeline",
        )


def _is_between(subject: Subject, operation: Operation) -> bool:
    """Returns whether an operation on a GPU reads floats of one, and gives its results to one."""
    reads = any(
        tensor.dtype.is_floating and subject.device_of(tensor.op).startswith("/gpu") for tensor in operation.inputs
    )
    gives = any(
        subject.device_of(user).startswith("/gpu") and user in subject.trained
        for tensor in operation.outputs for user in tensor.consumers()
    )
    return subject.device_of(operation).startswith("/gpu") and reads and gives
