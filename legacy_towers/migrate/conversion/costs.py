"""Whether the operations on an example cost less than a thread of their own to run them."""
from typing import Optional

from legacy_towers.compat import tf
from legacy_towers.migrate.conversion.cut import Cut
from legacy_towers.migrate.conversion.operations import count_of
from legacy_towers.tensor_types import Tensor

# Operations that copy no elements.
_NO_COPY = frozenset("Const ExpandDims Identity NoOp Rank Reshape Shape Size Squeeze".split())
# Operations whose time is that of copying their elements.
_COPY = frozenset(
    "Add AddV2 Cast Concat ConcatV2 DecodeCSV DecodeRaw Div Equal Fill Gather GatherV2 Greater GreaterEqual Less"
    " LessEqual LogicalAnd LogicalNot LogicalOr Max Maximum Min Minimum Mul Neg NotEqual OneHot OnesLike Pack"
    " ParseExample ParseExampleV2 ParseSingleExample Range RealDiv Slice SparseToDense Split SplitV StridedSlice"
    " StringJoin StringToNumber Sub Sum Transpose Unpack Where ZerosLike".split()
)
# Casting as many takes 2 us, and the threads of a parallel map take 45 us for each element.
_MOST_ELEMENTS = 2**14
# The assumed length of a sequence of integers or strings, such as the words of a sentence; floats may be a sound.
_WORDS = 100


def is_cheap(part: Cut) -> bool:
    """Returns whether waking a thread for the operations takes longer than they do, so that a map runs them itself.

    With `python tests/benchmarks/queues_to_dataset.py`, an example of `shuffle_batch` takes 15 us of CPU time in a map
    without threads and 60 us in a parallel one, on TensorFlow 1.15 and on 2.21.
    """
    if all(operation.type in _NO_COPY for operation in part.operations):
        return True
    rows = max([count_of(source) or 1 for source in part.sources] + [1])
    targets = [_elements(each, rows) for each in part.targets]
    # Unknown sizes of tensors in between are those of what they become.
    copied = [each for operation in part.operations if operation.type in _COPY for each in operation.outputs]
    return (
        all(operation.type in _COPY | _NO_COPY for operation in part.operations)
        and all(size is not None for size in targets)
        and all((_elements(each, rows) or 0) <= _MOST_ELEMENTS for each in copied)
    )


def _elements(tensor: Tensor, rows: int) -> Optional[int]:
    """Returns the number of elements of a tensor that has `rows` of them if its first dimension is unknown."""
    shape = tensor.shape
    if shape.is_fully_defined():
        return int(shape.num_elements())
    if shape.rank == 1 and rows == 1 and (tensor.dtype.is_integer or tensor.dtype == tf.string):
        return _WORDS
    if not shape.rank or not shape[1:].is_fully_defined() or rows == 1:
        return None
    return rows * int(shape[1:].num_elements())
